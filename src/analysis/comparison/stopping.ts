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
import { levelAtLastLook, plannedLooks } from "../statistics/group-sequential.js";
import { BLOCKS_MIN, PLAIN_BOUNDS, type ClaimBounds } from "../statistics/limits.js";
import { compareTreatments } from "./comparisons.js";
import { factorEffects } from "./effects.js";
import { familySettler } from "./findings.js";
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
  const addFamilyVerdict = familySettler([...headlines, ...effects, ...interactions], seed, bounds);
  return {
    comparisons: comparisons.map(addFamilyVerdict),
    effects: effects.map(addFamilyVerdict),
    interactions: interactions.map(addFamilyVerdict),
  };
}

/**
 * The comparisons that must be decided: of metrics that have thresholds or, without such thresholds, all headline
 * comparisons.
 */
export function comparisonsToDecide(
  comparisons: readonly Comparison[],
  thresholds: readonly Quantity[],
): Comparison[] {
  const claims = headlineComparisons(comparisons);
  const comparisonsWithThreshold = claims.filter(({ operation, metric }) =>
    thresholds.some((each) => each.source === operation && metricIdOf(each) === metric),
  );
  return comparisonsWithThreshold.length > 0 ? comparisonsWithThreshold : claims;
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
  const claims = comparisonsToDecide(
    settledDifferences(treatments, seed, bounds, HEADLINE_METRICS).comparisons,
    thresholds,
  );
  return { blocks: completeBlockCount(treatments), claims, open: claims.filter((each) => !isSettled(each)) };
}

export function completeBlockCount(treatments: readonly TreatmentResult[]): number {
  const complete = treatments.flatMap(({ trials }) => trials.filter(({ status }) => status === "complete"));
  return new Set(complete.map(({ block }) => block)).size;
}

/** Looks made up to a number of blocks, as ascending numbers of blocks: the planned looks and `others`. */
export function looksUpTo(
  blocks: number,
  { min, max }: Pick<StoppingRule, "min" | "max">,
  others: readonly number[] = [],
): number[] {
  const plannedBlockCounts = min === undefined ? [] : plannedLooks(min, max);
  return [...new Set([...plannedBlockCounts, ...others])]
    .filter((look) => look <= blocks)
    .sort((a, b) => a - b);
}

/** Bounds of claims if the last look is after `blocks` blocks. */
export function boundsAfter(
  blocks: number,
  { min, max, within, race }: StoppingRule,
  others: readonly number[],
): ClaimBounds {
  const equivalence = 1 + within;
  if (min === undefined) return { ...PLAIN_BOUNDS, equivalence };
  const lookBlocks = Math.max(blocks, BLOCKS_MIN);
  const looks = looksUpTo(lookBlocks, { min, max }, [...others, lookBlocks]);
  // Treatments that left the race were last compared at an earlier look: the strictest level of all looks covers them.
  const lookPrefixes = race ? looks.map((_, i) => looks.slice(0, i + 1)) : [looks];
  return { level: Math.min(...lookPrefixes.map((each) => levelAtLastLook(each, max))), equivalence };
}
