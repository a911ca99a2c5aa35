// An experiment: all trials of a scenario in their planned order. Those that an interrupted run of it completed do not run
// again: they are put in as if they had just ended.
import { monotonicMs } from "../../foundation/clock.js";
import { counted } from "../../foundation/units.js";
import type { Environment, StopReason } from "../../results/result-schema.js";
import { setTrialAside } from "../../results/directory.js";
import type { Threshold } from "../../scenario/judgement.js";
import type { Experiment, PlannedTrial, Treatment } from "../../scenario/settings.js";
import { ExperimentRecord } from "./experiment-record.js";
import type { Looks } from "./looks.js";
import type { ResumedExperiment } from "./resume.js";
import {
  runSession,
  type ExperimentOutcome,
  type Found,
  type RunTrials,
  type SessionOptions,
  type TrialSource,
} from "./session.js";

export function runExperiment(experiment: Experiment, options: SessionOptions): Promise<ExperimentOutcome> {
  return runSession(new PlannedTrials(experiment, options), options);
}

type AtOnce = readonly [PlannedTrial, ...PlannedTrial[]];

/** Trials that run at the same time: the two of each block of a duet, else one. */
function atOnce(trials: readonly PlannedTrial[]): AtOnce[] {
  return trials.flatMap((trial, i): AtOnce[] => {
    if (trial.duet?.server === 2) return [];
    const other = trial.duet && trials[i + 1];
    return [other ? [trial, other] : [trial]];
  });
}

class PlannedTrials implements TrialSource {
  private readonly record: ExperimentRecord;
  private readonly resumed: ResumedExperiment | undefined;

  constructor(
    readonly experiment: Experiment,
    private readonly options: SessionOptions,
  ) {
    this.resumed = options.resumed;
    this.record = new ExperimentRecord(experiment, this.resumed?.looks);
    for (const { treatmentId, result, totals } of this.resumed?.trials ?? [])
      this.record.add(treatmentId, result, totals);
  }

  get watched(): readonly Threshold[] {
    return this.experiment.thresholds;
  }

  async runAll(run: RunTrials): Promise<void> {
    this.record.looks.ended = await this.runUntilOver(run);
  }

  private async runUntilOver(run: RunTrials): Promise<Looks["ended"]> {
    const { trials, treatments } = this.experiment;
    const startedMs = monotonicMs();
    const treatmentOf = ({ number, treatmentId }: PlannedTrial): Treatment => {
      const treatment = treatments.find(({ id }) => id === treatmentId);
      if (!treatment) throw new Error(`trial ${number} names an unknown treatment: ${treatmentId}`);
      return treatment;
    };
    for (const together of atOnce(trials)) {
      const [{ block }] = together;
      const missing = together.filter(({ number }) => !this.record.has(number));
      const due = missing.filter((trial) => this.isDue(trial));
      // What left a race may have been under way when the run was interrupted.
      if (this.resumed)
        for (const { number, treatmentId } of missing.filter((trial) => !due.includes(trial)))
          await setTrialAside(this.resumed.directory, number, treatmentId);
      if (due.length === 0) continue;
      const reason = this.record.hasBlock(block) ? undefined : this.whyOver(monotonicMs() - startedMs);
      if (reason) return { reason };
      const ran = await run(due.map((trial) => ({ trial, treatment: treatmentOf(trial) })));
      if (!ran) return {};
      for (const { treatment, result, totals } of ran) this.record.add(treatment.id, result, totals);
    }
    if (trials.some((trial) => this.isDue(trial) && !this.record.isComplete(trial.number))) return {};
    return { reason: this.isDecided() ? "decided" : "all-blocks" };
  }

  private isDue(trial: PlannedTrial): boolean {
    const { looks } = this.record;
    return this.experiment.stopping?.race === undefined || looks.isDue(this.record.unmerged(), trial);
  }

  /** Why no block begins any more; undefined where one does. */
  private whyOver(elapsedMs: number): StopReason | undefined {
    const { stopping } = this.experiment;
    if (!stopping) return undefined;
    if (this.isDecided()) return "decided";
    return elapsedMs >= (stopping.budgetMs ?? Number.POSITIVE_INFINITY) ? "budget" : undefined;
  }

  /** Looks, where a look is due. */
  private isDecided(): boolean {
    const { looks } = this.record;
    const look = looks.due(this.record.treatments());
    if (!look) return false;
    this.options.observer.looked({
      blocks: look.blocks,
      blocksMost: this.experiment.stopping?.max ?? look.blocks,
      nextLook: looks.next(look.blocks) ?? null,
      claims: look.claims,
      open: look.open,
    });
    return look.claims > 0 && look.open.length === 0;
  }

  found(environment: Environment): Found {
    const { record, resumed } = this;
    const { stopping, trials } = this.experiment;
    const planned = `${stopping ? "at most " : ""}${counted(trials.length, "trial")}`;
    return {
      record,
      completeTrials: record.complete,
      unfinished: `unfinished: ${record.complete} of ${planned} complete; continue with run --resume`,
      violations: [...(resumed?.violations ?? []), ...record.violations],
      diagnosis: record.diagnosis(environment),
    };
  }
}
