// One session: the trials of a source, and a directory that is complete before each of them.
import { wallClockMs } from "../../foundation/clock.js";
import { explain } from "../../database/registry.js";
import type { ExitCode, TrainSimError } from "../../foundation/errors.js";
import { withAnalysis } from "../../analysis/comparison/analysis.js";
import { validityOf } from "../../analysis/diagnosis/validity.js";
import { lint, lintEntry } from "../../analysis/lint/lint.js";
import type { Lint } from "../../analysis/lint/lint-types.js";
import {
  createResultDirectory,
  writeResult,
  createTrialDirectory,
  setTrialAside,
  writeScenario,
  type ResultDirectory,
} from "../../results/directory.js";
import type { ResultDocument, ThresholdResult, Verdict } from "../../results/result-schema.js";
import { lockDirectory, unlockDirectory } from "../../results/run-lock.js";
import { writeTrial } from "../../results/trial-files.js";
import type { Threshold } from "../../scenario/judgement.js";
import type { Experiment, PlannedTrial, Treatment } from "../../scenario/settings.js";
import { exitCodeOf, verdictOf } from "./conclusion.js";
import { requireMachineLimits, requireInjectableFaults, targetKey } from "./demand.js";
import { treatmentInDialect } from "./dialect-choice.js";
import { requirePoolers, type PoolerVersion } from "../trial/pooler.js";
import { requireServers } from "./preflight.js";
import { environmentOf } from "./environment.js";
import type { Interruption } from "./interruption.js";
import { ExperimentHost, type ClaimedTarget } from "./experiment-host.js";
import { ExperimentRecord } from "./experiment-record.js";
import { gatherAgents, type WorkerPlaces } from "./gather-agents.js";
import { Judge } from "./judge.js";
import { machineCaveats } from "./machine-caveats.js";
import { combineObservers, type ExperimentObserver } from "./observer.js";
import { requireSameEnvironment, requireSamePooler, type ResumedExperiment } from "./resume.js";
import { StartBarrier } from "../trial/meeting.js";
import { runTrial } from "../trial/trial.js";
import type { AgentOptions } from "../agents/agent-hub.js";
import type { FinishedTrial, TrialHost } from "../trial/trial-parts.js";
import type { WorkerPlace } from "../workers/worker-place.js";

export interface SessionOptions {
  /** Directory in which the result directory is made. */
  readonly out: string;
  readonly programVersion: string;
  readonly observer: ExperimentObserver;
  readonly interruption: Interruption;
  /** How agents join, if the experiment runs on agents. */
  readonly agents?: AgentOptions;
  /** State of an interrupted run of the same experiment, whose directory is continued. */
  readonly resumed?: ResumedExperiment;
}

export interface ExperimentOutcome {
  readonly result: ResultDocument;
  readonly directory: string;
  readonly exitCode: ExitCode;
  readonly failure?: TrainSimError;
}

/** A finished trial: its result with the objections, its totals, and its treatment in the server's dialect. */
export type TrialWithTreatment = Pick<FinishedTrial, "result" | "totals"> & { readonly treatment: Treatment };

/** A planned trial with its treatment, to be run next. */
export interface TrialToRun {
  readonly trial: PlannedTrial;
  readonly treatment: Treatment;
}

/** Yields groups of trials that run at the same time; receives each group's results before it yields the next. */
export type Trials = AsyncGenerator<readonly TrialToRun[], void, readonly TrialWithTreatment[]>;

export interface TrialSource {
  /** The experiment whose treatments the servers must be able to run. */
  readonly experiment: Experiment;
  /** Thresholds that are evaluated while a trial runs. */
  readonly watchedThresholds: readonly Threshold[];
  /** Generates the trials. The session records each as it ends, and stops asking for more once it stops. */
  trials(record: ExperimentRecord): Trials;
}

/** A trial with its claimed target, its treatment in the server's dialect. */
interface ReadyTrial extends TrialToRun {
  readonly openTarget: ClaimedTarget;
}

interface MeasuredTrial extends ReadyTrial {
  readonly place: WorkerPlace;
  readonly directory: string;
  readonly done: FinishedTrial;
}

/** Runs the session. If no trial could begin, rejects and removes what it made; a directory to resume stays as it was. */
export async function runSession(source: TrialSource, options: SessionOptions): Promise<ExperimentOutcome> {
  const { treatments, name } = source.experiment;
  requireMachineLimits(treatments);
  // Before servers and agents are asked, so that an unwritable directory is reported without waiting.
  const { path: directory, discard } = await claimResultDirectory(name, options);
  let session: Session | undefined;
  try {
    const agents = await prepareAgents(source.experiment, options);
    try {
      session = new Session(source, options, agents, directory);
      return await session.run();
    } finally {
      await agents.close();
    }
  } catch (error) {
    if (!session?.hasBegun) await discard();
    throw error;
  } finally {
    await unlockDirectory(directory);
  }
}

