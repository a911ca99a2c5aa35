// What limits the answers of an experiment, in sentences: a duet's shared machine, the effect of places, trials that medians
// hide, noise, plan flips.
import { counted } from "../../foundation/units.js";
import { firstOf, ZERO_IN_RATIOS_NOTE, shortNumber } from "../../foundation/text/numbers.js";
import { isHeadline, labelOf } from "../../metrics/metric-lists.js";
import { operationName, WITHIN_NOISE_NOTE } from "../../metrics/names.js";
import type {
  ComparedOperation,
  ComparisonMetric,
  OutlyingTrial,
  ResultDocument,
  TreatmentResult,
} from "../../results/result-schema.js";
import { labelsOf } from "./treatment-labels.js";
import { unitOf, type Vocabulary } from "../../workloads/vocabulary.js";
import { isWithinNoiseFloor, noiseFloor, replicaComparisons } from "../../analysis/comparison/noise-floor.js";
import { outlyingTrials } from "../../analysis/comparison/outlying-trials.js";
import { placeEffects, type PlaceEffect } from "../../analysis/comparison/place-effects.js";
import { metricOf } from "../../analysis/steady-state/series.js";
import { flipsIn, type TreatmentFlip } from "../../analysis/why/flips.js";
import { trialNumbersText } from "../../analysis/why/plans.js";

/** Sentence on duets, in which both treatments run at the same time; none if treatments ran one after the other. */
export function duetSentences(treatments: readonly TreatmentResult[]): string[] {
  if (!treatments.some(({ trials }) => trials.some(({ duet }) => duet))) return [];
  return [
    "Both treatments ran at the same time, each on a server of its own, and changed servers from block to block. " +
      "They shared this machine: ratios are what a duet is for, rates are lower and times longer than alone.",
  ];
}

function percent(log: number): string {
  return (100 * Math.abs(Math.expm1(log))).toFixed(1);
}

/** Text of a place's effect, such as `9.8 % longer for process [8.1, 11.5]`. */
function effectText({ operation, effect, low, high }: PlaceEffect): string {
  const [how, ends] = effect > 0 ? ["longer", [low, high]] : ["shorter", [high, low]];
  return `${percent(effect)} % ${how} for ${operationName(operation)} [${ends.map(percent).join(", ")}]`;
}

/**
 * Sentence on the effect of a trial's place in its block, which ratios exclude; none for a search for capacity, which has
 * no ratios.
 */
export function placeSentences({
  treatments,
  capacity,
}: Pick<ResultDocument, "treatments" | "capacity">): string[] {
  const surePlaceEffects = capacity ? [] : placeEffects(treatments);
  if (surePlaceEffects.length === 0) return [];
  const isDuet = treatments.some(({ trials }) => trials.some(({ duet }) => duet));
  const place = isDuet
    ? "on the second server"
    : treatments.length === 2
      ? "of the second trial in a block"
      : "of each later trial in a block";
  return [
    `The mean response time ${place} was ${surePlaceEffects.map(effectText).join(", ")}. This effect of the place is taken out of all ratios.`,
  ];
}

/** Text of an operation's outlying trials, such as `trial 7 did 0, trial 9 did 12 events/s against a median of 850`. */
function outlyingText(trials: readonly OutlyingTrial[], unit: string): string {
  const words = trials.map(
    ({ trial, eventsPerSecond }) => `trial ${trial} did ${shortNumber(eventsPerSecond)}`,
  );
  const [first] = trials;
  return `${words.join(", ")} ${unit}/s against a median of ${shortNumber(first?.median ?? 0)}`;
}

function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return [...groups.values()];
}

/** Sentences on outlying trials, one for each treatment. */
function outlyingSentences(treatments: readonly TreatmentResult[], vocabulary: Vocabulary): string[] {
  return groupBy(outlyingTrials(treatments), ({ treatment }) => treatment).map((ofTreatment) => {
    const texts = groupBy(ofTreatment, ({ operation }) => operation).map((trials) => {
      const operation = trials[0]?.operation ?? "";
      return `${operation}: ${outlyingText(trials, unitOf(vocabulary, operation))}`;
    });
    const treatment = ofTreatment[0]?.treatment ?? "";
    return `Outlying trials of ${treatment}: ${texts.join("; ")}. Find out why before using this treatment's medians.`;
  });
}

