// Configurations that a recommendation measures next. The present one is in each round, since others are compared within
// its blocks. The best one here is only a candidate: a fresh comparison decides (`recommend.ts`), so the search may look as
// often as it likes.
import type { Prng } from "../../foundation/prng.js";
import { mean } from "../statistics/quantiles.js";
import { median } from "../statistics/statistics.js";

export interface Space {
  readonly count: number;
  /** Number of the configuration that is to be improved on. */
  readonly present: number;
  /** Configurations that differ from this one in one factor, by one level if levels have an order. */
  neighbours(configuration: number): readonly number[];
}

export interface Score {
  /** Logarithm of the ratio of the objectives; larger is better. */
  readonly gain: number;
  /** Logarithm of the factor by which each condition's bound is missed; 0 or less if the condition holds. */
  readonly excesses: readonly number[];
}

interface CombinedScore {
  /** Mean of the gains of all trials. */
  readonly gain: number;
  /** Excess of the condition that is missed most, each as its median over trials; 0 if all conditions hold. */
  readonly excess: number;
}

const ROUND_CONFIGURATIONS = 8;
/** Number of configurations in a round that have been measured before. */
const REMEASURED_CONFIGURATIONS = 3;
/** Number of the best configurations whose neighbours are tried. */
const LEADING_CONFIGURATIONS = 2;
/**
 * Trials of a configuration from which the search may end, and from which the median over trials, not the best trial,
 * judges its conditions.
 */
const DECISIVE_TRIALS_MIN = 6;

/** Excess of the condition that is missed most; `summary` reduces a condition's excesses over trials to one number. */
function worstExcess(scores: readonly Score[], summary: (values: readonly number[]) => number): number {
  const conditionCount = scores[0]?.excesses.length ?? 0;
  const worst = Array.from({ length: conditionCount }, (_, i) =>
    summary(scores.map(({ excesses }) => excesses[i] ?? 0)),
  );
  return Math.max(0, ...worst);
}

export class Search {
  private readonly scores = new Map<number, Score[]>();

  constructor(
    private readonly space: Space,
    private readonly prng: Prng,
  ) {}

  add(configuration: number, scores: readonly Score[]): void {
    this.scores.set(configuration, [...(this.scores.get(configuration) ?? []), ...scores]);
  }

  trialCountOf(configuration: number): number {
    return this.scores.get(configuration)?.length ?? 0;
  }

  combinedScoreOf(configuration: number): CombinedScore | undefined {
    const trialScores = this.scores.get(configuration);
    if (!trialScores || trialScores.length === 0) return undefined;
    return { gain: mean(trialScores.map(({ gain }) => gain)), excess: worstExcess(trialScores, median) };
  }

  /**
   * Measured configurations without the present one, best first. Configurations that miss a condition come last, judged by
   * their best trial while trials are few and later by the median: one bad trial does not keep a configuration from being
   * measured again.
   */
  ranking(): number[] {
    const ranked = [...this.scores].map(([configuration, trialScores]) => ({
      configuration,
      gain: mean(trialScores.map(({ gain }) => gain)),
      excess: worstExcess(
        trialScores,
        trialScores.length < DECISIVE_TRIALS_MIN ? (values) => Math.min(...values) : median,
      ),
    }));
    return ranked
      .sort((a, b) => a.excess - b.excess || b.gain - a.gain)
      .map(({ configuration }) => configuration);
  }

  next(): number[] {
    const { count, present } = this.space;
    const isNew = (one: number): boolean => one !== present && !this.scores.has(one);
    const ranking = this.ranking();
    const remeasuredConfigurations = ranking.slice(0, REMEASURED_CONFIGURATIONS);
    const leaderNeighbours = ranking
      .slice(0, LEADING_CONFIGURATIONS)
      .flatMap((leader) => this.space.neighbours(leader).filter(isNew));
    const neighbourConfigurations =
      ranking.length === 0 ? this.space.neighbours(present).filter(isNew) : leaderNeighbours;
    const others = Array.from({ length: count }, (_, one) => one).filter(isNew);
    // Half of the new configurations are neighbours, if there are enough. The others are random: the best one may be far
    // from all that were tried.
    const newCount = Math.min(ROUND_CONFIGURATIONS - remeasuredConfigurations.length, others.length);
    const newConfigurations = new Set(
      this.prng.shuffle([...new Set(neighbourConfigurations)]).slice(0, Math.ceil(newCount / 2)),
    );
    for (const other of this.prng.shuffle(others))
      if (newConfigurations.size < newCount) newConfigurations.add(other);
    const haveEnoughTrials = remeasuredConfigurations.every(
      (one) => this.trialCountOf(one) >= DECISIVE_TRIALS_MIN,
    );
    return newConfigurations.size === 0 && haveEnoughTrials
      ? []
      : [...remeasuredConfigurations, ...newConfigurations];
  }
}
