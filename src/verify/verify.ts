// `report --verify` recomputes every figure by the functions that made it, and writes nothing.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, messageOf } from "../foundation/errors.js";
import { HistogramSet } from "../metrics/histograms.js";
import { reportPage } from "../report/html/report-file.js";
import { renderSummary } from "../report/terminal/summary.js";
import type { Verification } from "./verification.js";
import { REPORT_FILE, SCENARIO_FILE, SUMMARY_FILE, trialPath } from "../results/directory.js";
import { readResult, readTrial } from "../results/reader.js";
import type { GeneratorCeiling, Finding, ResultDocument, TrialResult } from "../results/result-schema.js";
import { totalsOf } from "../results/stored-totals.js";
import type { Experiment } from "../scenario/settings.js";
import { parseCapacityThreshold, treatmentAt } from "../engine/capacity/capacity-probe.js";
import { ExperimentRecord } from "../engine/session/experiment-record.js";
import { readInterruptedScenario, RESUMED_RULE } from "../engine/session/resume.js";
import { searchedTreatments } from "../engine/capacity/searched-treatments.js";
import { compareCapacity } from "./capacity-figures.js";
import { DocumentFigures } from "./document-figures.js";
import { Figures } from "./figures.js";
import { TrialFigures, type RecomputedTrial } from "./trial-figures.js";

/** Verifies a result's directory. Rejects with a UsageError if it has no result, or if its scenario cannot be read. */
export async function verifyResult(directory: string, programVersion: string): Promise<Verification> {
  const result = await readResult(directory);
  const experiment = await readInterruptedScenario(directory, undefined, {});
  return new ResultVerifier(
    directory,
    result,
    searchedExperiment(experiment, result),
    programVersion,
  ).verify();
}

interface TreatmentTrial {
  readonly treatmentId: string;
  readonly trial: TrialResult;
  readonly ceiling?: GeneratorCeiling | undefined;
}

/** Trials in the order in which they ran. Sums are added up in this order, so that rounding errors are the same. */
function trialsOf({ treatments }: ResultDocument): TreatmentTrial[] {
  return treatments
    .flatMap(({ id, ceiling, trials }) => trials.map((trial) => ({ treatmentId: id, trial, ceiling })))
    .sort((a, b) => a.trial.number - b.trial.number);
}

/** The experiment as it ran. A search for capacity ran only the treatments that were searched. */
function searchedExperiment(experiment: Experiment, { capacity }: ResultDocument): Experiment {
  const [first] = capacity ?? [];
  if (!first) return experiment;
  const threshold = parseCapacityThreshold(`${first.metric}: ${first.expression}`, experiment.treatments);
  const treatments = searchedTreatments(experiment.treatments, threshold);
  const isTreatmentSearched = (id: string): boolean => treatments.some((each) => each.id === id);
  const trials = experiment.trials.filter(({ treatmentId }) => isTreatmentSearched(treatmentId));
  return { ...experiment, treatments, trials };
}

class ResultVerifier {
  private readonly figures: Figures;
  private readonly record: ExperimentRecord;
  private readonly again = new Map<number, RecomputedTrial>();
  private readonly resultVersion: string | undefined;

  constructor(
    private readonly directory: string,
    private readonly result: ResultDocument,
    private readonly experiment: Experiment,
    private readonly programVersion: string,
  ) {
    this.figures = new Figures(directory);
    this.record = new ExperimentRecord(experiment, { looks: result.stopping?.looks ?? [] });
    this.record.capacity = result.capacity;
    this.resultVersion = result.environment.versions["train-sim"];
  }

  /** False for a run that was killed and lacks the figures that are made at its end. */
  private get isConcluded(): boolean {
    return this.result.treatments.some(({ summary }) => summary) || this.result.comparisons.length > 0;
  }

  async verify(): Promise<Verification> {
    const { figures, directory, programVersion, resultVersion, result, experiment } = this;
    for (const trial of trialsOf(result)) await this.trial(trial);
    await this.reportStrayTrials();
    const { record, isConcluded } = this;
    await new DocumentFigures(figures, {
      directory,
      result,
      experiment,
      record,
      unmerged: this.unmerged,
    }).compare(isConcluded);
    await this.capacity();
    await this.pages();
    figures.leave(
      "database, plans, client, machine, servers, faults",
      "readings at the window's ends are not kept",
    );
    figures.leave("parts of the response time, time of empty polls", "their sums by second are not kept");
    figures.leave("response times of single workers", "their histograms are not kept");
    figures.leave("tables at the end of a trial", "they are dropped; the audit's counts are as stored");
    return {
      directory,
      programVersion,
      resultVersion: resultVersion ?? null,
      figures: figures.byKind,
      differences: figures.differences,
      notRecomputed: figures.notRecomputed,
    };
  }

