// Lists of catalogue entries for each kind of consumer.
import { METRICS, type Aspect, type Metric } from "./catalogue.js";
import { type Figures, type LatencySummary } from "./figures.js";

type Entry = (typeof METRICS)[number];
type Counter = Extract<Entry, { readonly aggregate: "sum" | "max" }>;
type SqlstateMetric = Extract<Entry, { readonly aggregate: "by SQLSTATE" }>;
type Latency = Extract<Entry, { readonly aggregate: "histogram" }>;
type Deviation = Extract<Entry, { readonly aggregate: "deviation" }>;
type AuditedMetric = Extract<Entry, { readonly aggregate: "audited" }>;

const ALL_METRICS: readonly Entry[] = METRICS;
const METRICS_BY_ID: ReadonlyMap<string, Metric> = new Map(ALL_METRICS.map((metric) => [metric.id, metric]));

export const COUNTERS = ALL_METRICS.filter(
  (metric): metric is Counter => metric.aggregate === "sum" || metric.aggregate === "max",
);
export type CounterId = Counter["id"];
export const COUNTER_SLOTS = recordOf(COUNTERS, (_, slot) => slot);

export const SQLSTATE_METRICS = ALL_METRICS.filter(
  (metric): metric is SqlstateMetric => metric.aggregate === "by SQLSTATE",
);
export type SqlstateMetricId = SqlstateMetric["id"];

export type Counts = Record<CounterId, number> & Record<SqlstateMetricId, Record<string, number>>;

export const LATENCIES = ALL_METRICS.filter((metric): metric is Latency => metric.aggregate === "histogram");
export type LatencyId = Latency["id"];

export const DEVIATIONS = ALL_METRICS.filter(
  (metric): metric is Deviation => metric.aggregate === "deviation",
);
export type DeviationField = Deviation["field"];

/** Metrics that the audit of a trial counts by operation. */
export const AUDITED_METRICS = ALL_METRICS.filter(
  (metric): metric is AuditedMetric => metric.aggregate === "audited",
);
export type AuditedField = AuditedMetric["field"];

/** Fields of the result: counters, latencies, fields of some operations, and fields that are present only if above 0. */
export type CounterField = Counter["field"];
export type LatencyField = Latency["field"];
export type ConditionalField = Extract<Counter | Latency, { readonly presence: string }>["field"];
export type NonZeroField = Extract<Counter | Latency, { readonly presence: "seen" }>["field"];

/** Columns of the time series. */
export const SERIES_METRICS = ALL_METRICS.filter((metric) => "series" in metric);
/** Metrics that are counted for each second, in the window and outside of it. */
export const SERIES_COUNTS = [...COUNTERS, ...SQLSTATE_METRICS].filter((metric) => "series" in metric);
export type SeriesCounts = Record<
  Extract<Counter | SqlstateMetric, { readonly series: unknown }>["id"],
  number
>;

type LiveLatency = Extract<Latency, { readonly prometheus: string }>;
export const LIVE_LATENCIES = LATENCIES.filter((metric): metric is LiveLatency => "prometheus" in metric);
export const LIVE_COUNTS = SERIES_COUNTS.filter((metric) => "prometheus" in metric);

/** Counts and rates in the units of a result, and single numbers from a histogram. */
export const AMOUNT_METRICS: readonly Metric[] = ALL_METRICS.filter(
  (metric) => "field" in metric && (metric.unit === "" || metric.aggregate === "deviation"),
);

export const NOTED_METRICS: readonly Metric[] = ALL_METRICS.filter((metric) => "isNoted" in metric);

type ComparedEntry = Extract<Entry, { readonly isCompared: true }>;
const COMPARED_METRICS = ALL_METRICS.filter((metric): metric is ComparedEntry => "isCompared" in metric);
export type ComparisonMetric = ComparedEntry["id"];
export const COMPARISON_METRICS: readonly ComparisonMetric[] = COMPARED_METRICS.map(({ id }) => id);
export const SPAN_METRICS = COMPARISON_METRICS.filter((id) => "isOfSpan" in metricNamed(id));
export const HEADLINE_METRICS = COMPARISON_METRICS.filter((id) => "isHeadline" in metricNamed(id));

