// Evidence moved with a difference if trials differ by a relevant amount, surely (permutation test at 1 %), and the same way.
import { deriveSeed, Prng } from "../../foundation/prng.js";
import { isLargerBetter } from "../../metrics/metric-lists.js";
import type { Comparison, TreatmentResult, TrialResult } from "../../results/result-schema.js";
import { unitOf, type Vocabulary } from "../../workloads/vocabulary.js";
import { BLOCKS_MIN } from "../statistics/limits.js";
import { ratioText } from "../../foundation/text/numbers.js";
import { completeTrials } from "../steady-state/series.js";
import { median, twoSamplePValue } from "../statistics/statistics.js";
import type { WhyRule } from "./why-rules.js";

/** Significance level of each test, low because dozens are made; with 5 and 5 trials 0.8 % is the least possible p-value. */
const SIGNIFICANCE_LEVEL = 0.01;
/** Smallest ratio that gets a sentence, however sure a smaller one is. */
export const RELEVANT_RATIO_MIN = 1.2;

export interface Difference {
  readonly comparison: Comparison;
  readonly baseline: TreatmentResult;
  readonly treatment: TreatmentResult;
  readonly vocabulary: Vocabulary;
  readonly seed: number;
}

/** True if the treatment is slower or has less throughput. */
export function isWorse({ metric, ratio }: Comparison): boolean {
  return isLargerBetter(metric) ? ratio < 1 : ratio > 1;
}

export function areSurelyDifferent(
  baselineValues: readonly number[],
  treatmentValues: readonly number[],
  seed: number,
  key: string,
): boolean {
  if (Math.min(baselineValues.length, treatmentValues.length) < BLOCKS_MIN) return false;
  return (
    twoSamplePValue(baselineValues, treatmentValues, new Prng(deriveSeed(seed, "why", key))) <=
    SIGNIFICANCE_LEVEL
  );
}

export interface EvidenceChange {
  readonly topic: string;
  readonly sentence: string;
  /** Weight for ranking: a ratio of at least 1, nearer to 1 if the amounts are too small to matter. */
  readonly weight: number;
}

/** False if servers of some trials are older than the view of the rule's evidence, and others are not. */
function areComparable({ viewSince }: WhyRule, trials: readonly TrialResult[]): boolean {
  if (viewSince === undefined) return true;
  const isSince = ({ servers = [] }: TrialResult): boolean =>
    servers.every(({ version }) => Number.parseInt(version, 10) >= viewSince);
  return new Set(trials.map(isSince)).size === 1;
}

/** Evidence of a rule that moved together with a difference; undefined if the evidence is absent or did not move with it. */
export function evidenceChangeOf(rule: WhyRule, difference: Difference): EvidenceChange | undefined {
  const { comparison, baseline, treatment, vocabulary, seed } = difference;
  if (!rule.explains(comparison)) return undefined;
  const [before, after] = [completeTrials(baseline), completeTrials(treatment)];
  if (!areComparable(rule, [...before, ...after])) return undefined;
  const valuesOf = (trials: readonly TrialResult[]): number[] =>
    trials.flatMap((trial) => rule.read(trial, comparison.operation) ?? []);
  const [then, now] = [valuesOf(before), valuesOf(after)];
  if (Math.min(then.length, now.length) < BLOCKS_MIN) return undefined;
  const [thenMedian, nowMedian] = [median(then), median(now)];
  const isMedianHigher = nowMedian > thenMedian;
  if (isMedianHigher !== ((rule.worse === "more") === isWorse(comparison))) return undefined;
  const weight = weightOf(thenMedian, nowMedian, rule.unit.floor);
  if (Math.abs(nowMedian - thenMedian) < rule.unit.floor || weight < RELEVANT_RATIO_MIN) return undefined;
  const key = [baseline.id, treatment.id, comparison.operation, rule.words].join("\n");
  if (!areSurelyDifferent(then, now, seed, key)) return undefined;
  // A ratio to nearly nothing, such as "211x", would be true and say nothing.
  const isRatioStated = rule.unit.hasRatio && Math.min(thenMedian, nowMedian) >= rule.unit.floor;
  const words: Readonly<Record<string, string>> = {
    who: treatment.id,
    operation: comparison.operation,
    work: unitOf(vocabulary, comparison.operation),
    now: rule.unit.text(nowMedian),
    then: rule.unit.text(thenMedian),
  };
  const sentence = rule.words.replace(/\{(\w+)\}/g, (_, name: string) => words[name] ?? "");
  return {
    topic: rule.topic,
    sentence: isRatioStated ? `${sentence} (${ratioText(nowMedian / thenMedian)})` : sentence,
    weight,
  };
}

function weightOf(a: number, b: number, floor: number): number {
  const [less, more] = [Math.max(0, Math.min(a, b)), Math.max(0, a, b)];
  return (more + floor) / (less + floor);
}
