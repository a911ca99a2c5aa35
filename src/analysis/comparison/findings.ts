// Questions set one series of trials against another; a family of questions shares one error rate (Holm). A verdict needs test and
// interval to agree, and five blocks. docs/reference/statistics.md says why each choice was made.
import { deriveSeed, Prng } from "../../foundation/prng.js";
import type { RatioFinding } from "../../results/result-schema.js";
import { familyPValues } from "../statistics/family-test.js";
import {
  BLOCKS_MIN,
  nearFactor,
  NEAR_BLOCK_SHARE_MIN,
  PLAIN_BOUNDS,
  SIGNIFICANCE_LEVEL,
  type ClaimBounds,
} from "../statistics/limits.js";
import { meanWithoutPlaces, logsWithoutPlaces, type Differences } from "../statistics/place-effect.js";
import {
  bootstrapInterval,
  expandedConfidence,
  holmAdjusted,
  median,
  medianOfSorted,
  rangeMissChance,
  studentInterval,
  studentPValue,
} from "../statistics/statistics.js";
import { differencesOf, ratioSeries, type LogarithmSeries } from "../steady-state/series.js";
import { isDifference } from "./verdicts.js";

/** Question of a comparison: are `values` higher or lower than `reference`? */
export interface Question {
  /** Key that makes the resampling of this question independent of all others. */
  readonly key: string;
  readonly reference: LogarithmSeries;
  readonly values: LogarithmSeries;
  /**
   * Number of places by which each block's trial of `values` ran after the trial of `reference`; the effect of places is
   * taken out.
   */
  readonly places?: LogarithmSeries;
  /** True if a trial of either side differs from its side's median by more than a factor of two (`outlying-trials.ts`). */
  readonly hasOutlyingTrial?: boolean;
  /** Reason why the question gets no verdict: trials of either side are not valid. */
  readonly objection?: string | undefined;
}

/** An answer with its differences by block, from which the test of the whole family is computed. */
export type BlockFinding = RatioFinding & { readonly differences: Differences };

/** Number of robust standard deviations beyond which the ratio of a block cannot be noise. */
const NOISE_DEVIATIONS_MAX = 4;
/** Factor from the median absolute deviation of normal values to their standard deviation. */
const STANDARD_DEVIATION_PER_MAD = 1.4826;

/**
 * True if the ratios of single blocks (as logarithms) agree that there is no difference: nearly all are near 1, and none is
 * far from the others.
 */
export function areRatiosNearOne(ratios: readonly number[], equivalence: number): boolean {
  const lnNearFactor = Math.log(nearFactor(equivalence));
  const middle = median(ratios);
  const spread = STANDARD_DEVIATION_PER_MAD * median(ratios.map((ratio) => Math.abs(ratio - middle)));
  const isWithinNoise = (ratio: number): boolean =>
    Math.abs(ratio) <= Math.max(lnNearFactor, NOISE_DEVIATIONS_MAX * spread);
  return (
    ratios.filter((ratio) => Math.abs(ratio) <= lnNearFactor).length >=
      NEAR_BLOCK_SHARE_MIN * ratios.length && ratios.every(isWithinNoise)
  );
}

/**
 * Verdict of a comparison without its family of questions, at most exploratory. Indistinguishable requires an interval near
 * 1 and `areBlocksSteady`.
 */
export function verdictOf(
  finding: Omit<RatioFinding, "verdict">,
  areBlocksSteady: boolean,
  { equivalence } = PLAIN_BOUNDS,
): RatioFinding["verdict"] {
  const { ciLow, ciHigh, pAdjusted } = finding;
  if (ciLow === null || ciHigh === null || pAdjusted === null) return "inconclusive";
  if (pAdjusted <= SIGNIFICANCE_LEVEL && (ciLow > 1 || ciHigh < 1)) return "exploratory";
  const isWithinEquivalence = ciLow >= 1 / equivalence && ciHigh <= equivalence;
  return isWithinEquivalence && areBlocksSteady ? "indistinguishable" : "inconclusive";
}

/**
 * Median of the values with a bootstrap interval that misses in about `level` of all cases; ends are null with too few
 * values. The interval of a median cannot reach beyond the least and the largest value. If the sample is too small for
 * that, the interval is at least as wide as Student's t interval around `mean`, which is by default the mean of the values.
 */
export function medianWithInterval(
  values: readonly number[],
  seed: number,
  level = SIGNIFICANCE_LEVEL,
  mean = meanWithoutPlaces(values.map((logarithm) => ({ logarithm, places: 0 }))),
): { median: number; ciLow: number | null; ciHigh: number | null } {
  if (values.length < BLOCKS_MIN) return { median: median(values), ciLow: null, ciHigh: null };
  const confidence = expandedConfidence(values.length, level, mean.degrees);
  const { low, high } = bootstrapInterval(values, medianOfSorted, new Prng(seed), confidence);
  if (rangeMissChance(mean.degrees + 1) <= level) return { median: median(values), ciLow: low, ciHigh: high };
  const tInterval = studentInterval(mean, level);
  return {
    median: median(values),
    ciLow: Math.min(low, tInterval.low),
    ciHigh: Math.max(high, tInterval.high),
  };
}