/** Metrics to compare: the ones that are always measured, and the others if `isMeasured`. */
export function comparedWhere(isMeasured: (id: ComparisonMetric) => boolean): readonly ComparisonMetric[] {
  return COMPARISON_METRICS.filter((id) => metricNamed(id).presence === undefined || isMeasured(id));
}

/** Field of a metric in a sweep, and the last part of its column in the CSV of runs. */
export type ComparisonField = {
  [M in ComparedEntry as M["id"]]: M["unit"] extends "ms" ? `${M["id"]}Ms` : M["id"];
}[ComparisonMetric];

export function comparisonField(id: ComparisonMetric): ComparisonField {
  return (metricNamed(id).unit === "ms" ? `${id}Ms` : id) as ComparisonField;
}

export function isHeadline(id: ComparisonMetric): boolean {
  return HEADLINE_METRICS.includes(id);
}

export function isLargerBetter(id: ComparisonMetric): boolean {
  return metricNamed(id).better === "higher";
}

/**
 * Aspects of a trial that must be valid for the metric to be judged; a rate needs both, because it is a count over a time.
 */
export function requiredAspects({ unit, isRate }: Metric): readonly Aspect[] {
  if (isRate) return ["counts", "timings"];
  return unit === "ms" ? ["timings"] : ["counts"];
}

export function labelOf(id: ComparisonMetric, work = "events"): string {
  return metricNamed(id).label.replace("events", work);
}

export function titleOf(id: ComparisonMetric, work?: string): string {
  return columnTitle({ ...metricNamed(id), label: labelOf(id, work) });
}

export function columnTitle({ label, unit }: Metric): string {
  return unit === "" ? label : `${label}(${unit})`;
}

export function metricNamed(id: Entry["id"]): Metric {
  return METRICS_BY_ID.get(id) as Metric;
}

const METRICS_BY_THRESHOLD: ReadonlyMap<string, Metric> = new Map(
  ALL_METRICS.flatMap((metric) => ("threshold" in metric ? [[metric.threshold, metric]] : [])),
);

export const THRESHOLD_NAMES = [...METRICS_BY_THRESHOLD.keys()];

export function thresholdMetric(name: string): Metric | undefined {
  return METRICS_BY_THRESHOLD.get(name);
}

export function needsSchedule({ presence }: Metric): boolean {
  return presence === "scheduled";
}

export function valueOf(
  { field, aggregate, presence, compute }: Metric,
  figures: Figures,
): number | undefined {
  if (compute) return compute(figures);
  const value = field === undefined ? undefined : figures[field];
  if (aggregate === "histogram") return (value as LatencySummary | null | undefined)?.mean;
  if (typeof value === "number") return value;
  return presence === "seen" ? 0 : undefined;
}

export function recordOf<M extends { readonly id: string }, Value>(
  metrics: readonly M[],
  valueOf: (metric: M, index: number) => Value,
): Record<M["id"], Value> {
  return Object.fromEntries(metrics.map((metric, index) => [metric.id, valueOf(metric, index)])) as Record<
    M["id"],
    Value
  >;
}

export function zeroCounts(): Counts {
  return { ...recordOf(COUNTERS, () => 0), ...recordOf(SQLSTATE_METRICS, () => ({})) };
}

export function addCounts(
  into: Counts,
  from: { readonly [Id in keyof Counts]?: Readonly<Counts[Id]> | undefined },
): void {
  for (const { id, aggregate } of COUNTERS) {
    const count = from[id] ?? 0;
    into[id] = aggregate === "max" ? Math.max(into[id], count) : into[id] + count;
  }
  for (const { id } of SQLSTATE_METRICS) addBySqlstate(into[id], from[id] ?? {});
}

export function addBySqlstate(into: Record<string, number>, from: Readonly<Record<string, number>>): void {
  for (const [sqlstate, count] of Object.entries(from)) into[sqlstate] = (into[sqlstate] ?? 0) + count;
}
