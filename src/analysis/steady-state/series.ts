// One logarithm for each complete trial, by block, never filled in. No events at all is a value: a stall must count.
import { isLargerBetter, metricNamed, SPAN_METRICS, valueOf } from "../../metrics/metric-lists.js";
import type { LatencySummary } from "../../metrics/histograms.js";
import { spanLatencyIn, stageOf } from "../../metrics/operations.js";
import type { Differences } from "../statistics/place-effect.js";
import { mean } from "../statistics/quantiles.js";
import type {
  ComparedOperation,
  ComparisonMetric,
  TreatmentResult,
  TrialResult,
} from "../../results/result-schema.js";

/** Natural logarithms of a metric by block, or other numbers by block whose differences comparisons use. */
export type LogarithmSeries = ReadonlyMap<number, number>;

export function completeTrials({ trials }: TreatmentResult): readonly TrialResult[] {
  return trials.filter(({ status }) => status === "complete");
}

export function metricOf(
  trial: TrialResult,
  operation: ComparedOperation,
  metric: ComparisonMetric,
): number | undefined {
  if (trial.status !== "complete") return undefined;
  const stage = stageOf(operation);
  if (stage) {
    if (!SPAN_METRICS.includes(metric)) return undefined;
    return valueOf(metricNamed(metric), {
      responseTimeMs: spanLatencyIn<LatencySummary | null | undefined>(trial.lifecycle, stage) ?? null,
    });
  }
  const result = trial.operations[operation];
  return result && valueOf(metricNamed(metric), result);
}

/** Number of events that stands in for 0 events in a window, since 0 has no logarithm (the usual continuity correction). */
export const ZERO_EVENTS_REPLACEMENT = 0.5;

/** Value that stands in for 0 of a metric; undefined for a time, which is 0 only if nothing was measured. */
function zeroReplacementFor(
  comparedTreatments: readonly TreatmentResult[],
  metric: ComparisonMetric,
): number | undefined {
  if (metricNamed(metric).aggregate === "audited") return ZERO_EVENTS_REPLACEMENT;
  const longestWindowSeconds = Math.max(
    0,
    ...comparedTreatments.flatMap(({ trials }) => trials.map((trial) => trial.windowSeconds)),
  );
  return isLargerBetter(metric) && longestWindowSeconds > 0
    ? ZERO_EVENTS_REPLACEMENT / longestWindowSeconds
    : undefined;
}

/**
 * Logarithms of a metric by block. A rate of 0 counts as half an event in the longest window of the compared treatments
 * (`comparedTreatments`), so that 0 never exceeds 0; a time of 0 has no logarithm and is left out.
 */
export function logarithmSeries(
  treatment: TreatmentResult,
  operation: ComparedOperation,
  metric: ComparisonMetric,
  comparedTreatments: readonly TreatmentResult[],
): LogarithmSeries {
  const values = new Map<number, number>();
  for (const trial of treatment.trials) {
    const value = metricOf(trial, operation, metric);
    if (value !== undefined) values.set(trial.block, value);
  }
  // The replacement depends on all trials of the compared treatments, so it is computed only if it is needed.
  const hasZero = [...values.values()].includes(0);
  return logarithms(values, hasZero ? zeroReplacementFor(comparedTreatments, metric) : undefined);
}

/** Place of each trial in the experiment's order, by block. Places in a block are positions or, in a duet, servers. */
export function placeSeries({ trials }: TreatmentResult): LogarithmSeries {
  return new Map(trials.map(({ block, number }) => [block, number]));
}

/** Logarithms of values by block. `zeroReplacement` replaces a value of 0; without it, a block with 0 is left out. */
export function logarithms(
  values: ReadonlyMap<number, number>,
  zeroReplacement: number | undefined,
): LogarithmSeries {
  const series = new Map<number, number>();
  for (const [block, value] of values) {
    const countedValue = value === 0 ? zeroReplacement : value;
    if (countedValue !== undefined) series.set(block, Math.log(countedValue));
  }
  return series;
}

/** Text of the differences that the audits state for an operation's times. */
function timeDifferencesIn({ trials }: TreatmentResult, operation: ComparedOperation): string {
  const all = trials.flatMap(({ integrity }) => integrity?.differences ?? []);
  const ofOperation = all.filter(({ operations }) => operations.includes(operation));
  return [...new Set(ofOperation.map(({ words }) => words))].sort().join();
}

/** True if treatments have a ratio: not all values are 0, and times begin and end alike. */
export function areComparable(
  treatments: readonly TreatmentResult[],
  operation: ComparedOperation,
  metric: ComparisonMetric,
): boolean {
  const isMeasured = treatments.some(({ trials }) =>
    trials.some((trial) => metricOf(trial, operation, metric)),
  );
  if (!isMeasured || metric === "eventsPerSecond") return isMeasured;
  return new Set(treatments.map((treatment) => timeDifferencesIn(treatment, operation))).size === 1;
}

/** Number that stands in for 0 in the series of these treatments; undefined if no trial has a 0. */
export function zeroReplacementIn(
  treatments: readonly TreatmentResult[],
  operation: ComparedOperation,
  metric: ComparisonMetric,
): number | undefined {
  const hasZero = treatments.some(({ trials }) =>
    trials.some((trial) => metricOf(trial, operation, metric) === 0),
  );
  return hasZero ? zeroReplacementFor(treatments, metric) : undefined;
}

/** Joins the values of all series block by block, over the blocks that all of them have. */
function combineSeries(all: readonly LogarithmSeries[], join: (values: number[]) => number): LogarithmSeries {
  const joinedSeries = new Map<number, number>();
  for (const block of all[0]?.keys() ?? []) {
    const values = all.flatMap((series) => series.get(block) ?? []);
    if (values.length === all.length) joinedSeries.set(block, join(values));
  }
  return joinedSeries;
}

/** Mean of several series of logarithms by block: the geometric mean of the metrics. */
export function meanSeries(all: readonly LogarithmSeries[]): LogarithmSeries {
  return combineSeries(all, mean);
}

/**
 * Logarithms by block, each with the difference of the places at which both sides ran; without `places`, the difference is
 * 0.
 */
export function differencesOf(series: LogarithmSeries, places: LogarithmSeries = new Map()): Differences {
  return new Map(
    [...series].map(([block, logarithm]) => [block, { logarithm, places: places.get(block) ?? 0 }]),
  );
}

export function ratioSeries(a: LogarithmSeries, b: LogarithmSeries): LogarithmSeries {
  return combineSeries([a, b], ([above = 0, below = 0]) => above - below);
}