  /** Treatments with a trial whose histograms cannot be read. */
  private get unmerged(): Set<string> {
    const trials = trialsOf(this.result).filter(({ trial }) => !this.again.get(trial.number)?.totals);
    return new Set(trials.map(({ treatmentId }) => treatmentId));
  }

  private async trial({ treatmentId, trial, ceiling }: TreatmentTrial, isRecorded = true): Promise<void> {
    const { directory, experiment, result, figures } = this;
    const treatment = experiment.treatments.find(({ id }) => id === treatmentId);
    if (!treatment) return; // The plan, which is compared, does not have it.
    const probes = result.capacity?.flatMap((each) => each.probes) ?? [];
    const probe = probes.find((each) => each.trial === trial.number);
    const { settings } = probe ? treatmentAt(treatment, probe.ratePerSecond) : treatment;
    const isResumedRun = result.diagnosis.some(({ rule }) => rule === RESUMED_RULE);
    // Neither the load before the experiment nor the ceiling of a treatment without a confirmed rate is stored. Trials
    // before an interruption may have had another ceiling.
    const unknownChecks = new Set<Finding["check"]>([
      "load-before",
      ...(isResumedRun || !isRecorded ? ["ceiling" as const] : []),
    ]);
    const stored = { directory, treatmentId, trial, settings, experiment, ceiling, unknownChecks };
    const again = await new TrialFigures(figures, stored).compare();
    this.again.set(trial.number, again);
    if (isRecorded)
      this.record.add(treatmentId, again.trial, again.totals ?? totalsOf(again.trial, new HistogramSet()));
  }

  /** Verifies searches for capacity, including probes whose trials are not in the result. */
  private async capacity(): Promise<void> {
    const { directory, result, figures, again, experiment } = this;
    for (const { treatment, probes } of result.capacity ?? []) {
      for (const probe of probes) {
        if (again.has(probe.trial)) continue;
        const trial = await readTrial(directory, probe.trial, treatment);
        if (trial) await this.trial({ treatmentId: treatment, trial }, false);
        else figures.leave(`probe ${probe.trial} (${treatment})`, "its trial is not there", true);
      }
    }
    compareCapacity(figures, result.capacity ?? [], experiment, again);
  }

  /** Reports trials that have a directory but are not in the result, since no trial may be left out. */
  private async reportStrayTrials(): Promise<void> {
    const { directory, result, figures } = this;
    const knownPaths = new Set(
      trialsOf(result).map(({ treatmentId, trial }) => trialPath(directory, trial.number, treatmentId)),
    );
    for (const { treatment, probes } of result.capacity ?? [])
      for (const { trial } of probes) knownPaths.add(trialPath(directory, trial, treatment));
    const names = await readdir(join(directory, "trials")).catch(() => []);
    for (const name of names.filter((each) => /^\d+-/.test(each) && !/\.partial-\d+$/.test(each))) {
      if (knownPaths.has(join(directory, "trials", name))) continue;
      if (this.isConcluded && !result.capacity)
        figures.compare("plan", `trials/${name}`, "not in the result", "a trial");
      else figures.leave(`trials/${name}`, "the result does not hold it: the run ended before its trial did");
    }
  }

  /** Verifies summary.txt and report.html against pages made again from the stored result. */
  private async pages(): Promise<void> {
    const { figures, directory, result, programVersion } = this;
    const scenario = await this.textOf(SCENARIO_FILE);
    if (scenario !== undefined) figures.compare("plan", SCENARIO_FILE, scenario, result.scenario.yaml);
    const summary = await this.textOf(SUMMARY_FILE);
    // The last line, with the path of the directory, is not compared.
    const body = (text: string): string => text.slice(0, text.lastIndexOf("\nResults: "));
    if (summary !== undefined)
      this.comparePage(SUMMARY_FILE, body(summary) === body(renderSummary(result, { directory })));
    const report = await this.textOf(REPORT_FILE);
    if (report === undefined) return;
    try {
      this.comparePage(REPORT_FILE, report === (await reportPage(directory, result, programVersion)));
    } catch (error) {
      figures.leave(REPORT_FILE, messageOf(error));
    }
  }

  private comparePage(file: string, isSame: boolean): void {
    this.figures.compare("pages", file, isSame ? "the same page" : "another page", "the same page");
  }

  private async textOf(file: string): Promise<string | undefined> {
    try {
      return await readFile(join(this.directory, file), "utf8");
    } catch (error) {
      const isFileMissing = codeOf(error) === "ENOENT";
      const isFileExpected = this.isConcluded || file === SCENARIO_FILE;
      this.figures.leave(
        file,
        isFileMissing ? "it is not there" : messageOf(error),
        isFileMissing && isFileExpected,
      );
      return undefined;
    }
  }
}
