// At each look, treatments that are surely worse than the best one leave a race. A race is derived from trials, looks and
// seed alone. The best treatment is compared with all that run: without a true difference at most 1 race in 20 loses a
// treatment.
import { deriveSeed, Prng } from "../../foundation/prng.js";
import type { RaceResult, TreatmentResult, TrialResult } from "../../results/result-schema.js";
import type { Objective, StoppingRule } from "../../scenario/judgement.js";
import { mean } from "../statistics/quantiles.js";
import { familyPValues } from "../statistics/family-test.js";
import { levelAtLastLook } from "../statistics/group-sequential.js";
import { BLOCKS_MIN, SIGNIFICANCE_LEVEL } from "../statistics/limits.js";
import {
  differencesOf,
  logarithmSeries,
  placeSeries,
  ratioSeries,
  type LogarithmSeries,
} from "../steady-state/series.js";
import { findingsOf, scaledPValue } from "./findings.js";
import { objectionToMetric } from "../diagnosis/validity.js";
import { hasOutlyingTrial } from "./outlying-trials.js";

export type Race = Omit<RaceResult, "objective">;
export type Departure = Race["left"][number];

function withTrialsUpTo(blocks: number, treatment: TreatmentResult): TreatmentResult {
  return { ...treatment, trials: treatment.trials.filter(({ block }) => block < blocks) };
}

interface Runner {
  readonly id: string;
  readonly treatment: TreatmentResult;
  readonly series: LogarithmSeries;
}

function rankRunners(
  treatments: readonly TreatmentResult[],
  { operation, metric, isMaximised }: Objective,
): Runner[] {
  const objectiveScore = ({ series }: Runner): number => mean([...series.values()]) * (isMaximised ? 1 : -1);
  return treatments
    .map((treatment) => ({
      id: treatment.id,
      treatment,
      series: logarithmSeries(treatment, operation, metric, treatments),
    }))
    .filter(({ series }) => series.size > 0)
    .sort((a, b) => objectiveScore(b) - objectiveScore(a));
}

function placeDifferencesOf({ treatment }: Runner, other: Runner): LogarithmSeries {
  return ratioSeries(placeSeries(treatment), placeSeries(other.treatment));
}

/**
 * P-values of the first runner against each other one, corrected over all pairs of runners; 1 if a pair shares too few
 * blocks.
 */
function pValuesAgainstFirst(runners: readonly Runner[], prng: Prng): number[] {
  const pairs = runners
    .flatMap((a, i) => runners.slice(i + 1).map((b) => ({ a, b, ratios: ratioSeries(b.series, a.series) })))
    .filter(({ ratios }) => ratios.size >= BLOCKS_MIN);
  const pValues = familyPValues(
    pairs.map(({ a, b, ratios }) => differencesOf(ratios, placeDifferencesOf(b, a))),
    prng,
  );
  const [first, ...others] = runners;
  return others.map((other) => pValues[pairs.findIndex(({ a, b }) => a === first && b === other)] ?? 1);
}

interface RaceLook {
  readonly blocks: number;
  readonly level: number;
  readonly within: number;
  readonly seed: number;
}

function raceAfterLook(
  race: Race,
  treatments: readonly TreatmentResult[],
  { blocks, level, within, seed }: RaceLook,
  objective: Objective,
): Race {
  const running = treatments
    .filter(({ id }) => race.running.includes(id))
    .map((each) => withTrialsUpTo(blocks, each));
  const runners = rankRunners(running, objective);
  const [best, ...others] = runners;
  if (!best) return race;
  const questions = others.map((other) => ({
    key: ["race", String(blocks), best.id, other.id].join("\n"),
    reference: best.series,
    values: other.series,
    places: placeDifferencesOf(other, best),
    hasOutlyingTrial: hasOutlyingTrial([best.treatment, other.treatment], objective.operation),
    objection: objectionToMetric(objective.metric, [best.treatment, other.treatment]),
  }));
  const findings = findingsOf(questions, seed, { level, equivalence: 1 + within });
  const pValues = pValuesAgainstFirst(runners, new Prng(deriveSeed(seed, "race", blocks)));
  const left: Departure[] = [];
  const indistinguishableIds = new Set([best.id]);
  for (const [i, { id }] of others.entries()) {
    const { ratio = 1, ciLow = null, ciHigh = null, verdict, objection } = findings[i] ?? {};
    if (verdict === "indistinguishable") indistinguishableIds.add(id);
    if (ciLow === null || ciHigh === null || objection !== undefined) continue;
    const isSurelyWorse = objective.isMaximised ? ciHigh < 1 : ciLow > 1;
    if (isSurelyWorse && scaledPValue(pValues[i] ?? 1, level) <= SIGNIFICANCE_LEVEL)
      left.push({ treatment: id, blocks, best: best.id, ratio, ciLow, ciHigh });
  }
  const remainingIds = race.running.filter((id) => left.every(({ treatment }) => treatment !== id));
  const undecidedIds =
    remainingIds.length > 1 ? remainingIds.filter((id) => !indistinguishableIds.has(id)) : [];
  return { best: best.id, running: remainingIds, open: undecidedIds, left: [...race.left, ...left] };
}

function hasWholeBlock({ running }: Race, treatments: readonly TreatmentResult[], blocks: number): boolean {
  const isCompleteInLastBlock = ({ block, status }: TrialResult): boolean =>
    block === blocks - 1 && status === "complete";
  return running.every((id) => treatments.find((each) => each.id === id)?.trials.some(isCompleteInLastBlock));
}

type RaceStopping = StoppingRule & { readonly race: Objective };

/**
 * The race after the last of `looks`, which are ascending numbers of blocks; `before` if the block of that look is not
 * complete.
 */
export function raceAfterLastLook(
  before: Race,
  treatments: readonly TreatmentResult[],
  looks: readonly number[],
  { max, within, race }: RaceStopping,
  seed: number,
): Race {
  const blocks = looks.at(-1);
  if (blocks === undefined || !hasWholeBlock(before, treatments, blocks)) return before;
  return raceAfterLook(
    before,
    treatments,
    { blocks, level: levelAtLastLook(looks, max), within, seed },
    race,
  );
}

export function raceStart(treatments: readonly Pick<TreatmentResult, "id">[]): Race {
  const ids = treatments.map(({ id }) => id);
  return { running: ids, open: ids, left: [] };
}

export function raceAfter(
  treatments: readonly TreatmentResult[],
  looks: readonly number[],
  stopping: RaceStopping,
  seed: number,
): Race {
  return looks.reduce(
    (before, _, i) => raceAfterLastLook(before, treatments, looks.slice(0, i + 1), stopping, seed),
    raceStart(treatments),
  );
}

/** True if the treatment is still in the race in that block, counted from 0. */
export function isStillInRace(race: Pick<Race, "left">, treatment: string, block: number): boolean {
  return race.left.every((each) => each.treatment !== treatment || block < each.blocks);
}
