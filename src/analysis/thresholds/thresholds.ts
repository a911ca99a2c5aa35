// Without samples, with too few, or on an invalid aspect, a threshold is not assessed: it never passes.
import { counted } from "../../foundation/units.js";
import { type Histogram, type HistogramSet, meanMs, percentileMs } from "../../metrics/histograms.js";
import { failuresOf } from "../../metrics/figures.js";
import { needsSchedule, thresholdMetric, valueOf } from "../../metrics/metric-lists.js";
import { isTag, type Operation } from "../../metrics/operations.js";
import type { Quantity, Threshold, ThresholdOperator } from "../../scenario/judgement.js";
import { ALL_OPERATIONS, AUDIT_METRIC, isAboutArrivals } from "../../scenario/threshold-metrics.js";
import { isSelected } from "../../scenario/thresholds.js";
import { disturbedTrialCount, type InvalidTrials, objectionTo } from "../diagnosis/validity.js";
import { median } from "../statistics/quantiles.js";
import { shareInterval } from "../statistics/rare-counts.js";
import {
  type ThresholdFigures,
  databaseValue,
  integrityCount,
  isDatabaseSource,
  meanOfAllMs,
  operationFigures,
  requiredAspectsOf,
  rareCountOf,
} from "./quantities.js";
import type {
  DatabaseEvidence,
  Integrity,
  OperationResult,
  OperationResults,
  ThresholdResult,
} from "../../results/result-schema.js";

export interface ThresholdInputs {
  readonly operations: OperationResults;
  readonly histograms: Pick<HistogramSet, "get">;
  /** Results of the audited trials. */
  readonly audits: readonly Integrity[];
  /** Evidence of the complete trials; empty while a trial runs. */
  readonly databases?: readonly DatabaseEvidence[];
  /** Numbers of complete trials by the aspect that is not valid; undefined if no trial has been diagnosed. */
  readonly invalid: InvalidTrials | undefined;
  /** Operations that a Poisson schedule starts; left out if there are none. */
  readonly randomArrivals?: readonly Operation[];
}

function histogramOf(
  { source }: Quantity,
  { histograms }: Pick<ThresholdInputs, "histograms">,
): Histogram | undefined {
  const tag = source.includes(".") ? source : `${source}.response`;
  return isTag(tag) ? histograms.get(tag) : undefined;
}

function latencyMs(quantity: Quantity, measured: ThresholdInputs): number | undefined {
  const { source, aggregate, percentile = 0 } = quantity;
  if (source === ALL_OPERATIONS) return meanOfAllMs(measured.operations);
  const histogram = histogramOf(quantity, measured);
  if (!histogram) return undefined;
  if (aggregate === "avg") return meanMs(histogram);
  const percentileByAggregate: Readonly<Record<string, number>> = {
    min: 0,
    med: 50,
    max: 100,
    p: percentile,
  };
  return percentileMs(histogram, percentileByAggregate[aggregate] ?? Number.NaN);
}

function operationMetricValue(aggregate: string, result: ThresholdFigures): number | undefined {
  const metric = thresholdMetric(aggregate);
  if (!metric) throw new Error(`the loader let an unknown aggregate through: ${aggregate}`);
  const value = valueOf(metric, result);
  if (metric.better === "higher") return value;
  if (needsSchedule(metric)) return result.offered ? value : undefined;
  const isOperationIdle = result.transactions + failuresOf(result) + result.emptyPolls === 0;
  return isOperationIdle && value === 0 ? undefined : value;
}

function auditValue(audit: Integrity, aggregate: string): number | undefined {
  const auditValues: Readonly<Record<string, unknown>> = audit;
  const size = auditValues[aggregate];
  return typeof size === "number" ? size : undefined;
}

function invalidTrialCount(aggregate: string, invalid: InvalidTrials): number {
  if (aggregate === "invalidCounts") return invalid.counts.length;
  return aggregate === "invalidTimings" ? invalid.timings.length : disturbedTrialCount(invalid);
}

const LATENCY_AGGREGATES: ReadonlySet<string> = new Set(["avg", "min", "med", "max", "p"]);
const ORDER_STATISTICS: ReadonlySet<string> = new Set(["med", "p"]);