/** Texts such as `0 lost: add of on in 5 of 5 trials`, for treatments whose values of 0 are replaced in a ratio. */
function zeroValueTexts({ treatments, comparisons }: ResultDocument): string[] {
  const zeroReplacedComparisons = comparisons.filter(({ zeroAs }) => zeroAs !== undefined);
  const sides = zeroReplacedComparisons.flatMap(({ operation, metric, baseline, treatment }) =>
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

export function stallSentences(result: ResultDocument): string[] {
  const zeroTexts = zeroValueTexts(result);
  return [
    ...outlyingSentences(result.treatments, result.workload),
    ...(zeroTexts.length > 0 ? [`${zeroTexts.join(", ")}. ${ZERO_IN_RATIOS_NOTE}`] : []),
  ];
}

/** Sentences on what some treatments measured otherwise than the rest, as their audits say, each with its treatments. */
export function differenceSentences(treatments: readonly TreatmentResult[]): string[] {
  const labels = labelsOf(treatments);
  const labelsBySentence = new Map<string, string[]>();
  for (const [i, { trials }] of treatments.entries())
    for (const text of new Set(
      trials.flatMap(({ integrity }) => integrity?.differences?.map(({ words }) => words) ?? []),
    ))
      labelsBySentence.set(text, [...(labelsBySentence.get(text) ?? []), labels[i] ?? ""]);
  return [...labelsBySentence]
    .filter(([, named]) => named.length < treatments.length)
    .map(([text, named]) => `${named.join(", ")}: ${text}`);
}

/** Sentences on the noise that A/A pairs show, and on findings within that noise; none if there is no A/A pair. */
export function noiseSentences(result: ResultDocument): string[] {
  const { comparisons, workload: vocabulary } = result;
  const replicas = replicaComparisons(comparisons).filter(({ metric }) => isHeadline(metric));
  if (replicas.length === 0) return [];
  const keys = replicas.map(({ operation, metric }) => ({ operation, metric }));
  const noiseFloorTexts = keys.flatMap(({ operation, metric }, i) => {
    const isFirst = keys.findIndex((key) => key.operation === operation && key.metric === metric) === i;
    const floor = isFirst ? noiseFloor(comparisons, operation, metric) : undefined;
    if (floor === undefined) return [];
    return [
      `${operation} ${labelOf(metric, unitOf(vocabulary, operation))} ${((floor - 1) * 100).toFixed(floor < 1.1 ? 1 : 0)} %`,
    ];
  });
  const differingReplicas = replicas.filter(({ verdict }) => verdict === "finding");
  const suspiciousPairsSentence =
    `A/A pairs differ in ${differingReplicas.length} of ${counted(replicas.length, "comparison")}: ` +
    differingReplicas.map((each) => `${each.operation} ${each.metric} of ${each.treatment}`).join(", ") +
    ". Only chance (1 experiment in 20) or an order effect explains that.";
  const below = comparisons.filter(
    (each) => each.verdict === "finding" && isWithinNoiseFloor(each, comparisons),
  );
  const belowNoiseWarning =
    `${counted(below.length, "finding is", "findings are")} ${WITHIN_NOISE_NOTE}; ` +
    `do not rely on: ${below.map((each) => `${each.operation} ${each.metric} of ${each.treatment}`).join(", ")}.`;
  return [
    `Noise floor (largest difference between A/A pairs): ${noiseFloorTexts.join(", ")}.`,
    ...(differingReplicas.length > 0 ? [suspiciousPairsSentence] : []),
    ...(below.length > 0 ? [belowNoiseWarning] : []),
  ];
}

function flipText({ treatment, statement, groups }: TreatmentFlip): string {
  const words = groups.map(
    (way) =>
      `${way.words} in ${trialNumbersText(way.trials)}${way.ms === undefined ? "" : ` (${shortNumber(way.ms)} ms)`}`,
  );
  const what = statement === undefined ? `${treatment} read` : `${statement} of ${treatment}:`;
  return `Plan flip: ${what} ${words.join("; ")}. Find out why before using this treatment's median.`;
}

const FLIPS_NAMED_MAX = 3;

/** Sentence on all plan flips that changed a transaction by less than a tenth of its time. */
function idleFlipsText(flips: readonly TreatmentFlip[]): string {
  const names = new Map<string, string[]>();
  for (const { treatment, statement: what = "scans" } of flips)
    names.set(what, [...(names.get(what) ?? []), treatment]);
  const listed = [...names].map(([what, ids]) => `${what} of ${firstOf(ids, FLIPS_NAMED_MAX)}`).join("; ");
  return `Plan flips that changed a transaction by less than 10 % of its time: ${listed}.`;
}

export interface FlipSentences {
  /** Sentences on plan flips in slower trials, or with unknown times, one for each flip. */
  readonly costly: readonly string[];
  /** One sentence on all other plan flips; undefined if there are none. */
  readonly idle: string | undefined;
}

export function flipSentences(treatments: readonly TreatmentResult[]): FlipSentences {
  const flips = flipsIn(treatments);
  const idle = flips.filter(({ isCostly }) => !isCostly);
  return {
    costly: flips.filter(({ isCostly }) => isCostly).map(flipText),
    idle: idle.length > 0 ? idleFlipsText(idle) : undefined,
  };
}
