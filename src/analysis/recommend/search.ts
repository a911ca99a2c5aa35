// Which configurations a recommendation measures next. Rounds of few trials: the present configuration in each, for its blocks
// are what the others are compared within; the best so far again; their untried neighbours, one level away in one factor; the
// rest drawn at random. What is best here is only a candidate: a fresh comparison decides about it (`recommend.ts`), so the
// search may look as often as it likes. Pure.
import type { Prng } from "../../foundation/prng.js";
import { mean } from "../statistics/quantiles.js";

/** What there is to choose from: configurations by number, from 0. */
export interface Space {
  readonly count: number;
  /** The one that is to be improved on. */
  readonly present: number;
  /** Those that differ in one factor, by one level where levels have an order. */
  neighbours(configuration: number): readonly number[];
}

/** What one trial of a configuration came to, against the present one in the same block. */
export interface Score {
  /** Logarithm of the ratio of the objectives; larger is better. */
  readonly gain: number;
  /** Logarithm of how far the worst condition is missed; 0 where all hold. */
  readonly excess: number;
}

/** Beside the present configuration. */
const ROUND = 8;
/** Of a round, how many have been measured before. */
const KEPT = 3;
/** Whose neighbours are tried. */
const LEADERS = 2;
/** Trials that a leader needs before the search may end for want of news. */
const TRIALS_ENOUGH = 6;

export class Search {
  private readonly scores = new Map<number, Score[]>();

  constructor(
    private readonly space: Space,
    private readonly prng: Prng,
  ) {}

  add(configuration: number, scores: readonly Score[]): void {
    this.scores.set(configuration, [...(this.scores.get(configuration) ?? []), ...scores]);
  }

  trialsOf(configuration: number): number {
    return this.scores.get(configuration)?.length ?? 0;
  }

  /** Mean over its trials; undefined where it has none. */
  scoreOf(configuration: number): Score | undefined {
    const own = this.scores.get(configuration);
    if (!own || own.length === 0) return undefined;
    return { gain: mean(own.map(({ gain }) => gain)), excess: mean(own.map(({ excess }) => excess)) };
  }

  /** All that were measured, without the present one, best first: those that meet the conditions, by their gain. */
  ranking(): number[] {
    const scored = [...this.scores.keys()].map((configuration) => ({
      configuration,
      ...(this.scoreOf(configuration) as Score),
    }));
    return scored
      .sort((a, b) => a.excess - b.excess || b.gain - a.gain)
      .map(({ configuration }) => configuration);
  }

  /** Configurations of the next round beside the present one; empty where another round would tell nothing new. */
  next(): number[] {
    const { count, present } = this.space;
    const isNew = (one: number): boolean => one !== present && !this.scores.has(one);
    const ranking = this.ranking();
    const kept = ranking.slice(0, KEPT);
    const near = ranking.slice(0, LEADERS).flatMap((leader) => this.space.neighbours(leader).filter(isNew));
    const around = ranking.length === 0 ? this.space.neighbours(present).filter(isNew) : near;
    const others = Array.from({ length: count }, (_, one) => one).filter(isNew);
    // Half of the new ones are neighbours, where there are as many: the best may be far from all that was tried.
    const room = Math.min(ROUND - kept.length, others.length);
    const chosen = new Set(this.prng.shuffle([...new Set(around)]).slice(0, Math.ceil(room / 2)));
    for (const other of this.prng.shuffle(others)) if (chosen.size < room) chosen.add(other);
    const isSettled = kept.every((one) => this.trialsOf(one) >= TRIALS_ENOUGH);
    return chosen.size === 0 && isSettled ? [] : [...kept, ...chosen];
  }
}