export function seenValue(quantity: Quantity, measured: ThresholdInputs): number | undefined {
  const { source, aggregate } = quantity;
  if (source === "integrity") return integrityCount(aggregate, measured.audits);
  if (source === "verdict") return measured.invalid && invalidTrialCount(aggregate, measured.invalid);
  if (source === AUDIT_METRIC) {
    const values = measured.audits.flatMap((audit) => auditValue(audit, aggregate) ?? []);
    return values.length > 0 ? median(values) : undefined;
  }
  if (isDatabaseSource(source)) {
    const values = (measured.databases ?? []).flatMap((each) => databaseValue(quantity, each) ?? []);
    return values.length === 0 ? undefined : median(values);
  }
  if (LATENCY_AGGREGATES.has(aggregate)) return latencyMs(quantity, measured);
  const result = operationFigures(source, measured.operations);
  return result && operationMetricValue(aggregate, result);
}

export function meetsBound(
  { operator, bound }: Pick<Threshold, "operator" | "bound">,
  seen: number,
): boolean {
  switch (operator) {
    case "<":
      return seen < bound;
    case "<=":
      return seen <= bound;
    case ">":
      return seen > bound;
    case ">=":
      return seen >= bound;
    case "==":
      return seen === bound;
    case "!=":
      return seen !== bound;
  }
}

/**
 * Lack of samples, such as `212 samples, needs 299`; undefined if there are enough, or if the threshold does not bound a
 * percentile.
 */
export function fewSamplesReason(
  threshold: Threshold,
  measured: Pick<ThresholdInputs, "histograms">,
): string | undefined {
  if (!ORDER_STATISTICS.has(threshold.aggregate)) return undefined;
  const samples = histogramOf(threshold, measured)?.totalCount ?? 0;
  const needed = samplesNeeded(threshold);
  return samples >= needed ? undefined : `${counted(samples, "sample")}, needs ${needed}`;
}

export type Assessment = Pick<ThresholdResult, "ok" | "reason" | "share"> & { readonly seen: number };

export function assess(threshold: Threshold, measured: ThresholdInputs): Assessment | undefined {
  const outcome = outcomeOf(threshold, measured);
  const rare = outcome && rareCountOf(threshold, measured);
  return rare ? { ...outcome, share: { ...rare, ...shareInterval(rare.count, rare.all) } } : outcome;
}

function outcomeOf(threshold: Threshold, measured: ThresholdInputs): Assessment | undefined {
  const seen = seenValue(threshold, measured);
  if (seen === undefined) return undefined;
  const objection = measured.invalid && objectionTo(requiredAspectsOf(threshold), measured.invalid);
  if (objection !== undefined) return { seen, ok: null, reason: objection };
  const { source } = threshold;
  if (!meetsBound(threshold, seen)) {
    const operation = measured.randomArrivals?.find((each) => each === source);
    const result = operation && measured.operations[operation];
    const reason = result && chanceReason(threshold, result);
    return reason === undefined ? { seen, ok: false } : { seen, ok: true, reason };
  }
  const reason = fewSamplesReason(threshold, measured);
  return reason === undefined ? { seen, ok: true } : { seen, ok: null, reason };
}

/**
 * The first abortable threshold that is broken already, `elapsedMs` into the window; a threshold without samples is not
 * judged yet.
 */
export function brokenThreshold(
  thresholds: readonly Threshold[],
  measured: ThresholdInputs,
  elapsedMs: number,
): { threshold: Threshold; seen: number } | undefined {
  for (const threshold of thresholds) {
    if (!threshold.abortOnFail || elapsedMs < threshold.delayAbortEvalMs) continue;
    const assessment = assess(threshold, measured);
    if (assessment?.ok === false) return { threshold, seen: assessment.seen };
  }
  return undefined;
}

export interface JudgedTreatment {
  readonly id: string;
  readonly levels: Readonly<Record<string, string>>;
  readonly measured: ThresholdInputs;
  readonly completeTrials: number;
  readonly plannedTrials: number;
}

/** The threshold that ended the experiment early. */
export interface Abort {
  readonly threshold: Threshold;
  readonly treatmentId: string;
  readonly seen: number;
  readonly trial: number;
}

function noSampleReason({ aggregate, source }: Threshold, judged: JudgedTreatment): string {
  const { completeTrials, plannedTrials } = judged;
  if (plannedTrials === 0) return "the search confirmed no rate";
  if (completeTrials === 0) return `0 of ${counted(plannedTrials, "planned trial")} complete`;
  return isAboutArrivals(source, aggregate) ? "no samples: not started by a schedule" : "no samples";
}

