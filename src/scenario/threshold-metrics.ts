// Metrics of thresholds and their aggregates, as data. A metric offers only measured aggregates.
import { memoByList } from "../foundation/memo.js";
import { VIOLATION_KINDS, WORKLOADS } from "../workloads/registry.js";
import type { Workload } from "../workloads/workload.js";
import { isCycleOperation } from "../metrics/operations.js";
import { LATENCIES, THRESHOLD_NAMES, thresholdMetric } from "../metrics/metric-lists.js";
import { DATABASE_EVIDENCE, PER_EVENT_EVIDENCE, type Evidence } from "../workloads/evidence.js";
import type { Quantity } from "./judgement.js";

/**
 * Matches a metric with its selector: `add`, `add.poolwait`, `add{payload:text,pool:direct}`. A level may contain a colon,
 * such as a URL.
 */
export const METRIC_PATTERN =
  /^\s*(\w[\w.-]*)\s*(?:\{\s*([\w.-]+\s*:[^,{}]+(?:,\s*[\w.-]+\s*:[^,{}]+)*)\})?\s*$/;
/** Matches a ratio of metrics: `add{payload:text} / add{payload:jsonb}`. A slash inside a level does not separate. */
export const RATIO_PATTERN = /^((?:[^{}/]|\{[^{}]*\})+)\/((?:[^{}/]|\{[^{}]*\})+)$/;
/** Matches a condition: `p(99.9)<500`, `violations==0`, `events/s surely>1.2`. */
export const CONDITION_PATTERN =
  /^\s*((?!p\d)[A-Za-z_]\w*(?:\/s)?|p\((?:100(?:\.0+)?|\d{1,2}(?:\.\d+)?)\))(?:\s+(surely))?\s*(<=|>=|===|!==|==|!=|<|>)\s*(-?\d+(?:\.\d+)?)\s*$/;

/** Aggregates of a latency in milliseconds, apart from `p(N)`. */
export const LATENCY_AGGREGATES = ["avg", "min", "med", "max"] as const;

const CYCLE_AGGREGATES = THRESHOLD_NAMES.filter((name) => thresholdMetric(name)?.isOfCycle);
/** Metrics that are judged as a whole: they have no ratio and no published figures. */
export const METRICS_WITHOUT_RATIO: readonly string[] = ["integrity", "verdict"];

/** Name that stands for all operations together, cycles excluded. */
export const ALL_OPERATIONS = "__all__";
const ALL_OPERATIONS_AGGREGATES = [
  "count",
  "rate",
  "events",
  "eventsPerSecond",
  "failures",
  "failedShare",
  "avg",
];
const thresholdFields = (figures: readonly Evidence[]): string[] =>
  figures.filter(({ isThreshold }) => isThreshold).map(({ field }) => field);
/** Thresholds on figures of a trial's `database` and its `perEvent`. */
export const DATABASE_AGGREGATES = thresholdFields(DATABASE_EVIDENCE);
export const PER_EVENT_AGGREGATES = thresholdFields(PER_EVENT_EVIDENCE);
/** Name of the metric of sizes that a workload's audit measures. */
export const AUDIT_METRIC = "audit";
const INTEGRITY_AGGREGATES = ["violations", ...VIOLATION_KINDS, "inDoubt"];

export interface MetricTraits {
  /** Aggregates of the metric, apart from `p(N)`. */
  readonly aggregates: readonly string[];
  /** True if the metric has percentiles. */
  readonly isLatency: boolean;
  /** The workloads that have the metric; undefined if all workloads have it. */
  readonly workloads?: readonly Workload[];
  /** Roles that can give the metric a sample, of which a treatment needs one; undefined if any role can. */
  readonly roles?: readonly string[];
}

function rolesOf({ roles }: Workload, operation: string): string[] {
  return Object.keys(roles).filter((role) => roles[role]?.operations.includes(operation));
}

