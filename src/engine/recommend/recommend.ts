// A recommendation: which of the configurations that a scenario's factors span is best for an objective, under conditions, within
// a budget of time. First a search of short rounds, which only proposes. Then a fresh comparison of its proposal with the
// present configuration, in interleaved blocks of their own: only that decides, so that however often the search looked, at
// most 1 recommendation in 20 is one for nothing. Then each change is taken back alone, to see what mattered.
import { deriveSeed, Prng } from "../../foundation/prng.js";
import { UsageError } from "../../foundation/errors.js";
import { formatDuration } from "../../foundation/units.js";
import { median } from "../../analysis/statistics/statistics.js";
import {
  excessOf,
  logGain,
  valueIn,
  type Condition,
  type Objective,
} from "../../analysis/recommend/objective.js";
import { Search, type Score } from "../../analysis/recommend/search.js";
import type { Comparison, ResultDocument, TreatmentResult } from "../../results/result-schema.js";
import { experimentSpan } from "../../scenario/plan/estimate.js";
import type { Experiment } from "../../scenario/settings.js";
import { settingOnly, spaceOf, type Configuration, type ConfigurationSpace } from "./space.js";

export interface RecommendationPlan {
  readonly experiment: Experiment;
  readonly objective: Objective;
  readonly conditions: readonly Condition[];
  readonly budgetMs: number;
  /** Overrides, each of which makes another load at which the proposal is compared as well. */
  readonly loads: readonly string[];
}

/** Runs an experiment of the scenario with these overrides. Rejects where it cannot be run, or lost events. */
export type Measure = (what: string, set: readonly string[]) => Promise<ResultDocument>;

/** The proposal beside the present configuration, in trials made for this alone. */
export interface Holdout {
  /** The override that makes its load; undefined of the scenario's own. */
  readonly load?: string;
  readonly trials: number;
  /** Proposal over present, of the objective. */
  readonly ratio: number;
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
  readonly pValue: number | null;
  readonly isBetter: boolean;
  /** Medians of the proposal. */
  readonly conditions: readonly {
    readonly words: string;
    readonly seen: number | null;
    readonly ok: boolean;
  }[];
  readonly isTainted: boolean;
}

/** One change of the proposal, taken back alone. */
export interface Part {
  readonly factor: string;
  readonly from: string;
  readonly to: string;
  /** Without the change over with it, of the objective. */
  readonly ratio: number;
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
}

/** The whole answer; `recommendation.json`. */
export interface Recommendation {
  readonly version: 1;
  readonly objective: string;
  readonly conditions: readonly string[];
  readonly configurations: number;
  readonly present: Configuration;
  /** What the search proposed; left out where nothing was better than the present. */
  readonly proposal?: Configuration;
  readonly advice: "change" | "keep";
  readonly search: { readonly rounds: number; readonly measured: number; readonly trials: number };
  /** Of the scenario's load first; empty without a proposal. */
  readonly holdouts: readonly Holdout[];
  readonly parts: readonly Part[];
  /** Measured neighbours of the proposal and their ratios to the present one, in the search. */
  readonly neighbours: readonly { readonly levels: Configuration["levels"]; readonly ratio: number }[];
  readonly seconds: number;
}

const TRIALS_A_ROUND = 2;
const SEARCH_SHARE = 0.6;
/** Of the budget, for taking changes back. */
const PARTS_SHARE = 0.15;
const HOLDOUT = { least: 6, most: 30 };
const PARTS_TRIALS = 5;
/** Beside its phases, of a trial that none has been measured of. */
const OVERHEAD_MS = 3000;
/** In the first round at least, beside the present configuration. */
const FIRST_LEAST = 2;

function scoresOf(
  { objective, conditions }: RecommendationPlan,
  present: TreatmentResult,
  treatment: TreatmentResult,
): Score[] {
  const beside = new Map(present.trials.map((trial) => [trial.block, valueIn(trial, objective)]));
  return treatment.trials.flatMap((trial) => {
    const [own, other] = [valueIn(trial, objective), beside.get(trial.block)];
    if (other === undefined || other === 0) return [];
    const missed = conditions.map((condition) => {
      const value = valueIn(trial, condition);
      return value === undefined ? 0 : excessOf(condition, value);
    });
    // Half of the smallest that has a logarithm: a configuration that does nothing is as bad as can be.
    const gain = own === undefined || own === 0 ? -Math.log(1e6) : logGain(objective, own, other);
    return [{ gain, excess: Math.max(0, ...missed) }];
  });
}

