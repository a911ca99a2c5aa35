// All trials of a scenario in their planned order, and what is left of them: a result directory that is complete
// after every trial, a verdict, an exit code. It starts and stops what the trials run on, and stops early, with
// what there is, when a trial cannot go on or the user asks.
import { rm } from "node:fs/promises";
import { wallClockMs } from "../../foundation/clock.js";
import { TrainSimError, type ExitCode } from "../../foundation/errors.js";
import { withAnalysis } from "../../analysis/comparison/analysis.js";
import { lint } from "../../analysis/lint/lint.js";
import { evaluateThresholds } from "../../analysis/thresholds/thresholds.js";
import {
  createResultDirectory,
  writeResult,
  createTrialDirectory,
  setTrialAside,
  writeScenario,
} from "../../results/directory.js";
import type { ResultDocument, ThresholdResult } from "../../results/result-schema.js";
import { lockDirectory, unlockDirectory } from "../../results/run-lock.js";
import { writeTrial } from "../../results/trial-files.js";
import type { Experiment, PlannedTrial, Treatment } from "../../scenario/settings.js";
import { exitCodeOf, verdictOf, type Facts } from "./conclusion.js";
import { requireCapacity, targetKey } from "./demand.js";
import { inDialect } from "./dialect-choice.js";
import { requireFaults } from "../trial/require-faults.js";
import { requirePoolers, type PoolerVersion } from "../trial/pooler.js";
import { requireOwnServers } from "./preflight.js";
import { environmentOf } from "./environment.js";
import type { Interruption } from "./interruption.js";
import { ExperimentHost, type ClaimedTarget } from "./experiment-host.js";
import { ExperimentRecord, type Findings } from "./experiment-record.js";
import { Judge } from "./judge.js";
import type { ExperimentObserver } from "./observer.js";
import { requireSameEnvironment, requireSamePooler, type ResumedExperiment } from "./resume.js";
import { runTrial } from "../trial/trial.js";

export interface ExperimentOptions {
  /** Directory in which the result directory is made. */
  readonly out: string;
  readonly programVersion: string;
  readonly observer: ExperimentObserver;
  readonly interruption: Interruption;
  /** What an interrupted run of the same experiment left; its directory is gone on with. */
  readonly resumed?: ResumedExperiment;
}

export interface ExperimentOutcome {
  readonly result: ResultDocument;
  /** The result directory. */
  readonly directory: string;
  readonly exitCode: ExitCode;
  /** Why it ended before its last trial, unless the user asked. */
  readonly failure?: TrainSimError;
}

/** Rejects when not one trial could begin, and then leaves nothing behind, or what it was given to resume as it was. */
export async function runExperiment(
  experiment: Experiment,
  options: ExperimentOptions,
): Promise<ExperimentOutcome> {
  requireCapacity(experiment.treatments);
  const { resumed } = options;
  const poolers = await requirePoolers(experiment.treatments);
  if (resumed) for (const pooler of poolers) requireSamePooler(resumed.environment, pooler);
  await requireFaults(experiment.treatments);
  await requireOwnServers(experiment.treatments, (words) => options.observer.note(`warning: ${words}`));
  const directory =
    resumed?.directory ?? (await createResultDirectory(options.out, experiment.name, wallClockMs()));
  await lockDirectory(directory);
  const run = new ExperimentRun(experiment, options, directory);
  for (const { words } of lint(experiment)) options.observer.note(`warning: ${words}`);
  try {
    if (!resumed) await writeScenario(directory, experiment.yaml);
    await run.trials().finally(() => run.release());
    return await run.conclude();
  } catch (error) {
    if (!resumed && !run.hasBegun) await rm(directory, { recursive: true, force: true });
    throw error;
  } finally {
    await unlockDirectory(directory);
  }
}

class ExperimentRun {
  private readonly record: ExperimentRecord;
  private readonly judge: Judge;
  private readonly host: ExperimentHost;
  private failure: TrainSimError | undefined;
  private isBegun = false;

  constructor(
    private readonly experiment: Experiment,
    private readonly options: ExperimentOptions,
    private readonly directory: string,
  ) {
    this.record = new ExperimentRecord(experiment, directory);
    this.judge = new Judge(experiment, options.observer, options.interruption);
    for (const { treatmentId, result, totals } of options.resumed?.trials ?? [])
      this.record.add(treatmentId, result, totals);
    const { programVersion, observer, resumed } = options;
    this.host = new ExperimentHost(experiment.treatments, programVersion, observer, resumed);
  }

  /** Whether a trial was begun, so that the directory has changed. */
  get hasBegun(): boolean {
    return this.isBegun;
  }

