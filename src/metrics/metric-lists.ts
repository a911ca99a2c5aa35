// Lists of catalogue entries for each kind of consumer.
import { METRICS, type Aspect, type Metric } from "./catalogue.js";
import { type Figures, type LatencySummary } from "./figures.js";

type Entry = (typeof METRICS)[number];
type Counter = Extract<Entry, { readonly aggregate: "sum" | "max" }>;
type BySqlstate = Extract<Entry, { readonly aggregate: "by SQLSTATE" }>;
type Latency = Extract<Entry, { readonly aggregate: "histogram" }>;
type Deviation = Extract<Entry, { readonly aggregate: "deviation" }>;
type Audited = Extract<Entry, { readonly aggregate: "audited" }>;

const ALL: readonly Entry[] = METRICS;
const BY_ID: ReadonlyMap<string, Metric> = new Map(ALL.map((metric) => [metric.id, metric]));

export const COUNTERS = ALL.filter(
  (metric): metric is Counter => metric.aggregate === "sum" || metric.aggregate === "max",
);
export type CounterId = Counter["id"];
export const SLOTS = recordOf(COUNTERS, (_, slot) => slot);

export const BY_SQLSTATE = ALL.filter((metric): metric is BySqlstate => metric.aggregate === "by SQLSTATE");
export type BySqlstateId = BySqlstate["id"];

export type Counts = Record<CounterId, number> & Record<BySqlstateId, Record<string, number>>;

export const LATENCIES = ALL.filter((metric): metric is Latency => metric.aggregate === "histogram");
export type LatencyId = Latency["id"];

export const DEVIATIONS = ALL.filter((metric): metric is Deviation => metric.aggregate === "deviation");
export type DeviationField = Deviation["field"];

/** Metrics that the audit of a trial counts by operation. */
export const AUDITED = ALL.filter((metric): metric is Audited => metric.aggregate === "audited");
export type AuditedField = Audited["field"];

/** Fields of the result: counters, latencies, fields of some operations, and fields that are present only if above 0. */
export type CounterField = Counter["field"];
export type LatencyField = Latency["field"];
export type RareField = Extract<Counter | Latency, { readonly presence: string }>["field"];
export type SeenField = Extract<Counter | Latency, { readonly presence: "seen" }>["field"];

/** Columns of the time series. */
export const SERIES = ALL.filter((metric) => "series" in metric);
/** Metrics that are counted for each second, in the window and outside of it. */
export const SERIES_COUNTS = [...COUNTERS, ...BY_SQLSTATE].filter((metric) => "series" in metric);
export type SeriesCounts = Record<Extract<Counter | BySqlstate, { readonly series: unknown }>["id"], number>;

type LiveLatency = Extract<Latency, { readonly prometheus: string }>;
export const LIVE_LATENCIES = LATENCIES.filter((metric): metric is LiveLatency => "prometheus" in metric);
export const LIVE_COUNTS = SERIES_COUNTS.filter((metric) => "prometheus" in metric);

/** Counts and rates in the units of a result, and single numbers from a histogram. */
export const AMOUNTS: readonly Metric[] = ALL.filter(
  (metric) => "field" in metric && (metric.unit === "" || metric.aggregate === "deviation"),
);

export const NOTED: readonly Metric[] = ALL.filter((metric) => "isNoted" in metric);

type ComparedEntry = Extract<Entry, { readonly isCompared: true }>;
const COMPARED = ALL.filter((metric): metric is ComparedEntry => "isCompared" in metric);
export type ComparisonMetric = ComparedEntry["id"];
export const COMPARISON_METRICS: readonly ComparisonMetric[] = COMPARED.map(({ id }) => id);
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
export function restsOn({ unit, isRate }: Metric): readonly Aspect[] {
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
  return BY_ID.get(id) as Metric;
}

const BY_THRESHOLD: ReadonlyMap<string, Metric> = new Map(
  ALL.flatMap((metric) => ("threshold" in metric ? [[metric.threshold, metric]] : [])),
);

export const THRESHOLD_NAMES = [...BY_THRESHOLD.keys()];

export function thresholdMetric(name: string): Metric | undefined {
  return BY_THRESHOLD.get(name);
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

export function noCounts(): Counts {
  return { ...recordOf(COUNTERS, () => 0), ...recordOf(BY_SQLSTATE, () => ({})) };
}

export function addCounts(
  into: Counts,
  from: { readonly [Id in keyof Counts]?: Readonly<Counts[Id]> | undefined },
): void {
  for (const { id, aggregate } of COUNTERS) {
    const count = from[id] ?? 0;
    into[id] = aggregate === "max" ? Math.max(into[id], count) : into[id] + count;
  }
  for (const { id } of BY_SQLSTATE) addBySqlstate(into[id], from[id] ?? {});
}

export function addBySqlstate(into: Record<string, number>, from: Readonly<Record<string, number>>): void {
  for (const [sqlstate, count] of Object.entries(from)) into[sqlstate] = (into[sqlstate] ?? 0) + count;
}