export function evaluateThresholds(
  thresholds: readonly Threshold[],
  treatments: readonly JudgedTreatment[],
  abort?: Abort,
): ThresholdResult[] {
  return thresholds.flatMap((threshold) =>
    treatments
      .filter((treatment) => isSelected(threshold, treatment))
      .map((judged): ThresholdResult => {
        const { metric, expression } = threshold;
        const { id, measured } = judged;
        const about = { metric, expression, treatment: id };
        if (abort?.threshold === threshold && abort.treatmentId === id) {
          return {
            ...about,
            seen: abort.seen,
            ok: false,
            reason: `aborted the experiment in trial ${abort.trial}`,
          };
        }
        const assessment = assess(threshold, measured);
        return {
          ...about,
          ...(assessment ?? { seen: null, ok: null, reason: noSampleReason(threshold, judged) }),
        };
      }),
  );
}

/** Largest chance that is accepted of all samples lying on one side of the true percentile. */
const PERCENTILE_MISS_CHANCE_MAX = 0.05;
/** Standard deviations that a count may deviate by chance; one count in 740 deviates further on one side. */
const CHANCE_DEVIATIONS_MAX = 3;
/** Largest ratio of the mean square of batch sizes to their squared mean, if sizes are drawn evenly from 1 on. */
const BATCH_SQUARE_RATIO_MAX = 4 / 3;

const LOWER_BOUND_OPERATORS: readonly ThresholdOperator[] = [">", ">="];
const UPPER_BOUND_OPERATORS: readonly ThresholdOperator[] = ["<", "<="];

/** Samples from which the percentile has a 95 % confidence limit on the side that the operator bounds. */
function samplesNeeded({ aggregate, percentile, operator }: Threshold): number {
  const share = aggregate === "med" ? 0.5 : (percentile ?? 100) / 100;
  if (share <= 0 || share >= 1) return 1; // the least and the largest as measured
  const boundedShares = [
    ...(LOWER_BOUND_OPERATORS.includes(operator) ? [] : [share]),
    ...(UPPER_BOUND_OPERATORS.includes(operator) ? [] : [1 - share]),
  ];
  return Math.ceil(
    Math.max(...boundedShares.map((each) => Math.log(PERCENTILE_MISS_CHANCE_MAX) / Math.log(each))),
  );
}

/** Metrics that count arrivals or their work. */
const COUNTED_AGGREGATES = ["count", "rate", "events", "eventsPerSecond", "offered"];

/**
 * Reason why a bound on a count or rate is met although the observed value is beyond it: the Poisson schedule offered fewer
 * or more arrivals by chance and, if fewer, all were served or under way at the window's end. Undefined if chance does not
 * explain it.
 */
function chanceReason(
  { aggregate, operator, bound }: Threshold,
  { transactions, transactionsPerSecond, events, offered, unfinished = 0 }: OperationResult,
): string | undefined {
  if (!COUNTED_AGGREGATES.includes(aggregate) || offered === undefined || transactions === 0)
    return undefined;
  const seconds = /rate|PerSecond/.test(aggregate) ? transactions / transactionsPerSecond : 1;
  const isEventAggregate = aggregate.startsWith("events");
  const requiredArrivals = (bound * seconds) / (isEventAggregate ? events / transactions : 1);
  const chanceMargin =
    CHANCE_DEVIATIONS_MAX * Math.sqrt(requiredArrivals * (isEventAggregate ? BATCH_SQUARE_RATIO_MAX : 1));
  const startedTransactions = transactions + unfinished;
  const isBoundMetByArrivals = LOWER_BOUND_OPERATORS.includes(operator)
    ? aggregate === "offered" || startedTransactions >= offered || startedTransactions >= requiredArrivals
    : UPPER_BOUND_OPERATORS.includes(operator);
  if (!isBoundMetByArrivals || !(Math.abs(offered - requiredArrivals) <= chanceMargin)) return undefined;
  const [least, most] = [
    Math.ceil(requiredArrivals - chanceMargin),
    Math.floor(requiredArrivals + chanceMargin),
  ];
  return `the schedule offered ${offered} arrivals, within chance of the ${Math.round(requiredArrivals)} asked for (${least} to ${most})`;
}
