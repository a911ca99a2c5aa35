// Planned time, plus the excess of finished trials over their plan. A trial that ends with its iterations has no planned
// length: until one of its treatment has run, there is no estimate.
import { isBudgeted } from "../scenario/plan/estimate.js";
import type { Experiment, PlannedTrial, Treatment } from "../scenario/settings.js";

/** Assumed time of reset, drain and audit together, before the first trial has shown it. */
const ASSUMED_OVERHEAD_MS = 2_000;

function plannedTrialMs({ settings }: Treatment): number {
  return settings.trial.warmUpMs + settings.trial.durationMs;
}

class Mean {
  private sum = 0;
  private count = 0;

  add(value: number): void {
    this.sum += value;
    this.count += 1;
  }

  get value(): number | undefined {
    return this.count > 0 ? this.sum / this.count : undefined;
  }
}

export class TimeLeft {
  private readonly waiting = new Map<number, PlannedTrial>();
  private readonly treatments: ReadonlyMap<string, Treatment>;
  private readonly meanMsByTreatment = new Map<string, Mean>();
  private readonly overhead = new Mean();
  private running: { readonly trial: PlannedTrial; readonly startedMs: number } | undefined;

  /** `done` holds the numbers of trials that need not run any more. */
  constructor(experiment: Pick<Experiment, "trials" | "treatments">, done: ReadonlySet<number>) {
    this.treatments = new Map(experiment.treatments.map((each) => [each.id, each]));
    for (const trial of experiment.trials)
      if (!done.has(trial.number) && trial.duet?.server !== 2) this.waiting.set(trial.number, trial);
  }

  beginTrial(trial: PlannedTrial, nowMs: number): void {
    this.waiting.delete(trial.number);
    this.running = { trial, startedMs: nowMs };
  }

  addTrial(treatment: Treatment, nowMs: number): void {
    if (!this.running) return;
    const tookMs = nowMs - this.running.startedMs;
    this.running = undefined;
    const treatmentMean = this.meanMsByTreatment.get(treatment.id) ?? new Mean();
    treatmentMean.add(tookMs);
    this.meanMsByTreatment.set(treatment.id, treatmentMean);
    if (!isBudgeted(treatment.settings)) this.overhead.add(Math.max(0, tookMs - plannedTrialMs(treatment)));
  }

  /**
   * Estimated remaining milliseconds; null if a remaining trial has an unknown duration. No block begins after `budgetMs`.
   */
  leftMs(nowMs: number, budgetMs = Number.POSITIVE_INFINITY): number | null {
    let remainingMs = 0;
    let block = this.running?.trial.block;
    if (this.running) {
      const { trial, startedMs } = this.running;
      remainingMs += Math.max(0, this.expectedTrialMs(trial.treatmentId) - (nowMs - startedMs));
    }
    for (const trial of this.waiting.values()) {
      if (trial.block !== block && remainingMs >= budgetMs) break;
      block = trial.block;
      remainingMs += this.expectedTrialMs(trial.treatmentId);
    }
    return Number.isFinite(remainingMs) ? remainingMs : null;
  }

  private expectedTrialMs(treatmentId: string): number {
    const treatment = this.treatments.get(treatmentId);
    if (!treatment) return Number.NaN;
    const treatmentMeanMs = this.meanMsByTreatment.get(treatmentId)?.value;
    if (isBudgeted(treatment.settings)) return treatmentMeanMs ?? Number.NaN;
    return treatmentMeanMs ?? plannedTrialMs(treatment) + (this.overhead.value ?? ASSUMED_OVERHEAD_MS);
  }
}