async function claimResultDirectory(
  name: string,
  { out, resumed }: SessionOptions,
): Promise<ResultDirectory> {
  const resultDirectory = resumed
    ? { path: resumed.directory, discard: () => Promise.resolve() }
    : await createResultDirectory(out, name, wallClockMs());
  try {
    await lockDirectory(resultDirectory.path);
    return resultDirectory;
  } catch (error) {
    await resultDirectory.discard();
    throw error;
  }
}

/** Waits for the agents. Called once everything else that the first trial needs is ready. */
async function prepareAgents(
  { treatments, directory }: Pick<Experiment, "treatments" | "directory">,
  options: SessionOptions,
): Promise<WorkerPlaces> {
  const { observer, resumed } = options;
  const requireSamePoolerVersion = (pooler: PoolerVersion): void => {
    if (resumed) requireSamePooler(resumed.environment, pooler);
  };
  for (const pooler of await requirePoolers(treatments)) requireSamePoolerVersion(pooler);
  await requireInjectableFaults(treatments);
  await requireServers(treatments, directory, (words) => observer.note(`warning: ${words}`));
  const agents = await gatherAgents(treatments, options);
  try {
    for (const pooler of agents.poolers) requireSamePoolerVersion(pooler);
    return agents;
  } catch (error) {
    await agents.close();
    throw error;
  }
}

class Session {
  private readonly host: ExperimentHost;
  private readonly judge: Judge;
  private readonly record: ExperimentRecord;
  private readonly caveats: readonly Lint[];
  private failure: TrainSimError | undefined;
  /** Whether a trial has begun, so that the directory has changed. */
  hasBegun = false;

  constructor(
    private readonly source: TrialSource,
    private readonly options: SessionOptions,
    private readonly agents: WorkerPlaces,
    private readonly directory: string,
  ) {
    const { experiment, watchedThresholds } = source;
    const { programVersion, observer, interruption, resumed } = options;
    this.host = new ExperimentHost(experiment, programVersion, observer, resumed);
    this.caveats = machineCaveats(experiment.treatments);
    this.judge = new Judge(experiment, watchedThresholds, observer, interruption);
    this.record = new ExperimentRecord(experiment, resumed);
  }

  async run(): Promise<ExperimentOutcome> {
    const { experiment } = this.source;
    const { observer, resumed } = this.options;
    for (const { words } of [...lint(experiment), ...this.caveats]) observer.note(`warning: ${words}`);
    if (!resumed) await writeScenario(this.directory, experiment.yaml);
    try {
      const trials = this.source.trials(this.record);
      for (let next = await trials.next([]); !next.done;) {
        const ran = await this.runTrialGroup(next.value);
        if (!ran) break;
        next = await trials.next(ran);
        if (!next.done) this.judge.judgeRatios(this.record);
      }
    } finally {
      await this.host.release(this.failure !== undefined);
    }
    return this.conclude();
  }

  /** Runs a group of trials at the same time; undefined if the session stops instead. */
  private async runTrialGroup(
    planned: readonly TrialToRun[],
  ): Promise<readonly TrialWithTreatment[] | undefined> {
    const { interruption } = this.options;
    if (this.failure || interruption.isRequested()) return undefined;
    const ready: ReadyTrial[] = [];
    for (const { trial, treatment } of planned) {
      const openTarget = await this.provide(treatment, trial.duet?.server);
      if (!openTarget || interruption.isRequested()) return undefined;
      ready.push({ trial, openTarget, treatment: treatmentInDialect(treatment, openTarget.dialect) });
    }
    this.hasBegun = true;
    await this.writeUnfinishedResult();
    const startBarrier = new StartBarrier(ready.length);
    const measured = await Promise.all(ready.map((each) => this.measure(each, startBarrier)));
    const ran: TrialWithTreatment[] = [];
    for (const each of measured) ran.push(await this.judgeTrial(each));
    return ran;
  }

