// What the trials can bear, in words: for each treatment how it differs from the first, where it surely does not,
// what is exploratory and what inconclusive; then how far the family of tests reaches and what A/A pairs say about noise. A difference
// that is no finding of the whole experiment is not stated, and nothing that is not stored is made up here.
import { counted, formatDuration } from "../../foundation/units.js";
import {
  HEADLINE_METRICS,
  isHeadline,
  isLargerBetter,
  labelOf,
  SPAN_METRICS,
} from "../../metrics/metric-lists.js";
import {
  ASPECTS,
  type ComparedOperation,
  type Comparison,
  type ComparisonMetric,
  type Interaction,
  type ResultDocument,
} from "../../results/result-schema.js";
import { duetSentences } from "./duet-text.js";
import { placeSentences } from "./place-text.js";
import { raceSentences } from "./race-text.js";
import {
  headlineComparisons,
  isBelieved,
  isBelowNoise,
  noiseFloor,
  NO_FACTOR,
  replicaComparisons,
} from "./noise-floor.js";
import { outlookText } from "./outlook.js";
import { countsText, isSettled, verdictCounts } from "./verdicts.js";
import { BLOCKS_MIN, boundsOf, mostUnseen } from "../statistics/limits.js";
import { intervalText, NONE_IN_RATIOS, ratioText } from "../../foundation/text/numbers.js";
import { outlyingSentences } from "./outlying-trials.js";
import { unitOf, unitsText, type Vocabulary } from "../../workloads/vocabulary.js";
import { completeTrials, metricOf } from "../steady-state/series.js";
import { operationName, WITHIN_NOISE } from "../../metrics/names.js";
import { stageOf } from "../../metrics/operations.js";
import { wrap, WIDTH_MAX } from "../../foundation/text/text-table.js";

/** `adds 1.31x as many events/s`. */
function workText(operation: ComparedOperation, share: string, vocabulary: Vocabulary): string {
  const { verb = "does" } = vocabulary.operations[operation] ?? {};
  return `${verb} ${share}as many ${unitOf(vocabulary, operation)}/s`;
}

function timeName({ operation, metric }: Comparison): string {
  const label = labelOf(metric);
  const stage = stageOf(operation);
  const span = stage ? `time until ${stage}` : "response time";
  return SPAN_METRICS.includes(metric) ? `${label} ${span}` : label;
}

function ciText({ ciLow, ciHigh }: Comparison): string {
  return `95 % CI ${intervalText(ciLow, ciHigh)}`;
}

/** `adds 1.31x as many events/s as jsonb (95 % CI 1.22-1.40)`, of a comparison that is not inconclusive. */
function settledText(comparison: Comparison, all: readonly Comparison[], vocabulary: Vocabulary): string {
  const { operation, metric, baseline, ratio, verdict } = comparison;
  const what = isLargerBetter(metric) ? labelOf(metric, unitOf(vocabulary, operation)) : timeName(comparison);
  if (verdict === "indistinguishable")
    return `is indistinguishable from ${baseline} in ${what} (${ciText(comparison)})`;
  const noise = isBelowNoise(comparison, all) ? `, ${WITHIN_NOISE}` : "";
  return isLargerBetter(metric)
    ? `${workText(operation, `${ratioText(ratio)} `, vocabulary)} as ${baseline} (${ciText(comparison)})${noise}`
    : `has ${ratioText(ratio)} ${baseline}'s ${what} (${ciText(comparison)})${noise}`;
}

/** `text adds 1.31x as many events/s as jsonb (95 % CI 1.22-1.40); mean 0.75x (0.70-0.81)`, of one group of differences. */
export function differenceText(
  [first, ...others]: readonly Comparison[],
  all: readonly Comparison[],
  vocabulary: Vocabulary,
): string {
  if (!first) return "";
  const { operation, metric, treatment, ratio, baseline } = first;
  const lead =
    isLargerBetter(metric) || stageOf(operation)
      ? settledText(first, all, vocabulary)
      : `has ${ratioText(ratio)} ${baseline}'s ${timeName(first)} of ${operationName(operation)} (${ciText(first)})`;
  const more = others.map(
    (each) => `${labelOf(each.metric)} ${ratioText(each.ratio)} (${intervalText(each.ciLow, each.ciHigh)})`,
  );
  return `${treatment} ${lead}${more.length > 0 ? `; ${more.join(", ")}` : ""}`;
}

/** `process p99 of text`. */
export function claimName({ operation, metric, treatment }: Comparison): string {
  return `${operationName(operation)} ${labelOf(metric)} of ${treatment}`;
}

