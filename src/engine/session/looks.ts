// The looks of one session at its experiment: which were made, at what level the trials so far may claim something, and what
// of that is stored. Whether to go on is asked between blocks (`experiment.ts`).
import { blocksOf, boundsAfter, lookAt, looksUpTo, type Look } from "../../analysis/comparison/stopping.js";
import { BLOCKS_MIN, PLAIN_BOUNDS, type ClaimBounds } from "../../analysis/statistics/limits.js";
import type { StoppingResult, StopReason, TreatmentResult } from "../../results/result-schema.js";
import type { Experiment } from "../../scenario/settings.js";

type Treatments = readonly TreatmentResult[];

export class Looks {
  /** Why no more trials run; without a reason, something that is no rule of the experiment ended it. */
  ended: { readonly reason?: StopReason } | undefined;

  /** `earlier` are the looks of a run that this one goes on with. */
  constructor(
    private readonly experiment: Experiment,
    private readonly earlier: readonly number[],
  ) {}

  /** What claims are held to now. */
  bounds(treatments: Treatments): ClaimBounds {
    const { stopping } = this.experiment;
    return stopping ? boundsAfter(blocksOf(treatments), stopping, this.earlier) : PLAIN_BOUNDS;
  }

  /** Undefined where no look is due after so many blocks. */
  due(treatments: Treatments): Look | undefined {
    const { stopping } = this.experiment;
    const blocks = blocksOf(treatments);
    return stopping && looksUpTo(blocks, stopping, this.earlier).at(-1) === blocks
      ? this.now(treatments)
      : undefined;
  }

  /** The number of blocks at the next look; undefined where there is none. */
  next(blocks: number): number | undefined {
    const { stopping } = this.experiment;
    return stopping && looksUpTo(stopping.max, stopping).find((look) => look > blocks);
  }

  /** Undefined where all planned trials run, whatever they find. */
  result(treatments: Treatments): StoppingResult | undefined {
    const { stopping } = this.experiment;
    if (!stopping) return undefined;
    const { min, max, within, budgetMs } = stopping;
    const blocks = blocksOf(treatments);
    const isLook = this.ended !== undefined && min !== undefined && blocks >= BLOCKS_MIN;
    const look = this.ended && this.now(treatments);
    return {
      ...(min !== undefined && { min }),
      ...{ max, within },
      ...(budgetMs !== undefined && { budgetSeconds: budgetMs / 1000 }),
      looks: looksUpTo(blocks, stopping, [...this.earlier, ...(isLook ? [blocks] : [])]),
      level: this.bounds(treatments).level,
      blocks,
      ...this.ended,
      ...(look && { claims: look.claims.length, open: look.open.length }),
    };
  }

  private now(treatments: Treatments): Look {
    const { seed, thresholds, ratioThresholds } = this.experiment;
    const quantities = [...thresholds, ...ratioThresholds.map(({ over }) => over)];
    return lookAt(treatments, seed, this.bounds(treatments), quantities);
  }
}
