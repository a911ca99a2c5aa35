// The only list of the metrics of an operation: recorder, totals, result, comparison, thresholds, report, CSV and
// Prometheus iterate it by way of `metric-lists.ts`. Its order is the order of columns.

import {
  failedShare,
  failuresOf,
  latencyOf,
  lockHoldMs,
  meanWithFailures,
  retriesPerTransaction,
  type Figures,
} from "./figures.js";

/** Aspects of a trial, each of which may be valid without the other: counts, and timings (durations). */
export const METRIC_ASPECTS = ["counts", "timings"] as const;
export type Aspect = (typeof METRIC_ASPECTS)[number];

export interface Metric {
  readonly id: string;
  readonly label: string;
  readonly unit: "ms" | "";
  readonly better: "higher" | "lower";
  /**
   * How parts add up. A figure is computed from the whole, a deviation from the whole histogram; audited metrics, which
   * workers cannot count, are summed over trials.
   */
  readonly aggregate: "sum" | "max" | "by SQLSTATE" | "histogram" | "deviation" | "figure" | "audited";
  /** Histogram that a deviation is taken from. */
  readonly of?: string;
  /** Field in the result of an operation; left out if the metric is not stored. */
  readonly field?: string;
  /**
   * When the field is present. Scheduled: if a schedule starts the operation. Seen: if above 0. Allowed: if the scenario
   * allows and counts it. Left out: always, which only metrics of the first version can be.
   */
  readonly presence?: "scheduled" | "seen" | "allowed";
  /** Computation from figures; left out if the metric is the value of the field or, for a latency, its mean. */
  readonly compute?: (of: Figures) => number | undefined;
  /** Present if treatments and runs are compared by this metric. */
  readonly isCompared?: true;
  /** Present if the spans of an event's life have this metric, too. */
  readonly isOfSpan?: true;
  /** Present if the metric is compared under the experiment's one error rate, and described in sentences. */
  readonly isHeadline?: true;
  /** Name of the metric in a threshold on the operation; a histogram is itself a source of thresholds. */
  readonly threshold?: string;
  /** Present if the metric is a count per second. */
  readonly isRate?: true;
  /** Present if a threshold can ask for this metric of a whole cycle, too. */
  readonly isOfCycle?: true;
  /** Present if the metric has a line beneath the treatment's table when it is above 0. */
  readonly isNoted?: true;
  /** Columns of `timeseries.csv`. */
  readonly series?: readonly SeriesColumn[];
  /** Name of the metric in Prometheus after `train_sim_`. */
  readonly prometheus?: string;
  readonly help?: string;
}

export type SeriesColumn = "count" | "mean" | "p50" | "p95" | "p99" | "max";