/** `p99 (0.59x, 0.50-0.70; about 9 trials of each would decide)`, of a comparison that is not settled. */
function openText(comparison: Comparison, result: ResultDocument): string {
  const { operation, metric, ratio, ciLow, ciHigh, verdict } = comparison;
  const outlook = verdict === "exploratory" ? outlookText(result, comparison) : "";
  const seen = `${ratioText(ratio)}, ${intervalText(ciLow, ciHigh)}${outlook && `; ${outlook}`}`;
  return `${labelOf(metric, unitOf(result.workload, operation))} (${seen})`;
}

/** A treatment's verdicts in one sentence: first settled differences, then exploratory ones, then inconclusive comparisons. */
function sentence(id: string, comparisons: readonly Comparison[], result: ResultDocument): string {
  const settled = comparisons
    .filter(isSettled)
    .map((each) => settledText(each, result.comparisons, result.workload));
  const open = (["exploratory", "inconclusive"] as const).flatMap((verdict) => {
    const own = comparisons.filter((each) => each.verdict === verdict);
    return own.length > 0 ? [`${verdict}: ${own.map((each) => openText(each, result)).join(", ")}`] : [];
  });
  return `${id}${settled.length > 0 ? "" : ","} ${[...settled, ...open].join("; ")}.`;
}

function throughputFirst(comparisons: readonly Comparison[]): Comparison[] {
  return comparisons.toSorted((a, b) => Number(isLargerBetter(b.metric)) - Number(isLargerBetter(a.metric)));
}

/** Verdicts on one operation, a sentence for each treatment that differs or is the same in anything; nothing where there are too few trials for any. */
export function renderVerdicts(result: ResultDocument, operation: ComparedOperation): string[] {
  const { comparisons, treatments } = result;
  const asked = throughputFirst(
    headlineComparisons(comparisons).filter(
      (each) => each.operation === operation && each.blocks >= BLOCKS_MIN,
    ),
  );
  const ofTreatment = (id: string): Comparison[] => asked.filter(({ treatment }) => treatment === id);
  const isInconclusive = (id: string): boolean =>
    ofTreatment(id).every(({ verdict }) => verdict === "inconclusive");
  const compared = treatments.map(({ id }) => id).filter((id) => ofTreatment(id).length > 0);
  const inconclusive = compared.filter(isInconclusive);
  return [
    ...compared.filter((id) => !isInconclusive(id)).map((id) => sentence(id, ofTreatment(id), result)),
    ...(inconclusive.length > 0
      ? [`Inconclusive against ${treatments[0]?.id ?? ""}: ${inconclusive.join(", ")}.`]
      : []),
  ].flatMap((line) => wrap(line, WIDTH_MAX));
}

/** What A/A pairs say about noise, and about what is claimed; nothing without such a pair. */
export function noiseSentences(result: ResultDocument): string[] {
  const { comparisons } = result;
  const { workload: vocabulary } = result;
  const replicas = replicaComparisons(comparisons).filter(({ metric }) => isHeadline(metric));
  if (replicas.length === 0) return [];
  const keys = replicas.map(({ operation, metric }) => ({ operation, metric }));
  const floors = keys.flatMap(({ operation, metric }, i) => {
    const isFirst = keys.findIndex((key) => key.operation === operation && key.metric === metric) === i;
    const floor = isFirst ? noiseFloor(comparisons, operation, metric) : undefined;
    if (floor === undefined) return [];
    return [
      `${operation} ${labelOf(metric, unitOf(vocabulary, operation))} ${((floor - 1) * 100).toFixed(floor < 1.1 ? 1 : 0)} %`,
    ];
  });
  const flagged = replicas.filter(({ verdict }) => verdict === "finding");
  const suspicious =
    `A/A pairs differ in ${flagged.length} of ${counted(replicas.length, "comparison")}: ` +
    flagged.map((each) => `${each.operation} ${each.metric} of ${each.treatment}`).join(", ") +
    ". Only chance (1 experiment in 20) or an order effect explains that.";
  const below = comparisons.filter((each) => each.verdict === "finding" && isBelowNoise(each, comparisons));
  const warning =
    `${counted(below.length, "finding is", "findings are")} ${WITHIN_NOISE}; ` +
    `do not rely on: ${below.map((each) => `${each.operation} ${each.metric} of ${each.treatment}`).join(", ")}.`;
  return [
    `Noise floor (largest difference between A/A pairs): ${floors.join(", ")}.`,
    ...(flagged.length > 0 ? [suspicious] : []),
    ...(below.length > 0 ? [warning] : []),
  ];
}

