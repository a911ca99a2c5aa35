// The comparisons of an experiment in sentences: how each treatment differs from the first, where it surely does not, what is
// exploratory or inconclusive, and how far the family of tests reaches. A difference that is no finding is not stated.
import { counted } from "../../foundation/units.js";
import { HEADLINE_METRICS, isLargerBetter, labelOf, SPAN_METRICS } from "../../metrics/metric-lists.js";
import {
  METRIC_ASPECTS,
  type ComparedOperation,
  type Comparison,
  type Interaction,
  type ResultDocument,
} from "../../results/result-schema.js";
import {
  headlineComparisons,
  isFindingAboveNoise,
  isWithinNoiseFloor,
  NO_FACTOR,
} from "../../analysis/comparison/noise-floor.js";
import { outlookText } from "./outlook-text.js";
import {
  differenceSentences,
  duetSentences,
  noiseSentences,
  placeSentences,
  stallSentences,
} from "./caveats.js";
import { raceSentences, stoppingSentences } from "./stopping-text.js";
import { countsText, isSettled, verdictCounts } from "../../analysis/comparison/verdicts.js";
import { BLOCKS_MIN, boundsOf, largestUnseenShare } from "../../analysis/statistics/limits.js";
import { intervalText, ratioNumber, ratioText } from "../../foundation/text/numbers.js";
import { unitOf, unitsText, type Vocabulary } from "../../workloads/vocabulary.js";
import { completeTrials } from "../../analysis/steady-state/series.js";
import { operationName, WITHIN_NOISE_NOTE } from "../../metrics/names.js";
import { stageOf } from "../../metrics/operations.js";

/** Name of a compared metric, such as `p99 response time` or `throughput (events/s)`. */
function metricName({ operation, metric }: Comparison, vocabulary: Vocabulary): string {
  const unit = unitOf(vocabulary, operation);
  const label = labelOf(metric, unit);
  if (metric === "eventsPerSecond") return `throughput (${unit}/s)`;
  if (!SPAN_METRICS.includes(metric)) return label;
  const stage = stageOf(operation);
  return `${label} ${stage ? `time until ${stage}` : "response time"}`;
}

/** Text of a ratio: `40 % shorter than`, or `2.10 times as long as` for much larger or smaller values. */
function changeText({ metric, ratio }: Comparison): string {
  const [more, less, times] = SPAN_METRICS.includes(metric)
    ? ["longer", "shorter", "as long as"]
    : ["higher", "lower", "as high as"];
  if (ratio >= 1.995 || ratio < 0.005) return `${ratioNumber(ratio)} times ${times}`;
  const percent = 100 * Math.abs(ratio - 1);
  const digits = percent >= 99 ? 3 : 2;
  return `${Number(percent.toPrecision(digits))} % ${ratio > 1 ? more : less} than`;
}

function ratioIntervalText({ ratio, ciLow, ciHigh }: Comparison): string {
  return `(${ratioText(ratio)}, 95 % CI ${intervalText(ciLow, ciHigh)})`;
}

/**
 * Text of a settled comparison, such as `p99 response time is 40 % shorter than with jsonb (0.60x, 95 % CI [0.56, 0.63])`.
 */
function settledComparisonText(
  comparison: Comparison,
  all: readonly Comparison[],
  vocabulary: Vocabulary,
): string {
  const { baseline, verdict } = comparison;
  const name = metricName(comparison, vocabulary);
  if (verdict === "indistinguishable")
    return `${name} is indistinguishable from ${baseline} ${ratioIntervalText(comparison)}`;
  const noise = isWithinNoiseFloor(comparison, all) ? `, ${WITHIN_NOISE_NOTE}` : "";
  return `${name} is ${changeText(comparison)} with ${baseline} ${ratioIntervalText(comparison)}${noise}`;
}

/**
 * Text of a treatment's differences in one operation, such as `p99 response time of process is 40 % shorter with text than
 * with jsonb (0.60x, 95 % CI [0.56, 0.63]); mean 0.75x [0.70, 0.81]`.
 */
