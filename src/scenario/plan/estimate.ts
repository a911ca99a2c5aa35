// The duration of a plan from its phases alone. Start-up of the target, resets and integrity checks come on top.
import type { Experiment, TreatmentSettings } from "../settings.js";
import { budgetMs } from "../../load/load-settings.js";

export interface TimeSpan {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** True if the measurement window ends with the roles' budgets of iterations instead of after a time. */
export function isBudgeted(settings: TreatmentSettings): boolean {
  return Object.values(settings.actors).some(({ load }) => budgetMs(load) !== undefined);
}

export function trialSpan(settings: TreatmentSettings): TimeSpan {
  const { warmUpMs, durationMs, drainMaxMs } = settings.trial;
  const budgets = Object.values(settings.actors).map(({ load }) => budgetMs(load) ?? 0);
  const windowMs = isBudgeted(settings)
    ? { least: 0, most: Math.max(...budgets) }
    : { least: durationMs, most: durationMs };
  return { leastMs: warmUpMs + windowMs.least, mostMs: warmUpMs + windowMs.most + drainMaxMs };
}

/** Number of blocks that run with any results. A time budget may end the experiment before the second. */
export function leastBlocks({ trials, treatments, stopping }: Experiment): number {
  if (!stopping) return trials.length / treatments.length;
  return stopping.budgetMs === undefined ? (stopping.min ?? stopping.max) : 1;
}

/**
 * Time span of all trials, one after the other or, in a duet, two at a time: least (trials that are sure to run) and most.
 */
export function experimentSpan(experiment: Experiment): TimeSpan {
  const byId = new Map(experiment.treatments.map(({ id, settings }) => [id, trialSpan(settings)]));
  const [least, none] = [leastBlocks(experiment), { leastMs: 0, mostMs: 0 }];
  return experiment.trials.reduce((sum, { block, treatmentId, duet }) => {
    if (duet?.server === 2) return sum;
    const { leastMs, mostMs } = byId.get(treatmentId) ?? none;
    return { leastMs: sum.leastMs + (block < least ? leastMs : 0), mostMs: sum.mostMs + mostMs };
  }, none);
}