/** What "indistinguishable" leaves open: it speaks of medians, and a rare slow trial need not be among few. */
function sameSentences(asked: readonly Comparison[], stopping: ResultDocument["stopping"]): string[] {
  const same = asked.filter(({ verdict }) => verdict === "indistinguishable");
  if (same.length === 0) return [];
  const blocks = Math.min(...same.map((each) => each.blocks));
  const within = Number((100 * (boundsOf({ stopping }).equivalence - 1)).toFixed(1));
  const share = Math.ceil(100 * mostUnseen(blocks));
  return [
    `Indistinguishable means that medians agree within ${within} %. No slow trial in ${blocks} blocks leaves ` +
      `a share of up to ${share} % possible (95 % confidence).`,
  ];
}

/** Why comparisons are inconclusive; empty where none is. `fewest` trials of a treatment are complete. */
function inconclusiveReason(asked: readonly Comparison[], fewest: number): string {
  const open = asked.filter(({ verdict }) => verdict === "inconclusive");
  if (open.length === 0) return "";
  if (fewest < BLOCKS_MIN)
    return `: ${counted(fewest, "trial")} of each treatment; intervals and tests need at least ${BLOCKS_MIN}`;
  // Trials that lack a value, on one side or the other, leave fewer blocks than there are trials.
  const unpaired = open.filter(({ blocks, objection }) => !objection && blocks < BLOCKS_MIN).length;
  const objections = open.flatMap(({ objection = [] }) => objection);
  const objected = objections.length;
  const aspects = ASPECTS.filter((aspect) =>
    objections.some((words) => words.includes(`${aspect} of `)),
  ).join(" or ");
  const lack = `fewer than ${BLOCKS_MIN} blocks have a value on both sides`;
  const reasons = [
    ...(unpaired + objected < open.length
      ? [`${counted(fewest, "trial")} neither show a difference nor exclude one`]
      : []),
    ...(unpaired > 0 ? [`${unpaired < open.length ? `of ${unpaired} ` : ""}${lack}`] : []),
    ...(objected > 0
      ? [
          `${objected < open.length ? `${objected} rest` : "they rest"} on trials whose ${aspects} are not valid`,
        ]
      : []),
  ];
  return `: ${reasons.join("; ")}`;
}

/** `26 comparisons (mean, p99, events/s)`, of headline metrics. */
function askedText(asked: readonly Comparison[], vocabulary: Vocabulary): string {
  const labels = HEADLINE_METRICS.flatMap((metric) => {
    const own = asked.filter((each) => each.metric === metric);
    const work = unitsText(own.map(({ operation }) => unitOf(vocabulary, operation)));
    return own.length > 0 ? [labelOf(metric, work)] : [];
  });
  return `${counted(asked.length, "comparison")} (${labels.join(", ")})`;
}

/** The headline's counts of verdicts, why some comparisons are inconclusive, and the error rate of findings. */
function reachOf(result: ResultDocument, fewest: number): string[] {
  const { comparisons, stopping } = result;
  const asked = headlineComparisons(comparisons);
  if (asked.length === 0)
    return fewest < BLOCKS_MIN
      ? [`Nothing is compared: ${counted(fewest, "complete trial")} of each treatment.`]
      : [];
  const counts =
    `Of ${askedText(asked, result.workload)}, ${countsText(verdictCounts(asked))}` +
    `${inconclusiveReason(asked, fewest)}.`;
  const looks = stopping?.looks ?? [];
  const paid = looks.length > 1 ? ` over all ${looks.length} looks` : "";
  const chance =
    `All findings share one error rate: without any true difference, at most 1 experiment in 20 reports one${paid}. ` +
    "Each 95 % interval covers its own comparison.";
  // Of a race, those with the best one were to be decided: its own words say how they ended.
  return [
    ...(stopping?.race ? [] : [counts]),
    ...(asked.some(isSettled) ? [chance] : []),
    ...sameSentences(asked, stopping),
  ];
}

/** Why an experiment that may end before its last block ended, and what looking cost; empty of any other. */
export function stoppingSentences({ stopping }: Pick<ResultDocument, "stopping">): string[] {
  if (!stopping?.reason) return [];
  const { reason, blocks, max, budgetSeconds = 0, looks, level, claims = 0, open = 0 } = stopping;
  const of = `${blocks} of at most ${counted(max, "block")}`;
  const ends = {
    decided: `Decided after ${of}`,
    "all-blocks": `All ${counted(max, "block")} ran`,
    budget: `The budget of ${formatDuration(budgetSeconds * 1000)} ended the run after ${of}`,
  };
  const left =
    open === 0
      ? ""
      : `; ${open} of ${counted(claims, "comparison")} to decide ${open === 1 ? "is" : "are"} open`;
  const times =
    looks.length > 1 ? `${looks.slice(0, -1).join(", ")} and ${looks.at(-1) ?? ""}` : looks.join("");
  const cost =
    `Looks after ${times} blocks share the error rate of 5 %: the last one claims at ` +
    `${Number((level * 100).toFixed(2))} %, which intervals and p-values include.`;
  return [`${ends[reason]}${looks.length > 0 ? left : ""}.`, ...(looks.length > 0 ? [cost] : [])];
}