/** Median and interval of values of 0 or more, computed on logarithms unless a value is 0. */
export function medianSummary(
  values: readonly number[],
  seed: number,
): { median: number; ciLow: number | null; ciHigh: number | null } {
  const hasZero = values.some((value) => value <= 0);
  const { ciLow, ciHigh } = medianWithInterval(hasZero ? values : values.map(Math.log), seed);
  const intervalEndOf = (end: number | null): number | null =>
    end === null ? null : hasZero ? Math.max(0, end) : Math.exp(end);
  return { median: median(values), ciLow: intervalEndOf(ciLow), ciHigh: intervalEndOf(ciHigh) };
}

/** Median over blocks of the ratios of `values` to `reference`, with its interval; undefined if no block has both sides. */
export function pairedRatio(
  { key, values, reference, places }: Question,
  seed: number,
  level = SIGNIFICANCE_LEVEL,
): Pick<BlockFinding, "blocks" | "ratio" | "ciLow" | "ciHigh" | "differences"> | undefined {
  const series = [...ratioSeries(values, reference)].sort(([a], [b]) => a - b);
  if (series.length === 0) return undefined;
  const differences = differencesOf(new Map(series), places);
  const blockDifferences = [...differences.values()];
  const intervalSeed = deriveSeed(seed, "finding", key);
  const logRatio = medianWithInterval(
    logsWithoutPlaces(blockDifferences),
    intervalSeed,
    level,
    meanWithoutPlaces(blockDifferences),
  );
  return {
    blocks: blockDifferences.length,
    ratio: Math.exp(logRatio.median),
    ciLow: logRatio.ciLow === null ? null : Math.exp(logRatio.ciLow),
    ciHigh: logRatio.ciHigh === null ? null : Math.exp(logRatio.ciHigh),
    differences,
  };
}

type UnadjustedFinding = Omit<BlockFinding, "verdict" | "pAdjusted">;

function answerQuestion(question: Question, seed: number, level: number): UnadjustedFinding | undefined {
  const ratioEstimate = pairedRatio(question, seed, level);
  if (!ratioEstimate) return undefined;
  if (ratioEstimate.blocks < BLOCKS_MIN) return { ...ratioEstimate, test: null, pValue: null };
  const pValue = studentPValue(meanWithoutPlaces([...ratioEstimate.differences.values()]));
  return { ...ratioEstimate, test: "paired", pValue };
}

/** Answers to the questions, in their order; an answer is undefined if no block has both sides. */
export function findingsOf(
  family: readonly Question[],
  seed: number,
  bounds: ClaimBounds = PLAIN_BOUNDS,
): (BlockFinding | undefined)[] {
  const { level, equivalence } = bounds;
  return withAdjustedP(
    family.map((question) => answerQuestion(question, seed, level)),
    level,
  ).map((each, i) => {
    if (!each) return undefined;
    const areBlocksNear = areRatiosNearOne(logsWithoutPlaces([...each.differences.values()]), equivalence);
    const { hasOutlyingTrial = false, objection } = family[i] ?? {};
    if (objection !== undefined) return { ...each, verdict: "inconclusive", objection };
    return { ...each, verdict: verdictOf(each, areBlocksNear && !hasOutlyingTrial, bounds) };
  });
}

/** P-value times 5 % / `level`: comparing it with 5 % is comparing the original with `level`. */
export function scaledPValue(p: number, level: number): number {
  return Math.min(1, (p * SIGNIFICANCE_LEVEL) / level);
}

export function withAdjustedP<T extends { readonly pValue: number | null }>(
  answers: readonly (T | undefined)[],
  level = SIGNIFICANCE_LEVEL,
): ((T & { pAdjusted: number | null }) | undefined)[] {
  const correctedPValues = holmAdjusted(answers.flatMap((each) => each?.pValue ?? [])).map((p) =>
    scaledPValue(p, level),
  );
  return answers.map(
    (each) =>
      each && { ...each, pAdjusted: each.pValue === null ? null : (correctedPValues.shift() ?? null) },
  );
}

/**
 * Puts all questions of an experiment under one error rate. The returned function replaces the differences of an answer by
 * its p-value within the family, and makes an exploratory answer of the family a finding if that p-value is significant.
 */
export function familySettler(
  family: readonly BlockFinding[],
  seed: number,
  { level } = PLAIN_BOUNDS,
): <T extends BlockFinding>(each: T) => Omit<T, "differences"> & { familyP: number | null } {
  const testableAnswers = family.filter(({ blocks }) => blocks >= BLOCKS_MIN);
  const prng = new Prng(deriveSeed(seed, "family"));
  const pValues = familyPValues(
    testableAnswers.map(({ differences }) => differences),
    prng,
  ).map((p) => scaledPValue(p, level));
  const pValueByAnswer = new Map(testableAnswers.map((each, i) => [each, pValues[i] ?? null]));
  return (each) => {
    const { differences, ...answer } = each;
    const familyP = pValueByAnswer.get(each) ?? null;
    const isFinding = familyP !== null && familyP <= SIGNIFICANCE_LEVEL && isDifference(each);
    return { ...answer, ...(isFinding && { verdict: "finding" as const }), familyP };
  };
}
