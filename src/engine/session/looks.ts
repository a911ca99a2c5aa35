// The looks of one experiment: which were made, at what level the trials so far may claim something, and what of that is stored.
import { raceAfterLastLook, raceStart, isStillInRace, type Race } from "../../analysis/comparison/race.js";
import { comparisonName } from "../../metrics/names.js";
import {
  completeBlockCount,
  boundsAfter,
  evaluateLook,
  looksUpTo,
} from "../../analysis/comparison/stopping.js";
import { BLOCKS_MIN, PLAIN_BOUNDS, type ClaimBounds } from "../../analysis/statistics/limits.js";
import type { StoppingResult, StopReason, TreatmentResult } from "../../results/result-schema.js";
import type { Experiment, PlannedTrial } from "../../scenario/settings.js";

type Treatments = readonly TreatmentResult[];

interface LookResult {
  readonly blocks: number;
  /** Number of comparisons to decide; in a race, each other treatment against the best. */
  readonly claims: number;
  readonly open: readonly string[];
}

export class Looks {
  private stop: { readonly reason?: StopReason } | undefined;

  private readonly races = new Map<string, Race>();

  /** `earlier` are the looks made before an interrupted run is continued. */
  constructor(
    private readonly experiment: Experiment,
    private readonly earlier: readonly number[],
  ) {}

  /** Ends the trials. Without a reason, the cause is no rule of the experiment. Later calls have no effect. */
  end(reason?: StopReason): void {
    this.stop ??= reason ? { reason } : {};
  }

  get isEndedByRule(): boolean {
    return this.stop?.reason !== undefined;
  }

  /** The bounds that claims must meet at the current look. */
  bounds(treatments: Treatments): ClaimBounds {
    const { stopping } = this.experiment;
    return stopping ? boundsAfter(completeBlockCount(treatments), stopping, this.earlier) : PLAIN_BOUNDS;
  }

  /** The result of a look after the blocks so far; undefined if no look is due. */
  dueLook(treatments: Treatments): LookResult | undefined {
    const { stopping } = this.experiment;
    const blocks = completeBlockCount(treatments);
    return stopping && looksUpTo(blocks, stopping, this.earlier).at(-1) === blocks
      ? this.now(treatments)
      : undefined;
  }

  /** The number of blocks at the next look; undefined if no look is left. */
  next(blocks: number): number | undefined {
    const { stopping } = this.experiment;
    return stopping && looksUpTo(stopping.max, stopping).find((look) => look > blocks);
  }

  /** Whether the planned trial is to run; false if its treatment has left the race. */
  isDue(treatments: Treatments, { treatmentId, block }: PlannedTrial): boolean {
    const race = this.race(
      treatments,
      this.looksMade(treatments).filter((look) => look <= block),
    );
    return !race || isStillInRace(race, treatmentId, block);
  }

  /** How the experiment stopped; undefined if the number of trials is fixed. */
  result(treatments: Treatments): StoppingResult | undefined {
    const { stopping } = this.experiment;
    if (!stopping) return undefined;
    const { min, max, within, budgetMs } = stopping;
    const blocks = completeBlockCount(treatments);
    const isCurrentLook = this.stop !== undefined && min !== undefined && blocks >= BLOCKS_MIN;
    const look = this.stop && this.now(treatments);
    const looks = this.looksMade(treatments, isCurrentLook ? [blocks] : []);
    const race = this.race(treatments, looks);
    return {
      ...(min !== undefined && { min }),
      max,
      within,
      ...(budgetMs !== undefined && { budgetSeconds: budgetMs / 1000 }),
      looks,
      level: this.bounds(treatments).level,
      blocks,
      ...this.stop,
      ...(look && { claims: look.claims, open: look.open.length }),
      ...(race && { race: { objective: stopping.race?.words ?? "", ...race } }),
    };
  }

  /** Numbers of blocks of the looks so far and of `others`, ascending. */
  private looksMade(treatments: Treatments, others: readonly number[] = []): number[] {
    const { stopping } = this.experiment;
    return stopping ? looksUpTo(completeBlockCount(treatments), stopping, [...this.earlier, ...others]) : [];
  }

  /** The race as it stands after these looks; undefined if treatments do not race. */
  private race(treatments: Treatments, looks: readonly number[]): Race | undefined {
    const { stopping, seed } = this.experiment;
    const { race: objective } = stopping ?? {};
    if (!stopping || !objective) return undefined;
    const racing = { ...stopping, race: objective };
    return looks.reduce((before, _, i) => {
      const looksMade = looks.slice(0, i + 1);
      const race =
        this.races.get(looksMade.join()) ?? raceAfterLastLook(before, treatments, looksMade, racing, seed);
      if (race !== before) this.races.set(looksMade.join(), race);
      return race;
    }, raceStart(treatments));
  }

  private now(treatments: Treatments): LookResult {
    const blocks = completeBlockCount(treatments);
    const isCurrentLook = blocks >= BLOCKS_MIN;
    const race = this.race(treatments, this.looksMade(treatments, isCurrentLook ? [blocks] : []));
    if (race) {
      const { running, open, left, best = "" } = race;
      const claims = running.length + left.length - 1;
      return { blocks, claims, open: open.map((id) => `${id} against ${best}`) };
    }
    const { seed, thresholds, ratioThresholds } = this.experiment;
    const quantities = [...thresholds, ...ratioThresholds.map(({ over }) => over)];
    const { claims, open } = evaluateLook(treatments, seed, this.bounds(treatments), quantities);
    return { blocks, claims: claims.length, open: open.map(comparisonName) };
  }
}