  private async measure(ready: ReadyTrial, startBarrier: StartBarrier): Promise<MeasuredTrial> {
    const { trial, treatment, openTarget } = ready;
    const { interruption, observer: all } = this.options;
    // Only the trial on a duet's first server is shown live.
    const observer =
      trial.duet?.server === 2 ? { ...combineObservers([]), note: (text: string) => all.note(text) } : all;
    await setTrialAside(this.directory, trial.number, treatment.id);
    const directory = await createTrialDirectory(this.directory, trial.number, treatment.id);
    const place = this.agents.placeOf(treatment);
    const onTotals = this.judge.createTotalsWatcher(trial, treatment, observer);
    const host: TrialHost = {
      ...openTarget,
      place,
      identities: this.host.identities,
      observer,
      interruption,
      onPooler: (pooler) => this.onPooler(pooler),
      ...(onTotals && { onTotals }),
      meeting: startBarrier,
    };
    return { ...ready, place, directory, done: await runTrial(host, { trial, treatment, directory }) };
  }

  /** Judges a trial. Called once no trial of its group runs any more. */
  private async judgeTrial({
    trial,
    treatment,
    openTarget,
    place,
    directory,
    done,
  }: MeasuredTrial): Promise<TrialWithTreatment> {
    const { observer, interruption } = this.options;
    if (!done.failure && !interruption.isRequested())
      await this.judge.ensureCeiling({ target: openTarget.target, place, trial, treatment, directory });
    const result = this.judge.judge(done, trial, treatment);
    await writeTrial(directory, result);
    observer.trialEnded(result, treatment);
    this.failure ??= done.failure;
    return { result, totals: done.totals, treatment };
  }

  /**
   * Provides the treatment's target. If that fails after other trials have run, ends the session and resolves to undefined.
   */
  private async provide(treatment: Treatment, server?: number): Promise<ClaimedTarget | undefined> {
    try {
      const kept = await this.host.provide(treatment, server);
      if (this.options.resumed) await this.requireSameServer(this.options.resumed, kept, treatment);
      return kept;
    } catch (error) {
      const failure = explain(error);
      if (!this.hasBegun || !failure) throw error;
      this.failure = failure;
      return undefined;
    }
  }

  /** Compares the server with the resumed run's server, if a trial has already run on it. */
  private async requireSameServer(
    { trials, environment }: ResumedExperiment,
    kept: ClaimedTarget,
    treatment: Treatment,
  ): Promise<void> {
    const { experiment } = this.source;
    const targetTreatments = experiment.treatments.filter((each) => targetKey(each) === targetKey(treatment));
    const hasServerRunTrial = trials.some(({ treatmentId }) =>
      targetTreatments.some(({ id }) => id === treatmentId),
    );
    if (hasServerRunTrial) await this.host.identities.requireSameClusters(kept.target);
    const now = environmentOf(this.options.programVersion, hasServerRunTrial ? [kept] : [], []);
    requireSameEnvironment(experiment, environment, now);
  }

  private onPooler(pooler: PoolerVersion): void {
    if (this.options.resumed) requireSamePooler(this.options.resumed.environment, pooler);
    this.host.addPooler(pooler);
  }

  /**
   * Writes an unfinished `result.json`, so that a killed run leaves a directory that identifies itself. Statistics are left
   * to the end, because they take long and say little about incomplete blocks.
   */
  private async writeUnfinishedResult(): Promise<void> {
    const { record } = this;
    const validity = validityOf(record.treatments(), record.violations);
    const verdict: Verdict = { status: "aborted", reasons: [record.progress], ...validity };
    await writeResult(this.directory, this.document(verdict));
  }

  private async conclude(): Promise<ExperimentOutcome> {
    const { directory, failure, record } = this;
    const { reason: stopReason, abortedBy } = this.options.interruption;
    record.looks.end();
    const thresholds = record.thresholds(this.judge.abort, this.judge.ratioAbort);
    const facts = {
      treatments: record.treatments(),
      violations: record.violations,
      capacity: record.capacity,
      completeTrials: record.complete,
      plannedTrials: record.looks.isEndedByRule ? record.complete : this.source.experiment.trials.length,
      thresholds,
      failure,
      stopReason,
      abortedBy,
    };
    const published = record.publishedResults();
    const document = this.document(verdictOf(facts), thresholds);
    const result = withAnalysis({ ...document, ...(published && { published }) });
    await writeResult(directory, result);
    const cause = failure ?? abortedBy;
    return { result, directory, exitCode: exitCodeOf(facts), ...(cause && { failure: cause }) };
  }

  private document(verdict: Verdict, thresholds?: readonly ThresholdResult[]): ResultDocument {
    const { host, record } = this;
    const { resumed } = this.options;
    const environment = host.environment();
    return record.document({
      verdict,
      thresholds,
      environment,
      diagnosis: [
        ...record.diagnosis(environment),
        ...this.caveats.map(lintEntry),
        ...(resumed?.interruptions ?? []),
        ...host.leftEntries(),
      ],
      ceilings: new Map([...(resumed?.ceilings ?? []), ...this.judge.ceilingsByTreatment()]),
    });
  }
}