export function differenceText([first, ...others]: readonly Comparison[], vocabulary: Vocabulary): string {
  if (!first) return "";
  const { operation, treatment, baseline } = first;
  const name = metricName(first, vocabulary);
  const subject = stageOf(operation) ? name : `${name} of ${operationName(operation)}`;
  const change = changeText(first).replace(/ (than|as)$/, ` with ${treatment} $1 with ${baseline}`);
  const more = others.map(
    (each) => `; ${labelOf(each.metric)} ${ratioText(each.ratio)} ${intervalText(each.ciLow, each.ciHigh)}`,
  );
  const sentence = `${subject} is ${change} ${ratioIntervalText(first)}${more.join("")}`;
  return sentence.replace(/^[a-z](?=[a-z]+ )/, (letter) => letter.toUpperCase());
}

/** Text of a comparison that is not settled, such as `p99 (0.59x [0.50, 0.70]; about 9 trials of each would decide)`. */
function openComparisonText(comparison: Comparison, result: ResultDocument): string {
  const { operation, metric, ratio, ciLow, ciHigh, verdict } = comparison;
  const outlook = verdict === "exploratory" ? outlookText(result, comparison) : "";
  const seen = `${ratioText(ratio)} ${intervalText(ciLow, ciHigh)}${outlook && `; ${outlook}`}`;
  return `${labelOf(metric, unitOf(result.workload, operation))} (${seen})`;
}

/** A treatment's verdicts in one sentence: first settled differences, then exploratory ones, then inconclusive comparisons. */
function sentence(id: string, comparisons: readonly Comparison[], result: ResultDocument): string {
  const settledTexts = comparisons
    .filter(isSettled)
    .map((each) => settledComparisonText(each, result.comparisons, result.workload));
  const open = (["exploratory", "inconclusive"] as const).flatMap((verdict) => {
    const verdictComparisons = comparisons.filter((each) => each.verdict === verdict);
    return verdictComparisons.length > 0
      ? [`${verdict}: ${verdictComparisons.map((each) => openComparisonText(each, result)).join(", ")}`]
      : [];
  });
  return `${id}: ${[...settledTexts, ...open].join("; ")}.`;
}

function sortThroughputFirst(comparisons: readonly Comparison[]): Comparison[] {
  return comparisons.toSorted((a, b) => Number(isLargerBetter(b.metric)) - Number(isLargerBetter(a.metric)));
}

/**
 * Sentences on one operation: one for each treatment with a verdict, and one that names the treatments without any. Empty
 * if there are fewer than `BLOCKS_MIN` blocks.
 */
export function verdictSentences(result: ResultDocument, operation: ComparedOperation): string[] {
  const { comparisons, treatments } = result;
  const testedComparisons = sortThroughputFirst(
    headlineComparisons(comparisons).filter(
      (each) => each.operation === operation && each.blocks >= BLOCKS_MIN,
    ),
  );
  const comparisonsOfTreatment = (id: string): Comparison[] =>
    testedComparisons.filter(({ treatment }) => treatment === id);
  const isInconclusive = (id: string): boolean =>
    comparisonsOfTreatment(id).every(({ verdict }) => verdict === "inconclusive");
  const comparedTreatments = treatments
    .map(({ id }) => id)
    .filter((id) => comparisonsOfTreatment(id).length > 0);
  const inconclusive = comparedTreatments.filter(isInconclusive);
  return [
    ...comparedTreatments
      .filter((id) => !isInconclusive(id))
      .map((id) => sentence(id, comparisonsOfTreatment(id), result)),
    ...(inconclusive.length > 0
      ? [`Inconclusive against ${treatments[0]?.id ?? ""}: ${inconclusive.join(", ")}.`]
      : []),
  ];
}

