// Derived from plan, looks and trials alone: a run, its continuation and a reader of its files agree.
import { HEADLINE_METRICS, isHeadline } from "../../metrics/metric-lists.js";
import type {
  Comparison,
  ComparisonMetric,
  ResultDocument,
  TreatmentResult,
} from "../../results/result-schema.js";
import type { Quantity, StoppingRule } from "../../scenario/judgement.js";
import { metricIdOf } from "../../scenario/threshold-metrics.js";
import { levelOf, plannedLooks } from "../statistics/group-sequential.js";
import { BLOCKS_MIN, PLAIN_BOUNDS, type ClaimBounds } from "../statistics/limits.js";
import { compareTreatments } from "./comparisons.js";
import { factorEffects } from "./effects.js";
import { settling } from "./findings.js";
import { headlineComparisons } from "./noise-floor.js";
import { isSettled } from "./verdicts.js";

/**
 * Answers to all questions of an experiment under one error rate: comparisons and, if factors cross, effects and
 * interactions.
 */
export function settledDifferences(
  treatments: readonly TreatmentResult[],
  seed: number,
  bounds: ClaimBounds,
  metrics?: readonly ComparisonMetric[],
): Required<Pick<ResultDocument, "comparisons" | "effects" | "interactions">> {
  const comparisons = compareTreatments(treatments, seed, bounds, metrics);
  const { effects, interactions } = factorEffects(treatments, seed, bounds);
  const headlines = comparisons.filter(({ metric }) => isHeadline(metric));
  const settle = settling([...headlines, ...effects, ...interactions], seed, bounds);
  return {
    comparisons: comparisons.map(settle),
    effects: effects.map(settle),
    interactions: interactions.map(settle),
  };
}

/**
 * The comparisons that must be decided: of metrics that have thresholds or, without such thresholds, all headline
 * comparisons.
 */
export function claimsOfInterest(
  comparisons: readonly Comparison[],
  thresholds: readonly Quantity[],
): Comparison[] {
  const claims = headlineComparisons(comparisons);
  const named = claims.filter(({ operation, metric }) =>
    thresholds.some((each) => each.source === operation && metricIdOf(each) === metric),
  );
  return named.length > 0 ? named : claims;
}

export interface Look {
  readonly blocks: number;
  /** Comparisons that the experiment has to decide, in order. */
  readonly claims: readonly Comparison[];
  readonly open: readonly Comparison[];
}

export function evaluateLook(
  treatments: readonly TreatmentResult[],
  seed: number,
  bounds: ClaimBounds,
  thresholds: readonly Quantity[],
): Look {
  const claims = claimsOfInterest(
    settledDifferences(treatments, seed, bounds, HEADLINE_METRICS).comparisons,
    thresholds,
  );
  return { blocks: blocksOf(treatments), claims, open: claims.filter((each) => !isSettled(each)) };
}

export function blocksOf(treatments: readonly TreatmentResult[]): number {
  const complete = treatments.flatMap(({ trials }) => trials.filter(({ status }) => status === "complete"));
  return new Set(complete.map(({ block }) => block)).size;
}

/** Looks made up to a number of blocks, as ascending numbers of blocks: the planned looks and `others`. */
export function looksUpTo(
  blocks: number,
  { min, max }: Pick<StoppingRule, "min" | "max">,
  others: readonly number[] = [],
): number[] {
  const planned = min === undefined ? [] : plannedLooks(min, max);
  return [...new Set([...planned, ...others])].filter((look) => look <= blocks).sort((a, b) => a - b);
}

/** Bounds of claims if the last look is after `blocks` blocks. */
export function boundsAfter(
  blocks: number,
  { min, max, within, race }: StoppingRule,
  others: readonly number[],
): ClaimBounds {
  const equivalence = 1 + within;
  if (min === undefined) return { ...PLAIN_BOUNDS, equivalence };
  const now = Math.max(blocks, BLOCKS_MIN);
  const looks = looksUpTo(now, { min, max }, [...others, now]);
  // Treatments that left the race were last compared at an earlier look: the strictest level of all looks covers them.
  const last = race ? looks.map((_, i) => looks.slice(0, i + 1)) : [looks];
  return { level: Math.min(...last.map((each) => levelOf(each, max))), equivalence };
}
