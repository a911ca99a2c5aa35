import { monotonicMs } from "../../foundation/clock.js";
import type { StopReason } from "../../results/result-schema.js";
import { setTrialAside } from "../../results/directory.js";
import type { Experiment, PlannedTrial, Treatment } from "../../scenario/settings.js";
import type { ExperimentRecord } from "./experiment-record.js";
import type { ExperimentObserver } from "./observer.js";
import type { ResumedExperiment } from "./resume.js";
import type { Trials, TrialSource } from "./session.js";

type SimultaneousTrials = readonly [PlannedTrial, ...PlannedTrial[]];

/** Groups trials that run at the same time: the two trials of a duet's block, else one trial. */
function simultaneousTrials(trials: readonly PlannedTrial[]): SimultaneousTrials[] {
  return trials.flatMap((trial, i): SimultaneousTrials[] => {
    if (trial.duet?.server === 2) return [];
    const other = trial.duet && trials[i + 1];
    return [other ? [trial, other] : [trial]];
  });
}

/**
 * Generates the planned trials and makes the looks that are due, which the observer receives. `resumed` is the interrupted
 * run that they continue.
 */
export function plannedTrials(
  experiment: Experiment,
  observer: Pick<ExperimentObserver, "onLook">,
  resumed?: Pick<ResumedExperiment, "directory">,
): TrialSource {
  return {
    experiment,
    watchedThresholds: experiment.thresholds,
    trials: (record) => new Plan(experiment, record, observer, resumed).trials(),
  };
}

class Plan {
  constructor(
    private readonly experiment: Experiment,
    private readonly record: ExperimentRecord,
    private readonly observer: Pick<ExperimentObserver, "onLook">,
    private readonly resumed: Pick<ResumedExperiment, "directory"> | undefined,
  ) {}

  async *trials(): Trials {
    const { record } = this;
    const { trials, treatments } = this.experiment;
    const startedMs = monotonicMs();
    const treatmentOf = ({ number, treatmentId }: PlannedTrial): Treatment => {
      const treatment = treatments.find(({ id }) => id === treatmentId);
      if (!treatment) throw new Error(`trial ${number} names an unknown treatment: ${treatmentId}`);
      return treatment;
    };
    for (const together of simultaneousTrials(trials)) {
      const [{ block }] = together;
      const missing = together.filter(({ number }) => !record.hasTrial(number));
      const due = missing.filter((trial) => this.isDue(trial));
      await this.setTrialsAside(missing.filter((trial) => !due.includes(trial)));
      if (due.length === 0) continue;
      const reason = record.hasBlock(block) ? undefined : this.stopReason(monotonicMs() - startedMs);
      if (reason) {
        record.looks.end(reason);
        return;
      }
      const ran = yield due.map((trial) => ({ trial, treatment: treatmentOf(trial) }));
      for (const { treatment, result, totals } of ran) record.add(treatment.id, result, totals);
    }
    if (trials.some((trial) => this.isDue(trial) && !record.isTrialComplete(trial.number))) return;
    record.looks.end(this.areComparisonsDecided() ? "decided" : "all-blocks");
  }

  /** Sets aside trials of treatments that have left the race: they may have been running when the run was interrupted. */
  private async setTrialsAside(trials: readonly PlannedTrial[]): Promise<void> {
    const { resumed } = this;
    if (resumed)
      for (const { number, treatmentId } of trials)
        await setTrialAside(resumed.directory, number, treatmentId);
  }

  private isDue(trial: PlannedTrial): boolean {
    const { looks } = this.record;
    return this.experiment.stopping?.race === undefined || looks.isDue(this.record.treatments(), trial);
  }

  /** The reason why no further block begins; undefined if the next block begins. */
  private stopReason(elapsedMs: number): StopReason | undefined {
    const { stopping } = this.experiment;
    if (!stopping) return undefined;
    if (this.areComparisonsDecided()) return "decided";
    return elapsedMs >= (stopping.budgetMs ?? Number.POSITIVE_INFINITY) ? "budget" : undefined;
  }

  /** Makes a look if one is due; returns whether all comparisons are decided. */
  private areComparisonsDecided(): boolean {
    const { looks } = this.record;
    const look = looks.dueLook(this.record.treatments());
    if (!look) return false;
    this.observer.onLook({
      blocks: look.blocks,
      blocksMost: this.experiment.stopping?.max ?? look.blocks,
      nextLook: looks.next(look.blocks) ?? null,
      claims: look.claims,
      open: look.open,
    });
    return look.claims > 0 && look.open.length === 0;
  }
}
