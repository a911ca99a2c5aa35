// All trials of a scenario in their planned order, and what is left of them: a result directory that is complete
// after every trial, a verdict, an exit code. It starts and stops what the trials run on, and stops early, with
// what there is, when a trial cannot go on or the user asks.
import { rm } from "node:fs/promises";
import { wallClockMs } from "../foundation/clock.js";
import { ExitCode, type TrainSimError } from "../foundation/errors.js";
import { dialectOf } from "../database/dialects/registry.js";
import { dropNamespace } from "../database/namespace.js";
import { Totals, type WindowSummary } from "../metrics/totals.js";
import { compareTreatments } from "../report/comparisons.js";
import { renderSummary } from "../report/summary.js";
import {
  createResultDirectory,
  createTrialDirectory,
  writeResult,
  writeScenario,
  writeSummary,
} from "../results/directory.js";
import { buildResult, treatmentResults } from "../results/result-document.js";
import type { ResultDocument, TrialResult, Verdict } from "../results/result-schema.js";
import { writeTrial } from "../results/trial-files.js";
import type { Experiment, PlannedTrial, Treatment } from "../scenario/settings.js";
import { requireOpenFiles } from "./demand.js";
import { environmentOf } from "./environment.js";
import type { Interruption } from "./interruption.js";
import type { ExperimentObserver } from "./observer.js";
import { TargetKeeper, type KeptTarget } from "./target-keeper.js";
import { runTrial } from "./trial.js";
import type { FinishedTrial } from "./trial-parts.js";

export interface ExperimentOptions {
  /** Directory in which the result directory is made. */
  readonly out: string;
  readonly programVersion: string;
  readonly observer: ExperimentObserver;
  readonly interruption: Interruption;
}

export interface ExperimentOutcome {
  readonly result: ResultDocument;
  readonly summary: string;
  /** The result directory. */
  readonly directory: string;
  readonly exitCode: ExitCode;
  /** Why it ended before its last trial, unless the user asked. */
  readonly failure?: TrainSimError;
}

/** Rejects when not one trial could begin, and then leaves nothing behind. */
export async function runExperiment(
  experiment: Experiment,
  options: ExperimentOptions,
): Promise<ExperimentOutcome> {
  requireOpenFiles(experiment.treatments);
  const directory = await createResultDirectory(options.out, experiment.name, wallClockMs());
  const run = new ExperimentRun(experiment, options, directory);
  try {
    await writeScenario(directory, experiment.yaml);
    await run.trials();
  } catch (error) {
    if (!run.hasTrials) await rm(directory, { recursive: true, force: true });
    throw error;
  } finally {
    await run.release();
  }
  return run.conclude();
}

class ExperimentRun {
  private readonly finished: { treatmentId: string; result: TrialResult }[] = [];
  private readonly totals = new Map<string, { totals: Totals; windowSeconds: number }>();
  private readonly targets: KeptTarget[] = [];
  private readonly poolerVersions = new Set<string>();
  private readonly keeper: TargetKeeper;
  private failure: TrainSimError | undefined;

  constructor(
    private readonly experiment: Experiment,
    private readonly options: ExperimentOptions,
    private readonly directory: string,
  ) {
    this.keeper = new TargetKeeper(experiment.treatments, (started) => {
      this.targets.push(started);
      const { product, version } = started.server;
      const { host, port } = started.target.admin;
      options.observer.note(`${product} ${version} (${started.target.kind}) at ${host}:${port}`);
    });
  }

  get hasTrials(): boolean {
    return this.finished.length > 0;
  }

  async trials(): Promise<void> {
    for (const trial of this.experiment.trials) {
      if (this.options.interruption.isRequested() || this.failure) return;
      await this.trial(trial);
    }
  }

  private async trial(trial: PlannedTrial): Promise<void> {
    const treatment = this.treatmentOf(trial);
    const kept = await this.keeper.provide(treatment);
    const directory = await createTrialDirectory(this.directory, trial.number, treatment.id);
    const index = this.finished.filter((each) => each.treatmentId === treatment.id).length;
    const { observer, interruption } = this.options;
    const done = await runTrial(
      { ...kept, observer, interruption, onPooler: (version) => this.poolerVersions.add(version) },
      { trial, treatment, index, directory },
    );
    this.keep(done, treatment);
    await writeTrial(directory, done.result);
    observer.trialEnded(done.result, treatment);
    this.failure = done.failure;
  }

  private keep(done: FinishedTrial, treatment: Treatment): void {
    this.finished.push({ treatmentId: treatment.id, result: done.result });
    if (done.result.status !== "complete") return;
    const merged = this.totals.get(treatment.id) ?? { totals: new Totals(), windowSeconds: 0 };
    merged.totals.add(done.totals);
    merged.windowSeconds += done.result.windowSeconds;
    this.totals.set(treatment.id, merged);
  }

  /** Takes train-sim's namespace off a server that stays, and stops what was started. */
  async release(): Promise<void> {
    const last = this.targets.at(-1);
    const settings = this.experiment.treatments[0]?.settings;
    if (last && settings && last.target.kind === "url" && !this.failure) {
      await dropNamespace(last.admin, settings.namespace, dialectOf(settings.dialect));
    }
    await this.keeper.release();
  }

  async conclude(): Promise<ExperimentOutcome> {
    const { experiment, directory } = this;
    const merged = new Map<string, WindowSummary>();
    for (const [id, { totals, windowSeconds }] of this.totals) merged.set(id, totals.summary(windowSeconds));
    const treatments = treatmentResults({ experiment, trials: this.finished, merged });
    const result = buildResult({
      experiment,
      trials: this.finished,
      merged,
      environment: environmentOf(this.options.programVersion, this.targets, this.poolerVersions),
      verdict: this.verdict(),
      comparisons: compareTreatments(treatments, experiment.seed),
    });
    const summary = renderSummary(result, { directory });
    await writeResult(directory, result);
    await writeSummary(directory, summary);
    return {
      result,
      summary,
      directory,
      exitCode: this.exitCode(),
      ...(this.failure && { failure: this.failure }),
    };
  }

  private verdict(): Verdict {
    const { interruption } = this.options;
    const aborted = [
      ...(this.failure ? [this.failure.message] : []),
      ...(interruption.isRequested()
        ? [
            `stopped by ${interruption.signalName ?? "a signal"} after ${this.completed()} of ${this.experiment.trials.length} trials`,
          ]
        : []),
    ];
    if (aborted.length > 0) return { status: "aborted", reasons: aborted };
    const reasons = this.violations();
    return { status: reasons.length > 0 ? "tainted" : "ok", reasons };
  }

  private completed(): number {
    return this.finished.filter(({ result }) => result.status === "complete").length;
  }

  private violations(): string[] {
    return this.finished.flatMap(({ treatmentId, result }) =>
      (result.integrity?.violations ?? []).map(
        (words) => `trial ${result.number} (${treatmentId}): ${words}`,
      ),
    );
  }

  /** An integrity violation outranks everything: it says that the numbers count events that are not there. */
  private exitCode(): ExitCode {
    if (this.violations().length > 0) return ExitCode.integrityViolation;
    if (this.failure) return this.failure.exitCode;
    return this.options.interruption.isRequested() ? ExitCode.interrupted : ExitCode.done;
  }

  private treatmentOf(trial: PlannedTrial): Treatment {
    const treatment = this.experiment.treatments.find(({ id }) => id === trial.treatmentId);
    if (!treatment) throw new Error(`trial ${trial.number} names an unknown treatment: ${trial.treatmentId}`);
    return treatment;
  }
}
