// Every treatment against the first one, and A/A pairs against each other. The replicate is the trial.
import {
  comparedOperations,
  COMPARISON_METRICS,
  type ComparedOperation,
  type Comparison,
  type ComparisonMetric,
  type TreatmentResult,
} from "../../results/result-schema.js";
import { PLAIN_BOUNDS, type ClaimBounds } from "../statistics/limits.js";
import { objectionToMetric } from "../diagnosis/validity.js";
import { findingsOf, type BlockFinding } from "./findings.js";
import { NO_FACTOR } from "./noise-floor.js";
import { hasOutlyingTrial } from "./outlying-trials.js";
import {
  areComparable,
  logarithmSeries,
  placeSeries,
  ratioSeries,
  zeroReplacementIn,
} from "../steady-state/series.js";

function differingFactors(baseline: TreatmentResult, treatment: TreatmentResult): string {
  if (isReplica(baseline, treatment)) return NO_FACTOR;
  const factors = new Set([...Object.keys(baseline.levels), ...Object.keys(treatment.levels)]);
  const unequalFactors = [...factors].filter(
    (factor) => baseline.levels[factor] !== treatment.levels[factor],
  );
  return unequalFactors.join(" x ") || NO_FACTOR;
}

function isReplica(baseline: TreatmentResult, treatment: TreatmentResult): boolean {
  return treatment.sameAs === baseline.id;
}

type Pair = readonly [baseline: TreatmentResult, treatment: TreatmentResult];

function compareFamily(
  pairs: readonly Pair[],
  operation: ComparedOperation,
  metric: ComparisonMetric,
  seed: number,
  bounds: ClaimBounds,
): (Comparison & BlockFinding)[] {
  const comparablePairs = pairs.filter((pair) => areComparable(pair, operation, metric));
  const questions = comparablePairs.map(([baseline, treatment]) => ({
    key: ["comparison", baseline.id, treatment.id, operation, metric].join("\n"),
    reference: logarithmSeries(baseline, operation, metric, [baseline, treatment]),
    values: logarithmSeries(treatment, operation, metric, [baseline, treatment]),
    places: ratioSeries(placeSeries(treatment), placeSeries(baseline)),
    hasOutlyingTrial: hasOutlyingTrial([baseline, treatment], operation),
    objection: objectionToMetric(metric, [baseline, treatment]),
  }));
  return findingsOf(questions, seed, bounds).flatMap((finding, i) => {
    const [baseline, treatment] = comparablePairs[i] as Pair;
    if (!finding) return [];
    const factor = differingFactors(baseline, treatment);
    const zeroReplacement = zeroReplacementIn([baseline, treatment], operation, metric);
    const comparisonSubject = { factor, operation, metric, baseline: baseline.id, treatment: treatment.id };
    return [
      { ...comparisonSubject, ...finding, ...(zeroReplacement !== undefined && { zeroAs: zeroReplacement }) },
    ];
  });
}

/**
 * All comparisons with the first treatment, and of A/A pairs. Holm's correction is over the treatments compared in one
 * metric of one operation. A/A pairs ask another question and are a separate family.
 */
export function compareTreatments(
  treatments: readonly TreatmentResult[],
  seed: number,
  bounds: ClaimBounds = PLAIN_BOUNDS,
  metrics: readonly ComparisonMetric[] = COMPARISON_METRICS,
): (Comparison & BlockFinding)[] {
  const [baseline, ...others] = treatments;
  if (!baseline) return [];
  const baselinePairs = others.flatMap((treatment): Pair[] =>
    isReplica(baseline, treatment) ? [] : [[baseline, treatment]],
  );
  const replicaPairs = others.flatMap((treatment) =>
    treatments.flatMap((original): Pair[] => (isReplica(original, treatment) ? [[original, treatment]] : [])),
  );
  return comparedOperations(treatments).flatMap((operation) =>
    metrics.flatMap((metric) => [
      ...compareFamily(baselinePairs, operation, metric, seed, bounds),
      ...compareFamily(replicaPairs, operation, metric, seed, bounds),
    ]),
  );
}
