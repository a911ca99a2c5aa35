// From questions to findings. A question sets one series of trials against another; a family is the questions that
// are asked together. It answers with a ratio, its bootstrap interval, a permutation test corrected by Holm over
// the family, and a verdict that needs test and interval to agree. With fewer than five blocks it claims nothing.
// docs/statistics.md says why each choice was made.
import { deriveSeed, Prng } from "../foundation/prng.js";
import type { RatioFinding } from "../results/result-schema.js";
import { EQUIVALENCE } from "./equivalence.js";
import type { LogSeries } from "./series.js";
import {
  bootstrapInterval,
  expandedConfidence,
  holm,
  leastPValue,
  leastTwoSamplePValue,
  median,
  signFlipPValue,
  twoSamplePValue,
} from "./statistics.js";

/** Fewer blocks than this are inconclusive, whatever they show. */
export const BLOCKS_MIN = 5;
const SIGNIFICANCE = 0.05;

/** Are `values` higher or lower than `reference`? */
export interface Question {
  /** Seeds the resampling of this question apart from all others. */
  readonly key: string;
  readonly reference: LogSeries;
  readonly values: LogSeries;
}

function fewest(family: number, leastP: (trials: number) => number): number {
  let trials = BLOCKS_MIN;
  while (leastP(trials) * family > SIGNIFICANCE) trials++;
  return trials;
}

/** Blocks from which on the paired test can be significant for one of `family` questions. */
export function pairedTrialsNeeded(family: number): number {
  return fewest(family, leastPValue);
}

/** Trials of each treatment without which no verdict on `family` questions can be significant, however clear. */
export function trialsNeeded(family: number): number {
  return Math.min(fewest(family, leastTwoSamplePValue), pairedTrialsNeeded(family));
}

/** The values of both series in the blocks that both have, in the order of the blocks. */
function paired({ reference, values }: Question): { reference: number[]; values: number[] } {
  const blocks = [...values.keys()].filter((block) => reference.has(block)).sort((a, b) => a - b);
  const pick = (series: LogSeries): number[] => blocks.flatMap((block) => series.get(block) ?? []);
  return { reference: pick(reference), values: pick(values) };
}

/** Higher or lower needs test and interval to agree; indistinguishable needs the interval to be near 1 as a whole. */
export function verdictOf(finding: Omit<RatioFinding, "verdict">): RatioFinding["verdict"] {
  const { ciLow, ciHigh, pAdjusted } = finding;
  if (ciLow === null || ciHigh === null || pAdjusted === null) return "inconclusive";
  if (pAdjusted <= SIGNIFICANCE && ciLow > 1) return "higher";
  if (pAdjusted <= SIGNIFICANCE && ciHigh < 1) return "lower";
  return ciLow >= 1 / EQUIVALENCE && ciHigh <= EQUIVALENCE ? "indistinguishable" : "inconclusive";
}

/** Median with its bootstrap interval over blocks; null ends where there are too few. */
export function medianWithInterval(
  values: readonly number[],
  seed: number,
): { median: number; ciLow: number | null; ciHigh: number | null } {
  if (values.length < BLOCKS_MIN) return { median: median(values), ciLow: null, ciHigh: null };
  const interval = bootstrapInterval(values, median, new Prng(seed), expandedConfidence(values.length));
  return { median: median(values), ciLow: interval.low, ciHigh: interval.high };
}

type Unadjusted = Omit<RatioFinding, "verdict" | "pAdjusted">;

function answer(question: Question, pairedFrom: number, seed: number): Unadjusted | undefined {
  const { reference, values } = paired(question);
  const blocks = values.length;
  if (blocks === 0) return undefined;
  const ratios = values.map((value, i) => value - (reference[i] as number));
  const ownSeed = deriveSeed(seed, "finding", question.key);
  const { median: logRatio, ciLow, ciHigh } = medianWithInterval(ratios, ownSeed);
  const prng = new Prng(deriveSeed(ownSeed, "test"));
  const test = blocks < BLOCKS_MIN ? null : blocks >= pairedFrom ? "paired" : "unpaired";
  const pValue = test === "paired" ? signFlipPValue(ratios, prng) : twoSamplePValue(reference, values, prng);
  return {
    blocks,
    ratio: Math.exp(logRatio),
    ciLow: ciLow === null ? null : Math.exp(ciLow),
    ciHigh: ciHigh === null ? null : Math.exp(ciHigh),
    test,
    pValue: test === null ? null : pValue,
  };
}

/** One finding for each question, in order; undefined where not one block has both sides. */
export function findingsOf(family: readonly Question[], seed: number): (RatioFinding | undefined)[] {
  const testable = family.filter((question) => paired(question).values.length >= BLOCKS_MIN).length;
  const pairedFrom = pairedTrialsNeeded(Math.max(1, testable));
  const answers = family.map((question) => answer(question, pairedFrom, seed));
  const adjusted = holm(answers.flatMap((each) => each?.pValue ?? []));
  return answers.map((each) => {
    if (!each) return undefined;
    const pAdjusted = each.pValue === null ? null : (adjusted.shift() ?? null);
    return { ...each, pAdjusted, verdict: verdictOf({ ...each, pAdjusted }) };
  });
}