export const METRICS = [
  {
    id: "mean",
    label: "mean",
    unit: "ms",
    better: "lower",
    aggregate: "figure",
    compute: (of) => latencyOf(of, "responseTimeMs")?.mean,
    isCompared: true,
    isOfSpan: true,
    isHeadline: true,
  },
  {
    id: "p50",
    label: "p50",
    unit: "ms",
    better: "lower",
    aggregate: "figure",
    compute: (of) => latencyOf(of, "responseTimeMs")?.p50,
    isCompared: true,
    isOfSpan: true,
  },
  {
    id: "p95",
    label: "p95",
    unit: "ms",
    better: "lower",
    aggregate: "figure",
    compute: (of) => latencyOf(of, "responseTimeMs")?.p95,
    isCompared: true,
    isOfSpan: true,
  },
  {
    id: "p99",
    label: "p99",
    unit: "ms",
    better: "lower",
    aggregate: "figure",
    compute: (of) => latencyOf(of, "responseTimeMs")?.p99,
    isCompared: true,
    isOfSpan: true,
    isHeadline: true,
  },
  {
    id: "transactions",
    label: "transactions",
    unit: "",
    better: "higher",
    aggregate: "sum",
    field: "transactions",
    threshold: "count",
    isOfCycle: true,
    series: ["count"],
    prometheus: "transactions_total",
    help: "transactions committed",
  },
  {
    id: "transactionsPerSecond",
    label: "transactions/s",
    unit: "",
    better: "higher",
    aggregate: "figure",
    field: "transactionsPerSecond",
    threshold: "rate",
    isRate: true,
    isOfCycle: true,
  },
  {
    id: "events",
    label: "events",
    unit: "",
    better: "higher",
    aggregate: "sum",
    field: "events",
    threshold: "events",
    series: ["count"],
    prometheus: "events_total",
    help: "events of these transactions",
  },
  {
    id: "eventsPerSecond",
    label: "events/s",
    unit: "",
    better: "higher",
    aggregate: "figure",
    field: "eventsPerSecond",
    threshold: "eventsPerSecond",
    isRate: true,
    isCompared: true,
    isHeadline: true,
  },
  {
    id: "failures",
    label: "failures",
    unit: "",
    better: "lower",
    aggregate: "by SQLSTATE",
    field: "failures",
    compute: failuresOf,
    threshold: "failures",
    series: ["count"],
    prometheus: "failures_total",
    help: "transactions given up",
  },
  {
    id: "failedShare",
    label: "failed share",
    unit: "",
    better: "lower",
    aggregate: "figure",
    compute: failedShare,
    threshold: "failedShare",
  },
  {
    id: "retries",
    label: "retries",
    unit: "",
    better: "lower",
    aggregate: "by SQLSTATE",
    field: "retries",
    threshold: "retries",
    series: ["count"],
    prometheus: "retries_total",
    help: "attempts tried again",
  },
  {
    id: "retriesPerTransaction",
    label: "retries per transaction",
    unit: "",
    better: "lower",
    aggregate: "figure",
    compute: retriesPerTransaction,
    threshold: "retriesPerTransaction",
  },
  {
    id: "unansweredCommits",
    label: "unanswered commits",
    unit: "",
    better: "lower",
    aggregate: "sum",
    field: "unansweredCommits",
    presence: "seen",
    help: "commits whose connection was lost before the answer",
    isNoted: true,
  },
  {
    id: "warnedCommits",
    label: "commits with a warning",
    unit: "",
    better: "lower",
    aggregate: "sum",
    field: "warnedCommits",
    presence: "seen",
    help: "commits that the server acknowledged with a warning",
    isNoted: true,
  },
  {
    id: "withoutRows",
    label: "transactions without a row",
    unit: "",
    better: "lower",
    aggregate: "sum",
    field: "withoutRows",
    threshold: "withoutRows",
    presence: "seen",
    help: "committed transactions of your own SQL, not read-only, whose statements returned and changed no row",
    isNoted: true,
  },
  {
    id: "emptyPolls",
    label: "empty polls",
    unit: "",
    better: "lower",
    aggregate: "sum",
    field: "emptyPolls",
    threshold: "emptyPolls",
    isNoted: true,
    series: ["count"],
  },
  {
    id: "emptyPollMs",
    label: "time in empty polls",
    unit: "ms",
    better: "lower",
    aggregate: "sum",
    field: "emptyPollTotalMs",
  },
  {
    id: "response",
    label: "response time",
    unit: "ms",
    better: "lower",
    aggregate: "histogram",
    field: "responseTimeMs",
    isOfCycle: true,
    series: ["mean", "p50", "p95", "p99", "max"],
    prometheus: "response_time_seconds",
    help: "intended start to commit acknowledged, of committed transactions",
  },
  {
    id: "service",
    label: "service time",
    unit: "ms",
    better: "lower",
    aggregate: "histogram",
    field: "serviceTimeMs",
    isOfCycle: true,
    series: ["mean"],
  },
  {
    id: "serviceStddev",
    label: "service time stddev",
    unit: "ms",
    better: "lower",
    aggregate: "deviation",
    of: "service",
    field: "serviceStddevMs",
    presence: "seen",
    compute: ({ serviceStddevMs }) => serviceStddevMs as number | undefined,
    threshold: "serviceStddev",
    help: "standard deviation of the service time",
  },
  {
    id: "lockHold",
    label: "mean time with row locks",
    unit: "ms",
    better: "lower",
    aggregate: "figure",
    compute: lockHoldMs,
    threshold: "lockHold",
    help: "from the answer of the claim to the answer of the commit",
    isNoted: true,
  },
  {
    id: "poolwait",
    label: "pool wait",
    unit: "ms",
    better: "lower",
    aggregate: "histogram",
    field: "poolWaitMs",
    series: ["mean"],
    prometheus: "pool_wait_seconds",
    help: "time to obtain a connection, part of the response time",
  },
  {
    id: "offered",
    label: "offered",
    unit: "",
    better: "higher",
    aggregate: "sum",
    field: "offered",
    presence: "scheduled",
    threshold: "offered",
    isOfCycle: true,
    series: ["count"],
    prometheus: "arrivals_total",
    help: "arrivals of an open loop",
  },
  {
    id: "dropped",
    label: "dropped",
    unit: "",
    better: "lower",
    aggregate: "sum",
    field: "dropped",
    presence: "scheduled",
    threshold: "dropped",
    isOfCycle: true,
    series: ["count"],
    prometheus: "dropped_arrivals_total",
    help: "of these, dropped",
  },
  {
    id: "unfinished",
    label: "unfinished",
    unit: "",
    better: "lower",
    aggregate: "sum",
    field: "unfinished",
    presence: "scheduled",
    help: "started and not ended when the window ended: offered = transactions + failures + emptyPolls + dropped + unfinished",
  },
  {
    id: "startdelay",
    label: "start delay",
    unit: "ms",
    better: "lower",
    aggregate: "histogram",
    field: "startDelayMs",
    presence: "seen",
    series: ["mean"],
  },
  {
    id: "failed",
    label: "failed",
    unit: "ms",
    better: "lower",
    aggregate: "histogram",
    field: "failedTimeMs",
    presence: "seen",
    help: "service time of failed transactions",
  },
  {
    id: "meanWithFailures",
    label: "mean service time with failures",
    unit: "ms",
    better: "lower",
    aggregate: "figure",
    compute: meanWithFailures,
    threshold: "meanWithFailures",
  },
  {
    id: "outlastedMs",
    label: "longest in flight at the end",
    unit: "ms",
    better: "lower",
    aggregate: "max",
    field: "outlastedMs",
    presence: "seen",
    help: "the longest transaction in flight at the end of the window; it is in no other number",
  },
  {
    id: "lost",
    label: "lost",
    unit: "",
    better: "lower",
    aggregate: "audited",
    field: "lost",
    presence: "allowed",
    isCompared: true,
    threshold: "lost",
    help: "acknowledged in the trial, and not in the tables at its end",
  },
] as const satisfies readonly Metric[];