function metricsOf(workload: Workload): [string, MetricTraits][] {
  const latency = (roles: readonly string[]): MetricTraits => ({
    workloads: [workload],
    roles,
    aggregates: LATENCY_AGGREGATES,
    isLatency: true,
  });
  const operations = Object.keys(workload.operations).flatMap((operation): [string, MetricTraits][] => {
    const own = latency(rolesOf(workload, operation));
    const isCycle = isCycleOperation(operation);
    const latencyMetrics = LATENCIES.filter((metric) => !isCycle || "isOfCycle" in metric);
    const aggregates = [...LATENCY_AGGREGATES, ...(isCycle ? CYCLE_AGGREGATES : THRESHOLD_NAMES)];
    return [
      [operation, { ...own, aggregates }],
      ...latencyMetrics.map(({ id }): [string, MetricTraits] => [`${operation}.${id}`, own]),
    ];
  });
  const stages = Object.entries(workload.reporting?.stages ?? {});
  const { auditing, roles } = workload;
  const sizes = auditing?.sizes;
  const audit: MetricTraits | undefined = sizes && {
    workloads: [workload],
    roles: Object.keys(roles),
    aggregates: sizes,
    isLatency: false,
  };
  return [
    ...operations,
    ...(audit ? [[AUDIT_METRIC, audit] satisfies [string, MetricTraits]] : []),
    ...stages.map(([stage, { roles: own }]): [string, MetricTraits] => [`lifecycle.${stage}`, latency(own)]),
  ];
}

const counts = (aggregates: readonly string[]): MetricTraits => ({ aggregates, isLatency: false });

/** Metrics by name. */
export type ThresholdMetrics = ReadonlyMap<string, MetricTraits>;

const COMMON: readonly [string, MetricTraits][] = [
  [ALL_OPERATIONS, counts(ALL_OPERATIONS_AGGREGATES)],
  ["database", counts(DATABASE_AGGREGATES)],
  ["database.perEvent", counts(PER_EVENT_AGGREGATES)],
  ["integrity", counts(INTEGRITY_AGGREGATES)],
  ["verdict", counts(["tainted", "invalidCounts", "invalidTimings"])],
];

/**
 * Metrics that a threshold of these workloads may name; an operation's name alone stands for its response time and its
 * counts. Metrics of other workloads are known, too: the message for a metric that these lack differs from that for an
 * unknown one.
 */
export const thresholdMetrics = memoByList((workloads: readonly Workload[]): ThresholdMetrics => {
  const metrics = new Map(WORKLOADS.flatMap(metricsOf));
  for (const [name, traits] of workloads.flatMap(metricsOf)) {
    const sharing = metrics.get(name)?.workloads?.filter((each) => workloads.includes(each)) ?? [];
    metrics.set(name, { ...traits, workloads: [...new Set([...sharing, ...(traits.workloads ?? [])])] });
  }
  return new Map([...metrics, ...COMMON]);
});

/** The aggregate that a text names; a rate may be named by its label, so `events/s` is `eventsPerSecond`. */
export function aggregateNamed(text: string): string {
  return THRESHOLD_NAMES.find((name) => text.endsWith("/s") && thresholdMetric(name)?.label === text) ?? text;
}

/** The aggregate's name in comparisons: `p99` for `p(99)`, `mean` for `avg`. */
export function metricIdOf({ aggregate, percentile }: Omit<Quantity, "source">): string {
  if (aggregate === "p") return `p${percentile ?? ""}`;
  const spans: Readonly<Record<string, string>> = { avg: "mean", med: "p50" };
  return spans[aggregate] ?? thresholdMetric(aggregate)?.id ?? aggregate;
}

/** True if the aggregate is about arrivals, which only scheduled operations have. */
export function isAboutArrivals(source: string, aggregate: string): boolean {
  return source.endsWith(".startdelay") || thresholdMetric(aggregate)?.presence === "scheduled";
}

/** The roles that have these arrivals. Arrivals of topology `cycle` are cycles, not the transactions of a cycle. */
export function arrivalRoles(source: string, metrics: ThresholdMetrics): readonly string[] {
  const [operation = ""] = source.split(".");
  const { workloads = [], roles = [] } = metrics.get(operation) ?? {};
  return roles.filter((role) => workloads.some((each) => each.roles[role]?.arrivals.includes(operation)));
}
