// From questions to findings. A question sets one series of trials against another; a family is the questions that
// are asked together. It answers with a ratio, its bootstrap interval, a permutation test corrected by Holm over
// the family, and a verdict that needs test and interval to agree. With fewer than five blocks it claims nothing.
// docs/reference/statistics.md says why each choice was made.
import { deriveSeed, Prng } from "../../foundation/prng.js";
import type { RatioFinding } from "../../results/result-schema.js";
import {
  BLOCKS_MIN,
  nearOf,
  NEAR_SHARE,
  OUTLYING,
  PLAIN_BOUNDS,
  SIGNIFICANCE,
  type ClaimBounds,
} from "../statistics/limits.js";
import { isDifference } from "./noise-floor.js";
import { familyPValues } from "../statistics/family-test.js";
import { ratioSeries, type LogSeries } from "../steady-state/series.js";
import {
  bootstrapInterval,
  expandedConfidence,
  holm,
  leastPValue,
  leastTwoSamplePValue,
  median,
  medianOfSorted,
  signFlipPValue,
  studentInterval,
  twoSamplePValue,
} from "../statistics/statistics.js";

/** Are `values` higher or lower than `reference`? */
export interface Question {
  /** Seeds the resampling of this question apart from all others. */
  readonly key: string;
  readonly reference: LogSeries;
  readonly values: LogSeries;
  /** Whether a trial of either side is beyond a factor of two of its own median (`outlying-trials.ts`). */
  readonly hasOutlyingTrial?: boolean;
}

/** An answer, with the differences over blocks that the test of the whole family is made of. */
export type Asked = RatioFinding & { readonly differences: LogSeries };

function fewest(family: number, level: number, leastP: (trials: number) => number): number {
  let trials = BLOCKS_MIN;
  while (leastP(trials) * family > level) trials++;
  return trials;
}

/** Blocks from which on the paired test can be significant for one of `family` questions. */
export function pairedTrialsNeeded(family: number, level = SIGNIFICANCE): number {
  return fewest(family, level, leastPValue);
}

/** Trials of each treatment without which no verdict on `family` questions can be significant, however clear. */
export function trialsNeeded(family: number, level = SIGNIFICANCE): number {
  return Math.min(fewest(family, level, leastTwoSamplePValue), pairedTrialsNeeded(family, level));
}

/** Whether single ratios (logarithms) agree that there is no difference: nearly all of them near 1, and none far away. */
function areNear(ratios: readonly number[], equivalence: number): boolean {
  const near = ratios.filter((ratio) => Math.abs(ratio) <= Math.log(nearOf(equivalence))).length;
  return near >= NEAR_SHARE * ratios.length && ratios.every((ratio) => Math.abs(ratio) <= Math.log(OUTLYING));
}

/** Higher or lower needs test and interval to agree; indistinguishable needs the interval to be near 1, and `isSteady`. */
export function verdictOf(
  finding: Omit<RatioFinding, "verdict">,
  isSteady: boolean,
  { equivalence } = PLAIN_BOUNDS,
): RatioFinding["verdict"] {
  const { ciLow, ciHigh, pAdjusted } = finding;
  if (ciLow === null || ciHigh === null || pAdjusted === null) return "inconclusive";
  if (pAdjusted <= SIGNIFICANCE && ciLow > 1) return "higher";
  if (pAdjusted <= SIGNIFICANCE && ciHigh < 1) return "lower";
  const isSame = ciLow >= 1 / equivalence && ciHigh <= equivalence;
  return isSame && isSteady ? "indistinguishable" : "inconclusive";
}

/**
 * Median with its bootstrap interval, which misses in about `level` of all cases; null ends where there are too few values.
 * A median's interval cannot reach beyond the least and the largest value, and those of few values miss in 2 / 2^n. Where
 * looks were paid for and that is not enough, the interval is no narrower than that of Student's t around the mean.
 */
export function medianWithInterval(
  values: readonly number[],
  seed: number,
  level = SIGNIFICANCE,
): { median: number; ciLow: number | null; ciHigh: number | null } {
  if (values.length < BLOCKS_MIN) return { median: median(values), ciLow: null, ciHigh: null };
  const confidence = expandedConfidence(values.length, level);
  const { low, high } = bootstrapInterval(values, medianOfSorted, new Prng(seed), confidence);
  if (level === SIGNIFICANCE || leastPValue(values.length) <= level)
    return { median: median(values), ciLow: low, ciHigh: high };
  const wide = studentInterval(values, level);
  return { median: median(values), ciLow: Math.min(low, wide.low), ciHigh: Math.max(high, wide.high) };
}