/** Sentence on the limits of "indistinguishable": it is about medians, and a few trials need not include a rare slow one. */
function indistinguishableSentences(
  asked: readonly Comparison[],
  stopping: ResultDocument["stopping"],
): string[] {
  const indistinguishable = asked.filter(({ verdict }) => verdict === "indistinguishable");
  if (indistinguishable.length === 0) return [];
  const blocks = Math.min(...indistinguishable.map((each) => each.blocks));
  const within = Number((100 * (boundsOf({ stopping }).equivalence - 1)).toFixed(1));
  const share = Math.ceil(100 * largestUnseenShare(blocks));
  return [
    `Indistinguishable means that medians agree within ${within} %. Even if none of ${blocks} blocks ` +
      `had a slow trial, up to ${share} % of all trials may be slow (95 % confidence).`,
  ];
}

/**
 * Reason why comparisons are inconclusive, in parentheses if others are not; empty if none is. `fewest` is the number of complete trials of the
 * treatment with the fewest.
 */
function inconclusiveReason(asked: readonly Comparison[], fewest: number): string {
  const open = asked.filter(({ verdict }) => verdict === "inconclusive");
  if (open.length === 0) return "";
  if (fewest < BLOCKS_MIN)
    return `: ${counted(fewest, "trial")} of each treatment; intervals and tests need at least ${BLOCKS_MIN}`;
  // A block in which one side's trial lacks the value does not count, so there may be fewer blocks than trials.
  const unpairedCount = open.filter(({ blocks, objection }) => !objection && blocks < BLOCKS_MIN).length;
  const objections = open.flatMap(({ objection = [] }) => objection);
  const objectionCount = objections.length;
  const aspects = METRIC_ASPECTS.filter((aspect) =>
    objections.some((words) => words.includes(`${aspect} of `)),
  ).join(" or ");
  const lack = `fewer than ${BLOCKS_MIN} blocks have a value on both sides`;
  const reasons = [
    ...(unpairedCount + objectionCount < open.length
      ? [`${counted(fewest, "trial")} neither show a difference nor exclude one`]
      : []),
    ...(unpairedCount > 0 ? [`${unpairedCount < open.length ? `of ${unpairedCount} ` : ""}${lack}`] : []),
    ...(objectionCount > 0
      ? [
          `${objectionCount < open.length ? `${objectionCount} rest` : "they rest"} on trials whose ${aspects} are not valid`,
        ]
      : []),
  ];
  return open.length < asked.length ? ` (${reasons.join("; ")})` : `: ${reasons.join("; ")}`;
}

function comparisonCountText(asked: readonly Comparison[], vocabulary: Vocabulary): string {
  const labels = HEADLINE_METRICS.flatMap((metric) => {
    const metricComparisons = asked.filter((each) => each.metric === metric);
    const work = unitsText(metricComparisons.map(({ operation }) => unitOf(vocabulary, operation)));
    return metricComparisons.length > 0 ? [labelOf(metric, work)] : [];
  });
  return `${counted(asked.length, "comparison")} (${labels.join(", ")})`;
}

/** Sentences with the numbers of verdicts on headline metrics, why some are inconclusive, and the error rate of findings. */
function testReachSentences(result: ResultDocument, fewest: number): string[] {
  const { comparisons, stopping } = result;
  const testedComparisons = headlineComparisons(comparisons);
  if (testedComparisons.length === 0)
    return fewest < BLOCKS_MIN
      ? [`Nothing is compared: ${counted(fewest, "complete trial")} of each treatment.`]
      : [];
  const counts =
    `Of ${comparisonCountText(testedComparisons, result.workload)}, ${countsText(verdictCounts(testedComparisons))}` +
    `${inconclusiveReason(testedComparisons, fewest)}.`;
  const looks = stopping?.looks ?? [];
  const looksText = looks.length > 1 ? ` over all ${looks.length} looks` : "";
  const errorRateSentence =
    `All findings share one error rate: without any true difference, at most 1 experiment in 20 reports one${looksText}. ` +
    "Each 95 % interval covers its own comparison.";
  // A race decides only comparisons with its best treatment, and `raceSentences` says how these ended.
  return [
    ...(stopping?.race ? [] : [counts]),
    ...(testedComparisons.some(isSettled) ? [errorRateSentence] : []),
    ...indistinguishableSentences(testedComparisons, stopping),
  ];
}