function requireSamples(result: ResultDocument, { objective }: RecommendationPlan): void {
  const trials = result.treatments[0]?.trials ?? [];
  if (trials.some((trial) => (valueIn(trial, objective) ?? 0) > 0)) return;
  throw new UsageError(
    `${objective.words}: the present configuration had no sample of it`,
    "Ask for what the scenario does, or measure for longer (trial.duration).",
  );
}

function holdoutOf(plan: RecommendationPlan, result: ResultDocument, load: string | undefined): Holdout {
  const { objective, conditions } = plan;
  const proposed = result.treatments[1] as TreatmentResult;
  const claim = result.comparisons.find(
    ({ treatment, operation, metric }: Comparison) =>
      treatment === proposed.id && operation === objective.operation && metric === objective.metric,
  );
  const better = objective.isMaximised ? "higher" : "lower";
  return {
    ...(load !== undefined && { load }),
    trials: proposed.trials.length,
    ratio: claim?.ratio ?? 1,
    ciLow: claim?.ciLow ?? null,
    ciHigh: claim?.ciHigh ?? null,
    pValue: claim?.pValue ?? null,
    isBetter: claim?.verdict === better,
    conditions: conditions.map((condition) => {
      const values = proposed.trials.flatMap((trial) => valueIn(trial, condition) ?? []);
      const seen = values.length > 0 ? median(values) : null;
      return { words: condition.words, seen, ok: seen !== null && excessOf(condition, seen) === 0 };
    }),
    isTainted: result.verdict.status === "tainted",
  };
}

/** The proposal first, then with each of its changes taken back, where the scenario's factors have that configuration. */
function takenBack(
  { configurations }: ConfigurationSpace,
  present: Configuration,
  proposal: Configuration,
): { readonly factor: string; readonly configuration: Configuration }[] {
  const changed = Object.keys(proposal.values).filter(
    (factor) => proposal.levels[factor] !== present.levels[factor],
  );
  if (changed.length < 2) return [];
  return changed.flatMap((factor) => {
    const levels: Configuration["levels"] = { ...proposal.levels, [factor]: present.levels[factor] ?? "" };
    const found = configurations.find((one) =>
      Object.keys(levels).every((name) => one.levels[name] === levels[name]),
    );
    return found ? [{ factor, configuration: found }] : [];
  });
}

/** `result` has the proposal first, then what was taken back, in this order. */
function partsOf(
  { operation, metric }: Objective,
  present: Configuration,
  proposal: Configuration,
  without: ReturnType<typeof takenBack>,
  { treatments, comparisons }: ResultDocument,
): Part[] {
  return without.flatMap(({ factor }, i) => {
    const claim = comparisons.find(
      (each) =>
        each.treatment === treatments[i + 1]?.id && each.operation === operation && each.metric === metric,
    );
    if (!claim) return [];
    const [from = "", to = ""] = [present.levels[factor], proposal.levels[factor]];
    return [{ factor, from, to, ratio: claim.ratio, ciLow: claim.ciLow, ciHigh: claim.ciHigh }];
  });
}