/** Values of these blocks, in the order of blocks. */
function inOrder(series: LogSeries, blocks: LogSeries): number[] {
  return [...blocks.keys()].sort((a, b) => a - b).flatMap((block) => series.get(block) ?? []);
}

/** Median of the ratios over blocks, with its interval; undefined where not one block has both sides. */
export function pairedRatio(
  { key, values, reference }: Question,
  seed: number,
  level = SIGNIFICANCE,
): Pick<Asked, "blocks" | "ratio" | "ciLow" | "ciHigh" | "differences"> | undefined {
  const differences = ratioSeries(values, reference);
  if (differences.size === 0) return undefined;
  const ratios = inOrder(differences, differences);
  const {
    median: logRatio,
    ciLow,
    ciHigh,
  } = medianWithInterval(ratios, deriveSeed(seed, "finding", key), level);
  return {
    blocks: ratios.length,
    ratio: Math.exp(logRatio),
    ciLow: ciLow === null ? null : Math.exp(ciLow),
    ciHigh: ciHigh === null ? null : Math.exp(ciHigh),
    differences,
  };
}

type Unadjusted = Omit<Asked, "verdict" | "pAdjusted">;

function answer(question: Question, pairedFrom: number, seed: number, level: number): Unadjusted | undefined {
  const paired = pairedRatio(question, seed, level);
  if (!paired) return undefined;
  const { blocks, differences } = paired;
  if (blocks < BLOCKS_MIN) return { ...paired, test: null, pValue: null };
  const prng = new Prng(deriveSeed(deriveSeed(seed, "finding", question.key), "test"));
  const isPaired = blocks >= pairedFrom;
  const pValue = isPaired
    ? signFlipPValue(inOrder(differences, differences), prng)
    : twoSamplePValue(inOrder(question.reference, differences), inOrder(question.values, differences), prng);
  return { ...paired, test: isPaired ? "paired" : "unpaired", pValue };
}

/** One answer for each question, in order; undefined where not one block has both sides. */
export function findingsOf(
  family: readonly Question[],
  seed: number,
  bounds: ClaimBounds = PLAIN_BOUNDS,
): (Asked | undefined)[] {
  const { level, equivalence } = bounds;
  const answers = family.map(({ values, reference }) => ratioSeries(values, reference).size);
  const testable = answers.filter((blocks) => blocks >= BLOCKS_MIN).length;
  const pairedFrom = pairedTrialsNeeded(Math.max(1, testable), level);
  return adjusted(
    family.map((question) => answer(question, pairedFrom, seed, level)),
    level,
  ).map((each, i) => {
    const isNear = areNear([...(each?.differences.values() ?? [])], equivalence);
    return each && { ...each, verdict: verdictOf(each, isNear && !family[i]?.hasOutlyingTrial, bounds) };
  });
}

/** A p-value as it counts at 5 % where it may claim at `level` only. */
export function pricedP(p: number, level: number): number {
  return Math.min(1, (p * SIGNIFICANCE) / level);
}

/** Answers with Holm's correction over those that have a p-value, and with what earlier looks cost. */
export function adjusted<T extends { readonly pValue: number | null }>(
  answers: readonly (T | undefined)[],
  level = SIGNIFICANCE,
): ((T & { pAdjusted: number | null }) | undefined)[] {
  const corrected = holm(answers.flatMap((each) => each?.pValue ?? [])).map((p) => pricedP(p, level));
  return answers.map(
    (each) => each && { ...each, pAdjusted: each.pValue === null ? null : (corrected.shift() ?? null) },
  );
}

/**
 * Puts what is asked of an experiment under one error rate. The function that it gives says of each answer, in place of its
 * differences, what its p-value is among all of them, and whether it is a finding; one outside of the family is none.
 */
export function settling(
  family: readonly Asked[],
  seed: number,
  { level } = PLAIN_BOUNDS,
): <T extends Asked>(each: T) => Omit<T, "differences"> & { familyP: number | null; isFinding: boolean } {
  const testable = family.filter(({ blocks }) => blocks >= BLOCKS_MIN);
  const prng = new Prng(deriveSeed(seed, "family"));
  const pValues = familyPValues(
    testable.map(({ differences }) => differences),
    prng,
  ).map((p) => pricedP(p, level));
  const known = new Map(testable.map((each, i) => [each, pValues[i] ?? null]));
  return (each) => {
    const { differences, ...answer } = each;
    const familyP = known.get(each) ?? null;
    return {
      ...answer,
      familyP,
      isFinding: familyP !== null && familyP <= SIGNIFICANCE && isDifference(each),
    };
  };
}