/** Sentence of a search for capacity, which has no comparisons. */
const CAPACITY_RATES_SENTENCE =
  "Each treatment ran at the rate found for it: compare the rates, not what was measured at them.";

/** Sentences on how far the tests reach: which comparisons are open and why, and how sure a verdict is. */
export function reachSentences(result: ResultDocument): string[] {
  const { treatments, comparisons, capacity } = result;
  if (treatments.length < 2) return [];
  if (capacity) return [CAPACITY_RATES_SENTENCE];
  const complete = treatments.map((treatment) => completeTrials(treatment).length);
  const fewest = Math.min(...complete);
  const hasTestedComparison = comparisons.some(
    ({ factor, blocks }) => factor !== NO_FACTOR && blocks >= BLOCKS_MIN,
  );
  return testReachSentences(
    result,
    hasTestedComparison ? Math.min(...complete.filter((trials) => trials >= BLOCKS_MIN)) : fewest,
  );
}

/** Sentence for results in which no interaction between factors is a finding. */
export function noInteractionSentence(interactions: readonly Interaction[]): string {
  const testedCount = interactions.filter(({ blocks }) => blocks >= BLOCKS_MIN).length;
  return testedCount === 0
    ? `Interactions between factors are not tested with fewer than ${BLOCKS_MIN} blocks of trials.`
    : `No interaction was found in ${counted(testedCount, "test")}; small ones may exist.`;
}

/** Size of a difference that is sure: the distance of the interval's nearer end from 1, as a logarithm. */
function sureEffectSize({ ratio, ciLow, ciHigh }: Comparison): number {
  return Math.min(...[ratio, ciLow ?? ratio, ciHigh ?? ratio].map((end) => Math.abs(Math.log(end))));
}

/**
 * Findings beyond the noise floor, grouped by treatment and operation, the surest and largest group first; within a group,
 * throughput first. Throughput of the operations in `bounds`, which the load limits, is left out.
 */
export function believedDifferences(
  comparisons: readonly Comparison[],
  bounds: ReadonlyMap<string, string>,
): Comparison[][] {
  const groups = new Map<string, Comparison[]>();
  for (const claim of headlineComparisons(comparisons).filter((each) =>
    isFindingAboveNoise(each, comparisons),
  )) {
    if (claim.metric === "eventsPerSecond" && bounds.has(claim.operation)) continue;
    const key = JSON.stringify([claim.treatment, claim.operation]);
    groups.set(key, [...(groups.get(key) ?? []), claim]);
  }
  const most = (group: readonly Comparison[]): number => Math.max(...group.map(sureEffectSize));
  return [...groups.values()].sort((a, b) => most(b) - most(a)).map(sortThroughputFirst);
}

/**
 * Sentence on operations whose throughput the load limits; none if `bounds`, which names the limit of each such operation,
 * is empty.
 */
export function loadBoundSentences({ comparisons }: ResultDocument, bounds: Map<string, string>): string[] {
  if (bounds.size === 0) return [];
  const texts = [...new Set(bounds.values())].map((bound) => {
    const operations = [...bounds].flatMap(([operation, by]) => (by === bound ? [operation] : []));
    return `${bound} limits ${operations.join(", ")}`;
  });
  const ratios = comparisons.flatMap(({ operation, metric, factor, ratio }) =>
    metric === "eventsPerSecond" && factor !== NO_FACTOR && bounds.has(operation) ? [ratio] : [],
  );
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map(ratioText);
  return [
    `The load limits throughput, not the database: ${texts.join("; ")} (ratios ${least ?? ""} to ${most ?? ""}). Compare response times.`,
  ];
}

/** Sentences on conclusions over all operations, and on their limits. */
export function conclusionSentences(result: ResultDocument): string[] {
  return [
    ...raceSentences(result.stopping),
    ...duetSentences(result.treatments),
    ...placeSentences(result),
    ...differenceSentences(result.treatments),
    ...stallSentences(result),
    ...stoppingSentences(result),
    ...reachSentences(result),
    ...noiseSentences(result),
  ];
}
