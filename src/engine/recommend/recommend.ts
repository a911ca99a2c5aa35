// Short rounds only propose; a fresh comparison decides: at most 1 recommendation in 20 brings no real gain.
import { deriveSeed, Prng } from "../../foundation/prng.js";
import { UsageError } from "../../foundation/errors.js";
import { formatDuration } from "../../foundation/units.js";
import { isDifference } from "../../analysis/comparison/verdicts.js";
import { median } from "../../analysis/statistics/statistics.js";
import { excessOf, lnGain, valueIn } from "../../analysis/recommend/objective.js";
import { Search, type Score } from "../../analysis/recommend/search.js";
import { meetsBound } from "../../analysis/thresholds/thresholds.js";
import type { Comparison, ResultDocument, TreatmentResult } from "../../results/result-schema.js";
import { isBudgeted, trialSpan } from "../../scenario/plan/estimate.js";
import type { Objective } from "../../scenario/judgement.js";
import type { Condition } from "../../scenario/objective.js";
import type { Experiment } from "../../scenario/settings.js";
import { configurationSetOverrides, spaceOf, type Configuration, type ConfigurationSpace } from "./space.js";

export interface RecommendationPlan {
  readonly experiment: Experiment;
  readonly objective: Objective;
  readonly conditions: readonly Condition[];
  readonly budgetMs: number;
  /** Overrides of the scenario; each makes one further load at which the proposal is compared. */
  readonly loads: readonly string[];
}

export type Measure = (what: string, set: readonly string[]) => Promise<ResultDocument>;

/** One fresh comparison of the proposal with the present configuration, in trials made for this purpose only. */
export interface Holdout {
  /** The override that makes this load; undefined for the scenario's own load. */
  readonly load?: string;
  readonly trials: number;
  /** Objective of the proposal divided by the present configuration's. */
  readonly ratio: number;
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
  readonly pValue: number | null;
  readonly isBetter: boolean;
  readonly conditions: readonly {
    readonly words: string;
    readonly seen: number | null;
    readonly ok: boolean;
  }[];
  readonly timingsValid: boolean;
}

export interface Part {
  readonly factor: string;
  readonly from: string;
  readonly to: string;
  readonly ratio: number;
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
}

export interface Recommendation {
  readonly version: 1;
  readonly objective: string;
  readonly conditions: readonly string[];
  readonly configurations: number;
  readonly present: Configuration;
  readonly proposal?: Configuration;
  readonly advice: "change" | "keep";
  readonly search: { readonly rounds: number; readonly measured: number; readonly trials: number };
  /** Fresh comparisons of the proposal, first at the scenario's load; empty without a proposal. */
  readonly holdouts: readonly Holdout[];
  readonly parts: readonly Part[];
  /**
   * Configurations measured in the search that differ from the proposal in one step, with their ratio to the present one.
   */
  readonly neighbours: readonly { readonly levels: Configuration["levels"]; readonly ratio: number }[];
  readonly seconds: number;
}

const TRIALS_A_ROUND = 2;
const SEARCH_BUDGET_SHARE = 0.6;
/** Share of the time budget for trials that revert single changes of the proposal. */
const REVERSION_BUDGET_SHARE = 0.15;
const HOLDOUT_TRIAL_BOUNDS = { least: 6, most: 30 };
const REVERSION_TRIALS = 5;
/** Time of a trial outside its phases, assumed until a trial was measured. */
const TRIAL_OVERHEAD_MS = 3000;
/** Minimum number of configurations in a round, without the present one. */
const ROUND_CONFIGURATIONS_MIN = 2;

function scoresOf(
  { objective, conditions }: RecommendationPlan,
  present: TreatmentResult,
  treatment: TreatmentResult,
): Score[] {
  const reference = new Map(present.trials.map((trial) => [trial.block, valueIn(trial, objective)]));
  return treatment.trials.flatMap((trial) => {
    const [own, other] = [valueIn(trial, objective), reference.get(trial.block)];
    if (other === undefined || other === 0) return [];
    const excesses = conditions.map((condition) => {
      const value = valueIn(trial, condition);
      return value === undefined ? 0 : excessOf(condition, value);
    });
    // 0 has no logarithm: without a value of the objective, the gain is the one of a ratio of one to a million.
    const gain = own === undefined || own === 0 ? -Math.log(1e6) : lnGain(objective, own, other);
    return [{ gain, excesses }];
  });
}

function requireSamples(result: ResultDocument, { objective }: RecommendationPlan): void {
  const trials = result.treatments[0]?.trials ?? [];
  if (trials.some((trial) => (valueIn(trial, objective) ?? 0) > 0)) return;
  throw new UsageError(
    `${objective.words}: the present configuration had no sample of it`,
    "Name a metric that the scenario measures, or lengthen trial.duration.",
  );
}

/** The comparison of the objective of the treatment at that position with the first treatment's. */
function claimOf(
  { treatments, comparisons }: ResultDocument,
  place: number,
  { operation, metric }: Objective,
): Comparison | undefined {
  return comparisons.find(
    (each) =>
      each.treatment === treatments[place]?.id && each.operation === operation && each.metric === metric,
  );
}

