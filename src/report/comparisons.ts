// Compares every treatment with the first one, operation by operation and metric by metric. The replicate is the
// trial: trials of one block ran under the same seed and near each other in time, so they are paired, and the ratio
// is taken on the log scale. It claims a difference only where a permutation test, corrected for the number of
// treatments asked about, and the interval agree; with fewer than five pairs it claims nothing at all.
import { deriveSeed, Prng } from "../foundation/prng.js";
import { OPERATIONS, type Operation } from "../metrics/operations.js";
import {
  COMPARISON_METRICS,
  type Comparison,
  type ComparisonMetric,
  type TreatmentResult,
  type TrialResult,
} from "../results/result-schema.js";
import { bootstrapInterval, holm, leastPValue, median, signFlipPValue } from "./statistics.js";

/** Fewer pairs than this are inconclusive, whatever they show. */
export const BLOCKS_MIN = 5;
const SIGNIFICANCE = 0.05;
/** Treatments whose ratio is surely within this factor of 1 are called indistinguishable. */
const EQUIVALENCE = 1.05;

/** Trials of each treatment without which no verdict on `family` treatments can be significant, however clear. */
export function trialsNeeded(family: number): number {
  let trials = BLOCKS_MIN;
  while (leastPValue(trials) * family > SIGNIFICANCE) trials++;
  return trials;
}

/** The value of a metric in one trial; undefined where the trial is not complete or has no samples. */
export function metricOf(
  trial: TrialResult,
  operation: Operation,
  metric: ComparisonMetric,
): number | undefined {
  const result = trial.status === "complete" ? trial.operations[operation] : undefined;
  if (!result) return undefined;
  return metric === "eventsPerSecond" ? result.eventsPerSecond : result.responseTimeMs?.[metric];
}

/** The factors whose levels differ, as one name. */
function differingFactors(baseline: TreatmentResult, treatment: TreatmentResult): string {
  const factors = new Set([...Object.keys(baseline.levels), ...Object.keys(treatment.levels)]);
  const differing = [...factors].filter((factor) => baseline.levels[factor] !== treatment.levels[factor]);
  return differing.join(" x ") || "none";
}

/** ln(treatment / baseline) for each block that has both, in the order of the blocks. */
function logRatios(
  baseline: TreatmentResult,
  treatment: TreatmentResult,
  operation: Operation,
  metric: ComparisonMetric,
): number[] {
  const ratios: { block: number; logRatio: number }[] = [];
  for (const trial of treatment.trials) {
    const partner = baseline.trials.find((candidate) => candidate.block === trial.block);
    const value = metricOf(trial, operation, metric);
    const reference = partner && metricOf(partner, operation, metric);
    if (value && reference) ratios.push({ block: trial.block, logRatio: Math.log(value / reference) });
  }
  return ratios.sort((a, b) => a.block - b.block).map((pair) => pair.logRatio);
}

function verdictOf(comparison: Omit<Comparison, "verdict">): Comparison["verdict"] {
  const { ciLow, ciHigh, pAdjusted } = comparison;
  if (ciLow === null || ciHigh === null || pAdjusted === null) return "inconclusive";
  if (pAdjusted <= SIGNIFICANCE && ciLow > 1) return "higher";
  if (pAdjusted <= SIGNIFICANCE && ciHigh < 1) return "lower";
  return ciLow >= 1 / EQUIVALENCE && ciHigh <= EQUIVALENCE ? "indistinguishable" : "inconclusive";
}

function compare(
  baseline: TreatmentResult,
  treatment: TreatmentResult,
  operation: Operation,
  metric: ComparisonMetric,
  seed: number,
): Omit<Comparison, "verdict" | "pAdjusted"> | undefined {
  const logs = logRatios(baseline, treatment, operation, metric);
  if (logs.length === 0) return undefined;
  const isTestable = logs.length >= BLOCKS_MIN;
  const prng = new Prng(deriveSeed(seed, "comparison", treatment.id, operation, metric));
  const interval = isTestable ? bootstrapInterval(logs, median, prng) : undefined;
  return {
    factor: differingFactors(baseline, treatment),
    operation,
    metric,
    baseline: baseline.id,
    treatment: treatment.id,
    blocks: logs.length,
    ratio: Math.exp(median(logs)),
    ciLow: interval ? Math.exp(interval.low) : null,
    ciHigh: interval ? Math.exp(interval.high) : null,
    pValue: isTestable ? signFlipPValue(logs, prng) : null,
  };
}

/**
 * All comparisons with the first treatment. One family of tests is one question, "which treatments differ in this
 * metric of this operation?", so Holm's correction is over the treatments compared.
 */
export function compareTreatments(treatments: readonly TreatmentResult[], seed: number): Comparison[] {
  const [baseline, ...others] = treatments;
  if (!baseline) return [];
  return OPERATIONS.flatMap((operation) =>
    COMPARISON_METRICS.flatMap((metric) => {
      const family = others.flatMap(
        (treatment) => compare(baseline, treatment, operation, metric, seed) ?? [],
      );
      const adjusted = holm(family.flatMap((comparison) => comparison.pValue ?? []));
      return family.map((comparison) => {
        const pAdjusted = comparison.pValue === null ? null : (adjusted.shift() ?? null);
        return { ...comparison, pAdjusted, verdict: verdictOf({ ...comparison, pAdjusted }) };
      });
    }),
  );
}
