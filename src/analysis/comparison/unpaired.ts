// Findings about series that share no blocks: two runs of an experiment, days or versions apart. Nothing ties the
// third trial of one to the third of the other, so the ratio is of the two medians, its interval resamples either
// side by itself, and the test deals all trials out again. Correction and verdict are those of `findings.ts`.
import { deriveSeed, Prng } from "../../foundation/prng.js";
import type { RatioFinding } from "../../results/result-schema.js";
import { BLOCKS_MIN, type ClaimBounds } from "../statistics/limits.js";
import { expandedConfidence, median, quantile, twoSamplePValue } from "../statistics/statistics.js";
import { adjusted, verdictOf, type Question } from "./findings.js";

const RESAMPLES = 10_000;

function resampledMedian(values: readonly number[], prng: Prng, sample: Float64Array): number {
  for (let i = 0; i < values.length; i++) sample[i] = values[prng.intBetween(0, values.length - 1)] as number;
  return median(sample);
}

/** Bootstrap interval of the difference of two medians. */
function medianDifferenceInterval(
  reference: readonly number[],
  values: readonly number[],
  prng: Prng,
  level: number,
): { low: number; high: number } {
  const [a, b] = [new Float64Array(reference.length), new Float64Array(values.length)];
  const differences = Float64Array.from(
    { length: RESAMPLES },
    () => resampledMedian(values, prng, b) - resampledMedian(reference, prng, a),
  );
  const tail = (1 - expandedConfidence(Math.min(reference.length, values.length), level)) / 2;
  return { low: quantile(differences, tail), high: quantile(differences, 1 - tail) };
}

type Unadjusted = Omit<RatioFinding, "verdict" | "pAdjusted">;

function answer(question: Question, seed: number, level: number): Unadjusted | undefined {
  const reference = [...question.reference.values()];
  const values = [...question.values.values()];
  const trials = Math.min(reference.length, values.length);
  if (trials === 0) return undefined;
  const prng = new Prng(deriveSeed(seed, "unpaired", question.key));
  const ratio = Math.exp(median(values) - median(reference));
  if (trials < BLOCKS_MIN)
    return { blocks: trials, ratio, ciLow: null, ciHigh: null, test: null, pValue: null };
  const { low, high } = medianDifferenceInterval(reference, values, prng, level);
  const pValue = twoSamplePValue(reference, values, prng);
  return { blocks: trials, ratio, ciLow: Math.exp(low), ciHigh: Math.exp(high), test: "unpaired", pValue };
}

/** One finding for each question, in order; undefined where a side has no trial. `blocks` is the fewer trials' number. */
export function unpairedFindingsOf(
  family: readonly Question[],
  seed: number,
  bounds: ClaimBounds,
): (RatioFinding | undefined)[] {
  return adjusted(
    family.map((question) => answer(question, seed, bounds.level)),
    bounds.level,
  ).map((each, i) => each && { ...each, verdict: verdictOf(each, !family[i]?.hasOutlyingTrial, bounds) });
}