/** Said of a search for capacity in place of comparisons. */
const OWN_RATES =
  "Each treatment ran at the rate found for it: compare the rates, not what was measured at them.";

/** How far the tests reach: what stays open and why, and what a verdict is worth. */
export function reachSentences(result: ResultDocument): string[] {
  const { treatments, comparisons, capacity } = result;
  if (treatments.length < 2) return [];
  if (capacity) return [OWN_RATES];
  const complete = treatments.map((treatment) => completeTrials(treatment).length);
  const fewest = Math.min(...complete);
  const isTested = comparisons.some(({ factor, blocks }) => factor !== NO_FACTOR && blocks >= BLOCKS_MIN);
  return reachOf(result, isTested ? Math.min(...complete.filter((trials) => trials >= BLOCKS_MIN)) : fewest);
}

/** `0 lost: add of on in 5 of 5 trials`: the trials of a treatment whose value of 0 a ratio replaces. */
function zerosOf({ treatments, comparisons }: ResultDocument): string[] {
  const replaced = comparisons.filter(({ zeroAs }) => zeroAs !== undefined);
  const sides = replaced.flatMap(({ operation, metric, baseline, treatment }) =>
    [baseline, treatment].map((id) => JSON.stringify([metric, operation, id])),
  );
  return [...new Set(sides)].flatMap((side) => {
    const [metric, operation, id] = JSON.parse(side) as [ComparisonMetric, ComparedOperation, string];
    const trials = treatments.find((each) => each.id === id)?.trials ?? [];
    const values = trials.flatMap((trial) => metricOf(trial, operation, metric) ?? []);
    const none = values.filter((value) => value === 0).length;
    const where = `${operation} of ${id} in ${none} of ${counted(values.length, "trial")}`;
    return none === 0 ? [] : [`0 ${labelOf(metric)}: ${where}`];
  });
}

/** Trials that a median hides, and values of 0 that ratios replace; empty without such. */
export function stallSentences(result: ResultDocument): string[] {
  const zeros = zerosOf(result);
  return [
    ...outlyingSentences(result.treatments, result.workload),
    ...(zeros.length > 0 ? [`${zeros.join(", ")}. ${NONE_IN_RATIOS}`] : []),
  ];
}

/** Said where no interaction between factors is a finding. */
export function noInteractionSentence(interactions: readonly Interaction[]): string {
  const tested = interactions.filter(({ blocks }) => blocks >= BLOCKS_MIN).length;
  return tested === 0
    ? `Interactions between factors are not tested with fewer than ${BLOCKS_MIN} blocks of trials.`
    : `No interaction was found in ${counted(tested, "test")}; small ones may exist.`;
}

/** How far from 1 the nearer end of the interval is, as a logarithm. */
function strength({ ratio, ciLow, ciHigh }: Comparison): number {
  return Math.min(...[ratio, ciLow ?? ratio, ciHigh ?? ratio].map((end) => Math.abs(Math.log(end))));
}

/**
 * What differs beyond noise, by treatment and operation, the surest and largest first; in each throughput first. Throughput
 * that the load bounds is left out: `bounds` are these operations.
 */
export function believedDifferences(
  comparisons: readonly Comparison[],
  bounds: ReadonlyMap<string, string>,
): Comparison[][] {
  const groups = new Map<string, Comparison[]>();
  for (const claim of headlineComparisons(comparisons).filter((each) => isBelieved(each, comparisons))) {
    if (claim.metric === "eventsPerSecond" && bounds.has(claim.operation)) continue;
    const key = JSON.stringify([claim.treatment, claim.operation]);
    groups.set(key, [...(groups.get(key) ?? []), claim]);
  }
  const most = (group: readonly Comparison[]): number => Math.max(...group.map(strength));
  return [...groups.values()].sort((a, b) => most(b) - most(a)).map(throughputFirst);
}

/** Effect of places that ratios are freed of; none of a search for capacity, which has no ratios. */
export function placesOf({ treatments, capacity }: ResultDocument): string[] {
  return capacity ? [] : placeSentences(treatments);
}

/** What may be concluded over all operations, and what may not. */
export function renderClaims(result: ResultDocument): string[] {
  const sentences = [
    ...raceSentences(result.stopping),
    ...duetSentences(result.treatments),
    ...placesOf(result),
    ...stallSentences(result),
    ...stoppingSentences(result),
    ...reachSentences(result),
    ...noiseSentences(result),
  ];
  return sentences.flatMap((line) => wrap(line, WIDTH_MAX));
}
