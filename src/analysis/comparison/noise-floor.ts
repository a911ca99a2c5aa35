// A/A pairs differ by noise alone: a difference that is no larger deserves no belief.
import { isHeadline } from "../../metrics/metric-lists.js";
import type { ComparedOperation, Comparison, ComparisonMetric } from "../../results/result-schema.js";
import { isDifference } from "./verdicts.js";

/** Name in place of a factor in comparisons of treatments with the same settings (A/A pairs). */
export const NO_FACTOR = "none";

/** Comparisons of headline metrics between treatments with different settings; the headline counts these. */
export function headlineComparisons(comparisons: readonly Comparison[]): Comparison[] {
  return comparisons.filter(({ factor, metric }) => factor !== NO_FACTOR && isHeadline(metric));
}

export function replicaComparisons(comparisons: readonly Comparison[]): Comparison[] {
  return comparisons.filter(({ factor }) => factor === NO_FACTOR);
}

/** Largest distance from 1 among the ratio and the ends of its interval, as a factor of 1 or more. */
function distanceFromOne({ ratio, ciLow, ciHigh }: Comparison): number {
  return Math.max(...[ratio, ciLow ?? ratio, ciHigh ?? ratio].map((end) => Math.max(end, 1 / end)));
}

/** Largest factor by which A/A pairs, which have the same settings, differed; undefined without an A/A pair. */
export function noiseFloor(
  comparisons: readonly Comparison[],
  operation: ComparedOperation,
  metric: ComparisonMetric,
): number | undefined {
  const pairs = replicaComparisons(comparisons).filter(
    (comparison) => comparison.operation === operation && comparison.metric === metric,
  );
  return pairs.length > 0 ? Math.max(...pairs.map(distanceFromOne)) : undefined;
}

/** True if the claim is a finding of the experiment, and A/A pairs do not make it look like noise. */
export function isFindingAboveNoise(claim: Comparison, comparisons: readonly Comparison[]): boolean {
  return claim.verdict === "finding" && !isWithinNoiseFloor(claim, comparisons);
}

/** True if a claimed difference is no larger than the differences of A/A pairs, which have the same settings. */
export function isWithinNoiseFloor(claim: Comparison, comparisons: readonly Comparison[]): boolean {
  if (claim.factor === NO_FACTOR || !isDifference(claim)) return false;
  const floor = noiseFloor(comparisons, claim.operation, claim.metric);
  return floor !== undefined && Math.max(claim.ratio, 1 / claim.ratio) <= floor;
}
