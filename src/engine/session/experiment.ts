// An experiment: all trials of a scenario in their planned order. Those that an interrupted run of it completed do not run
// again: they are put in as if they had just ended.
import { counted } from "../../foundation/units.js";
import type { Environment } from "../../results/result-schema.js";
import type { Threshold } from "../../scenario/judgement.js";
import type { Experiment } from "../../scenario/settings.js";
import { ExperimentRecord } from "./experiment-record.js";
import type { ResumedExperiment } from "./resume.js";
import {
  runSession,
  type ExperimentOutcome,
  type Found,
  type RunTrial,
  type SessionOptions,
  type TrialSource,
} from "./session.js";

export function runExperiment(experiment: Experiment, options: SessionOptions): Promise<ExperimentOutcome> {
  return runSession(new PlannedTrials(experiment, options.resumed), options);
}

class PlannedTrials implements TrialSource {
  private readonly record: ExperimentRecord;

  constructor(
    readonly experiment: Experiment,
    private readonly resumed: ResumedExperiment | undefined,
  ) {
    this.record = new ExperimentRecord(experiment);
    for (const { treatmentId, result, totals } of resumed?.trials ?? [])
      this.record.add(treatmentId, result, totals);
  }

  get watched(): readonly Threshold[] {
    return this.experiment.thresholds;
  }

  async runAll(run: RunTrial): Promise<void> {
    const { trials, treatments } = this.experiment;
    for (const trial of trials.filter(({ number }) => !this.record.has(number))) {
      const treatment = treatments.find(({ id }) => id === trial.treatmentId);
      if (!treatment)
        throw new Error(`trial ${trial.number} names an unknown treatment: ${trial.treatmentId}`);
      const ran = await run(trial, treatment);
      if (!ran) return;
      this.record.add(treatment.id, ran.result, ran.totals);
    }
  }

  found(environment: Environment): Found {
    const { record, resumed } = this;
    const planned = counted(this.experiment.trials.length, "trial");
    return {
      record,
      completeTrials: record.complete,
      unfinished: `unfinished: ${record.complete} of ${planned} complete; continue with run --resume`,
      violations: [...(resumed?.violations ?? []), ...record.violations],
      diagnosis: record.diagnosis(environment),
    };
  }
}