function holdoutOf(plan: RecommendationPlan, result: ResultDocument, load: string | undefined): Holdout {
  const { objective, conditions } = plan;
  const proposalResult = result.treatments[1] as TreatmentResult;
  const claim = claimOf(result, 1, objective);
  return {
    ...(load !== undefined && { load }),
    trials: proposalResult.trials.length,
    ratio: claim?.ratio ?? 1,
    ciLow: claim?.ciLow ?? null,
    ciHigh: claim?.ciHigh ?? null,
    pValue: claim?.pValue ?? null,
    isBetter: claim !== undefined && isDifference(claim) && claim.ratio > 1 === objective.isMaximised,
    conditions: conditions.map((condition) => {
      const values = proposalResult.trials.flatMap((trial) => valueIn(trial, condition) ?? []);
      const seen = values.length > 0 ? median(values) : null;
      return { words: condition.words, seen, ok: seen !== null && meetsBound(condition, seen) };
    }),
    timingsValid: result.verdict.timings.isValid,
  };
}

/** The proposal first, then the proposal with each change reverted, if the scenario's factors contain that configuration. */
function reversions(
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

/** The effect of each change. `result` has the proposal first, then the reversions in this order. */
function changeEffectsOf(
  objective: Objective,
  present: Configuration,
  proposal: Configuration,
  revertedConfigurations: ReturnType<typeof reversions>,
  result: ResultDocument,
): Part[] {
  return revertedConfigurations.flatMap(({ factor }, i) => {
    const claim = claimOf(result, i + 1, objective);
    if (!claim) return [];
    const [from = "", to = ""] = [present.levels[factor], proposal.levels[factor]];
    return [{ factor, from, to, ratio: claim.ratio, ciLow: claim.ciLow, ciHigh: claim.ciHigh }];
  });
}

class RecommendationRun {
  private readonly startMs: number;
  /** Duration of a whole trial: an estimate before the first round, measured afterwards. */
  private trialMs: number;
  private readonly counts = { rounds: 0, trials: 0 };

  constructor(
    private readonly plan: RecommendationPlan,
    private readonly space: ConfigurationSpace,
    private readonly measure: Measure,
    private readonly nowMs: () => number,
  ) {
    const { experiment } = plan;
    this.startMs = nowMs();
    const spans = experiment.treatments.map(({ settings }) => trialSpan(settings).leastMs);
    this.trialMs = spans.reduce((sum, ms) => sum + ms, 0) / spans.length + TRIAL_OVERHEAD_MS;
  }

  async run(): Promise<Recommendation> {
    const { plan, space, counts } = this;
    const present = this.at(space.present);
    const search = await this.search(present);
    const ranking = search.ranking();
    const bestConfiguration = ranking.find((one) => {
      const standing = search.combinedScoreOf(one);
      return standing !== undefined && standing.gain > 0 && standing.excess === 0;
    });
    const proposal = bestConfiguration === undefined ? undefined : this.at(bestConfiguration);
    const holdouts = proposal ? await this.measureHoldouts(present, proposal) : [];
    const [main] = holdouts;
    const parts = proposal && main?.isBetter ? await this.revertChanges(present, proposal) : [];
    return {
      version: 1,
      objective: plan.objective.words,
      conditions: plan.conditions.map(({ words }) => words),
      configurations: space.count,
      present,
      ...(proposal && { proposal }),
      advice: main?.isBetter && main.conditions.every(({ ok }) => ok) ? "change" : "keep",
      search: { ...counts, measured: ranking.length },
      holdouts,
      parts,
      neighbours: bestConfiguration === undefined ? [] : this.neighboursOf(bestConfiguration, search),
      seconds: Math.round(this.elapsedMs() / 1000),
    };
  }

  private elapsedMs(): number {
    return this.nowMs() - this.startMs;
  }

  private at(one: number): Configuration {
    return this.space.configurations[one] as Configuration;
  }

  /** Minimum time in milliseconds that the fresh comparisons take. */
  private get holdoutMs(): number {
    return this.trialMs * 2 * HOLDOUT_TRIAL_BOUNDS.least * (1 + this.plan.loads.length);
  }

  /** Throws a UsageError if the trials of the search and the fresh comparisons do not fit into the budget. */
  private requireBudget(trials: number): void {
    const { plan, trialMs } = this;
    const neededMs = this.elapsedMs() + trialMs * trials + this.holdoutMs;
    if (neededMs <= plan.budgetMs) return;
    const [trial, needed] = [trialMs, neededMs].map((ms) => formatDuration(Math.ceil(ms / 1000) * 1000));
    throw new UsageError(
      `a budget of ${formatDuration(plan.budgetMs)} is too short: a trial takes about ${trial}, and at least ${needed} ` +
        "are needed in all",
      "Give more time, or shorten the trial (trial.duration, or fewer iterations).",
    );
  }

  private async search(present: Configuration): Promise<Search> {
    const { plan, space, counts } = this;
    const { experiment, budgetMs } = plan;
    const search = new Search(space, new Prng(deriveSeed(experiment.seed, "recommend")));
    // The duration of trials that end with their iterations is unknown, so a small first round measures it.
    const hasIterationBudget = experiment.treatments.some(({ settings }) => isBudgeted(settings));
    this.requireBudget(TRIALS_A_ROUND * (1 + ROUND_CONFIGURATIONS_MIN));
    for (let round = search.next(); round.length > 0; round = search.next()) {
      const untilMs = Math.min(budgetMs * SEARCH_BUDGET_SHARE, budgetMs - this.holdoutMs);
      const room = Math.floor((untilMs - this.elapsedMs()) / (this.trialMs * TRIALS_A_ROUND)) - 1;
      if (room < ROUND_CONFIGURATIONS_MIN && counts.rounds > 0) break;
      const most =
        hasIterationBudget && counts.rounds === 0
          ? ROUND_CONFIGURATIONS_MIN
          : Math.max(ROUND_CONFIGURATIONS_MIN, room);
      await this.measureRound(search, present, round.slice(0, most));
      if (hasIterationBudget && counts.rounds === 1) this.requireBudget(0);
    }
    return search;
  }

  private async measureRound(
    search: Search,
    present: Configuration,
    round: readonly number[],
  ): Promise<void> {
    const { plan, counts } = this;
    const roundStartMs = this.nowMs();
    const result = await this.measure(`round ${counts.rounds + 1}`, [
      ...configurationSetOverrides([present, ...round.map((one) => this.at(one))]),
      `trials=${TRIALS_A_ROUND}`,
      `seed=${deriveSeed(plan.experiment.seed, "round", counts.rounds)}`,
    ]);
    const [reference, ...others] = result.treatments as [TreatmentResult, ...TreatmentResult[]];
    if (counts.rounds === 0) requireSamples(result, plan);
    for (const [i, treatment] of others.entries())
      search.add(round[i] as number, scoresOf(plan, reference, treatment));
    const trials = TRIALS_A_ROUND * (round.length + 1);
    this.trialMs = (this.nowMs() - roundStartMs) / trials;
    counts.rounds++;
    counts.trials += trials;
  }

  private async measureHoldouts(present: Configuration, proposal: Configuration): Promise<Holdout[]> {
    const { experiment, budgetMs, loads } = this.plan;
    const holdouts: Holdout[] = [];
    for (const [i, load] of [undefined, ...loads].entries()) {
      const leftMs = budgetMs * (1 - REVERSION_BUDGET_SHARE) - this.elapsedMs();
      const room = Math.floor(leftMs / (this.trialMs * 2 * (1 + loads.length - i)));
      const trials = Math.min(HOLDOUT_TRIAL_BOUNDS.most, Math.max(HOLDOUT_TRIAL_BOUNDS.least, room));
      const result = await this.measure(load === undefined ? "holdout" : `holdout at ${load}`, [
        ...configurationSetOverrides([present, proposal]),
        `trials=${trials}`,
        `seed=${deriveSeed(experiment.seed, "holdout", i)}`,
        ...(load === undefined ? [] : [load]),
      ]);
      holdouts.push(holdoutOf(this.plan, result, load));
    }
    return holdouts;
  }

  /** Measures the proposal with single changes reverted; empty if only one factor changed or no time is left. */
  private async revertChanges(present: Configuration, proposal: Configuration): Promise<Part[]> {
    const { objective, budgetMs } = this.plan;
    const revertedConfigurations = reversions(this.space, present, proposal);
    const costMs = this.trialMs * REVERSION_TRIALS * (revertedConfigurations.length + 1);
    if (revertedConfigurations.length === 0 || this.elapsedMs() + costMs > budgetMs) return [];
    const set = configurationSetOverrides([
      proposal,
      ...revertedConfigurations.map(({ configuration }) => configuration),
    ]);
    const result = await this.measure("parts", [...set, `trials=${REVERSION_TRIALS}`]);
    return changeEffectsOf(objective, present, proposal, revertedConfigurations, result);
  }

  private neighboursOf(best: number, search: Search): Recommendation["neighbours"] {
    const { isMaximised } = this.plan.objective;
    return this.space.neighbours(best).flatMap((one) => {
      const standing = search.combinedScoreOf(one);
      if (!standing) return [];
      const logRatio = isMaximised ? standing.gain : -standing.gain;
      return [{ levels: this.at(one).levels, ratio: Math.exp(logRatio) }];
    });
  }
}

/**
 * Searches for the best configuration. Throws a UsageError if the scenario has no choice of configurations, or the budget
 * is too small.
 */
export async function recommend(
  plan: RecommendationPlan,
  measure: Measure,
  nowMs: () => number,
): Promise<Recommendation> {
  const space = spaceOf(plan.experiment);
  if (space.count < 2)
    throw new UsageError(
      "the scenario has one configuration, so there is no choice",
      "Give it factors, such as factors: { pool.size: 4..64, payload: [jsonb, text] }.",
    );
  return new RecommendationRun(plan, space, measure, nowMs).run();
}