  async trials(): Promise<void> {
    for (const trial of this.experiment.trials) {
      if (this.options.interruption.isRequested() || this.failure) return;
      if (!this.record.has(trial)) await this.trial(trial);
    }
  }

  private async trial(trial: PlannedTrial): Promise<void> {
    const planned = this.treatmentOf(trial);
    const kept = await this.provide(planned);
    if (!kept || this.options.interruption.isRequested()) return;
    const treatment = inDialect(planned, kept.dialect);
    this.isBegun = true;
    await this.record.writeUnfinished(this.findings());
    await setTrialAside(this.directory, trial.number, treatment.id);
    const directory = await createTrialDirectory(this.directory, trial.number, treatment.id);
    const { observer, interruption } = this.options;
    const { identities } = this.host;
    const onTotals = this.judge.watcher(trial, treatment);
    const onPooler = (pooler: PoolerVersion): void => this.onPooler(pooler);
    const done = await runTrial(
      { ...kept, identities, observer, interruption, onPooler, ...(onTotals && { onTotals }) },
      { trial, treatment, index: this.record.indexOf(trial), directory },
    );
    if (!done.failure && !interruption.isRequested())
      await this.judge.ensureCeiling({ target: kept.target, trial, treatment, directory });
    const result = this.judge.judge(done, trial, treatment);
    this.record.add(treatment.id, result, done.totals);
    await writeTrial(directory, result);
    observer.trialEnded(result, treatment);
    this.failure = done.failure;
  }

  /** The treatment's target; undefined, and the experiment at its end, when it fails after other trials have run. */
  private async provide(treatment: Treatment): Promise<ClaimedTarget | undefined> {
    try {
      const kept = await this.host.provide(treatment);
      const { resumed, programVersion } = this.options;
      if (resumed) {
        // A server on which no trial ran yet has nothing to be the same as.
        const { treatments } = this.experiment;
        const sharing = treatments.filter((each) => targetKey(each) === targetKey(treatment));
        const hasRun = resumed.trials.some(({ treatmentId }) => sharing.some(({ id }) => id === treatmentId));
        if (hasRun) await this.host.identities.requireSameClusters(kept.target);
        const now = environmentOf(programVersion, hasRun ? [kept] : [], []);
        requireSameEnvironment(this.experiment, resumed.environment, now);
      }
      return kept;
    } catch (error) {
      if (!this.isBegun || !(error instanceof TrainSimError)) throw error;
      this.failure = error;
      return undefined;
    }
  }

  private onPooler(pooler: PoolerVersion): void {
    if (this.options.resumed) requireSamePooler(this.options.resumed.environment, pooler);
    this.host.addPooler(pooler);
  }

  async release(): Promise<void> {
    await this.host.release(this.failure !== undefined);
  }

  async conclude(): Promise<ExperimentOutcome> {
    const { directory, record, experiment, judge } = this;
    const thresholds = evaluateThresholds(experiment.thresholds, record.judged(), judge.abort);
    const facts = this.facts(thresholds);
    const verdict = verdictOf(facts);
    const result = withAnalysis(record.document({ ...this.findings(), thresholds, verdict }));
    await writeResult(directory, result);
    const failure = facts.failure ?? facts.abortedBy;
    return {
      result,
      directory,
      exitCode: exitCodeOf(facts),
      ...(failure && { failure }),
    };
  }

  /** What can be said at any time. */
  private findings(): Pick<Findings, "environment" | "diagnosis" | "ceilings"> {
    const { resumed } = this.options;
    const environment = this.host.environment();
    return {
      environment,
      diagnosis: [
        ...this.record.diagnosis(environment),
        ...(resumed?.interruptions ?? []),
        ...this.host.leftEntries(),
      ],
      ceilings: new Map([...(resumed?.ceilings ?? []), ...this.judge.ceilingsByTreatment()]),
    };
  }

  /** All that verdict and exit code are made of. */
  private facts(thresholds: readonly ThresholdResult[]): Facts {
    const { record, experiment, failure } = this;
    const { reason: stopReason, abortedBy } = this.options.interruption;
    return {
      treatments: record.treatments(),
      violations: [...(this.options.resumed?.violations ?? []), ...record.violations],
      thresholds,
      failure,
      stopReason,
      abortedBy,
      completeTrials: record.complete,
      plannedTrials: experiment.trials.length,
    };
  }

  private treatmentOf(trial: PlannedTrial): Treatment {
    const treatment = this.experiment.treatments.find(({ id }) => id === trial.treatmentId);
    if (!treatment) throw new Error(`trial ${trial.number} names an unknown treatment: ${trial.treatmentId}`);
    return treatment;
  }
}