/** Throws a UsageError where there is nothing to choose from, or the budget has no room for it. */
export async function recommend(
  plan: RecommendationPlan,
  measure: Measure,
  nowMs: () => number,
): Promise<Recommendation> {
  const { experiment, objective, budgetMs } = plan;
  const space = spaceOf(experiment);
  if (space.count < 2)
    throw new UsageError(
      "the scenario has one configuration, so there is nothing to choose from",
      "Give it factors, as factors: { pool.size: 4..64, payload: [jsonb, text] }.",
    );
  const startMs = nowMs();
  const elapsedMs = (): number => nowMs() - startMs;
  const configured = (one: number): Configuration => space.configurations[one] as Configuration;
  const present = configured(space.present);
  let trialMs = experimentSpan(experiment).leastMs / experiment.trials.length + OVERHEAD_MS;
  const leastMs =
    trialMs * (TRIALS_A_ROUND * (1 + FIRST_LEAST) + 2 * HOLDOUT.least * (1 + plan.loads.length));
  if (leastMs > budgetMs)
    throw new UsageError(
      `a budget of ${formatDuration(budgetMs)} is too short: a trial takes about ${formatDuration(Math.round(trialMs))}, ` +
        `and the least there is to do about ${formatDuration(Math.round(leastMs))}`,
      "Give more time, or shorten the trial (trial.duration).",
    );

  const search = new Search(space, new Prng(deriveSeed(experiment.seed, "recommend")));
  const counts = { rounds: 0, trials: 0 };
  for (let round = search.next(); round.length > 0; round = search.next()) {
    const room = Math.floor((budgetMs * SEARCH_SHARE - elapsedMs()) / (trialMs * TRIALS_A_ROUND)) - 1;
    if (room < FIRST_LEAST && counts.rounds > 0) break;
    const chosen = round.slice(0, Math.max(FIRST_LEAST, room));
    const set = [...settingOnly([present, ...chosen.map(configured)]), `trials=${TRIALS_A_ROUND}`];
    const beganMs = nowMs();
    const seed = deriveSeed(experiment.seed, "round", counts.rounds);
    const result = await measure(`round ${counts.rounds + 1}`, [...set, `seed=${seed}`]);
    const [beside, ...others] = result.treatments as [TreatmentResult, ...TreatmentResult[]];
    if (counts.rounds === 0) requireSamples(result, plan);
    for (const [i, treatment] of others.entries())
      search.add(chosen[i] as number, scoresOf(plan, beside, treatment));
    const trials = TRIALS_A_ROUND * (chosen.length + 1);
    trialMs = (nowMs() - beganMs) / trials;
    counts.rounds++;
    counts.trials += trials;
  }

  const ranking = search.ranking();
  const [first] = ranking;
  const best = first === undefined ? undefined : search.scoreOf(first);
  const isProposed = first !== undefined && best !== undefined && best.gain > 0 && best.excess === 0;
  const proposal = isProposed ? configured(first) : undefined;
  const holdouts: Holdout[] = [];
  const parts: Part[] = [];
  if (proposal) {
    const loads = [undefined, ...plan.loads];
    for (const [i, load] of loads.entries()) {
      const leftMs = budgetMs * (1 - PARTS_SHARE) - elapsedMs();
      const room = Math.floor(leftMs / (trialMs * 2 * (loads.length - i)));
      const trials = Math.min(HOLDOUT.most, Math.max(HOLDOUT.least, room));
      const seed = deriveSeed(experiment.seed, "holdout", i);
      const set = [...settingOnly([present, proposal]), `trials=${trials}`, `seed=${seed}`];
      const what = load === undefined ? "holdout" : `holdout at ${load}`;
      holdouts.push(
        holdoutOf(plan, await measure(what, [...set, ...(load === undefined ? [] : [load])]), load),
      );
    }
    const without = takenBack(space, present, proposal);
    const costMs = trialMs * PARTS_TRIALS * (without.length + 1);
    if (holdouts[0]?.isBetter && without.length > 0 && elapsedMs() + costMs <= budgetMs) {
      const set = settingOnly([proposal, ...without.map(({ configuration }) => configuration)]);
      const result = await measure("parts", [...set, `trials=${PARTS_TRIALS}`]);
      parts.push(...partsOf(objective, present, proposal, without, result));
    }
  }
  const [main] = holdouts;
  const holds = main?.isBetter === true && main.conditions.every(({ ok }) => ok);
  return {
    version: 1,
    objective: objective.words,
    conditions: plan.conditions.map(({ words }) => words),
    configurations: space.count,
    present,
    ...(proposal && { proposal }),
    advice: holds ? "change" : "keep",
    search: { ...counts, measured: ranking.length },
    holdouts,
    parts,
    neighbours: (isProposed ? space.neighbours(first) : []).flatMap((one) => {
      const score = one === space.present ? undefined : search.scoreOf(one);
      if (!score) return [];
      const gain = objective.isMaximised ? score.gain : -score.gain;
      return [{ levels: configured(one).levels, ratio: Math.exp(gain) }];
    }),
    seconds: Math.round(elapsedMs() / 1000),
  };
}
