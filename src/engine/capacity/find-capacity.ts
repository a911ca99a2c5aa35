// `run --find-capacity`: for each treatment the highest arrival rate at which a threshold holds. Every probe is a whole
// trial with its own directory, on a namespace of its own; the trials that confirm the final rate become the trials of
// the result, so that its tables show the treatment at its capacity. The curve is written after every probe.
import { rm } from "node:fs/promises";
import { wallClockMs } from "../../foundation/clock.js";
import { ExitCode, TrainSimError } from "../../foundation/errors.js";
import { deriveSeed } from "../../foundation/prng.js";
import { withAnalysis } from "../../analysis/comparison/analysis.js";
import { diagnose, diagnosisEntries } from "../../analysis/diagnosis/diagnose.js";
import { type Capacity, type CapacityProbe } from "../../results/capacity-schema.js";
import {
  createResultDirectory,
  createTrialDirectory,
  writeResult,
  writeScenario,
} from "../../results/directory.js";
import type { ResultDocument, Verdict } from "../../results/result-schema.js";
import { lockDirectory, unlockDirectory } from "../../results/run-lock.js";
import { writeTrial } from "../../results/trial-files.js";
import type { Threshold } from "../../scenario/judgement.js";
import type { Experiment, PlannedTrial, Treatment } from "../../scenario/settings.js";
import {
  capacityOf,
  isConfirmation,
  judgeProbe,
  probeText,
  treatmentAt,
  type AboutProbe,
} from "./capacity-probe.js";
import { searchCapacity, type Probe, type SearchResult } from "./capacity-search.js";
import { exitCodeOf, verdictOf } from "../session/conclusion.js";
import { requireCapacity } from "../session/demand.js";
import { inDialect } from "../session/dialect-choice.js";
import { requireFaults } from "../trial/require-faults.js";
import { requirePoolers, type PoolerVersion } from "../trial/pooler.js";
import { requireOwnServers } from "../session/preflight.js";
import type { ExperimentOptions, ExperimentOutcome } from "../session/experiment.js";
import { ExperimentHost } from "../session/experiment-host.js";
import { confirmedThresholds, ExperimentRecord, type Findings } from "../session/experiment-record.js";
import { watchThresholds } from "../session/running-thresholds.js";
import { searchedTreatments, searchOptions } from "./searched-treatments.js";
import { runTrial } from "../trial/trial.js";
import type { FinishedTrial } from "../trial/trial-parts.js";

export type CapacityOptions = Omit<ExperimentOptions, "resumed">;

/** Rejects when not one probe could begin, and then leaves nothing behind. */
export async function findCapacity(
  experiment: Experiment,
  threshold: Threshold,
  options: CapacityOptions,
): Promise<ExperimentOutcome> {
  const treatments = searchedTreatments(experiment.treatments, threshold);
  const trials = experiment.trials.filter((trial) => treatments.some(({ id }) => id === trial.treatmentId));
  requireCapacity(treatments);
  await requirePoolers(treatments);
  await requireFaults(treatments);
  await requireOwnServers(treatments, (words) => options.observer.note(`warning: ${words}`));
  const directory = await createResultDirectory(options.out, experiment.name, wallClockMs());
  await lockDirectory(directory);
  const run = new CapacityRun({ ...experiment, treatments, trials }, threshold, options, directory);
  try {
    await writeScenario(directory, experiment.yaml);
    await run.search();
    return await run.conclude();
  } catch (error) {
    if (run.probes === 0) await rm(directory, { recursive: true, force: true });
    throw error;
  } finally {
    await unlockDirectory(directory);
  }
}

/** A probe that ran, with its trial as planned and as it went. */
interface ProbeTrial {
  readonly planned: PlannedTrial;
  readonly done: FinishedTrial;
  readonly probe: CapacityProbe;
}

const NOT_YET: SearchResult = { outcome: "stopped", ratePerSecond: null, failsAtPerSecond: null };

class CapacityRun {
  private readonly host: ExperimentHost;
  private readonly capacities: Capacity[] = [];
  /** Trials of a final rate that were to confirm it, whether or not each did. */
  private readonly confirming: ProbeTrial[] = [];
  private violations: string[] = [];
  private failure: TrainSimError | undefined;
  /** Probes begun. */
  probes = 0;

  constructor(
    private readonly experiment: Experiment,
    private readonly threshold: Threshold,
    private readonly options: CapacityOptions,
    private readonly directory: string,
  ) {
    this.host = new ExperimentHost(experiment.treatments, options.programVersion, options.observer);
  }

  async search(): Promise<void> {
    try {
      for (const treatment of this.experiment.treatments) {
        if (!this.hasToStop()) await this.searchOne(treatment);
      }
    } finally {
      await this.host.release(this.failure !== undefined);
    }
  }

  private async searchOne(treatment: Treatment): Promise<void> {
    const ran: ProbeTrial[] = [];
    const capacity = (found: SearchResult): Capacity => capacityOf(treatment, this.threshold, ran, found);
    const confirming = (rate: number | null): ProbeTrial[] =>
      ran.filter(({ probe }) => isConfirmation(probe, rate));
    const probeAt: Probe = async (ratePerSecond, purpose) => {
      const block = confirming(ratePerSecond).length;
      const trial = await this.probe(treatment, { ratePerSecond, ...purpose }, block);
      if (!trial) return undefined;
      ran.push(trial);
      await this.writeSoFar([...this.capacities, capacity(NOT_YET)]);
      return trial.probe.held;
    };
    const options = searchOptions(this.experiment, treatment, this.capacities);
    const found = await searchCapacity(probeAt, options);
    this.capacities.push(capacity(found));
    if (found.ratePerSecond !== null) this.confirming.push(...confirming(found.ratePerSecond));
  }

  /** Undefined when the search has to stop. */
  private async probe(
    treatment: Treatment,
    about: AboutProbe,
    block: number,
  ): Promise<ProbeTrial | undefined> {
    if (this.hasToStop()) return undefined;
    const atRate = treatmentAt(treatment, about.ratePerSecond);
    const kept = await this.host.provide(atRate).catch((error: unknown) => this.endedBy(error));
    if (!kept || this.hasToStop()) return undefined;
    const driven = inDialect(atRate, kept.dialect);
    const number = ++this.probes;
    // The same arrivals and documents for all: what differs between probes is the rate and the server.
    const seed = deriveSeed(this.experiment.seed, "capacity");
    const planned = { number, block, treatmentId: treatment.id, seed };
    const directory = await createTrialDirectory(this.directory, number, treatment.id);
    const { observer, interruption } = this.options;
    const { identities } = this.host;
    const onPooler = (pooler: PoolerVersion): void => this.host.addPooler(pooler);
    const onTotals = watchThresholds([this.threshold], driven, (states) => observer.thresholds(states));
    const measured = await runTrial(
      { ...kept, identities, observer, interruption, onPooler, ...(onTotals && { onTotals }) },
      { trial: planned, treatment: driven, index: block, directory },
    );
    const diagnosis = diagnose({ trial: measured.result, bounds: this.experiment.diagnosis });
    const result = { ...measured.result, ...(diagnosis.length > 0 && { diagnosis }) };
    await writeTrial(directory, result);
    observer.trialEnded(result, driven);
    this.failure = measured.failure;
    this.violations = (result.integrity?.violations ?? []).map((words) => `probe ${number}: ${words}`);
    if (result.status !== "complete" || this.violations.length > 0) return undefined;
    const done = { ...measured, result };
    const probe = judgeProbe(done, driven, this.threshold, about);
    observer.note(probeText(probe));
    return { planned, done, probe };
  }

  /** Nothing more can be probed; thrown on where nothing has been, or where nobody foresaw it. */
  private endedBy(error: unknown): undefined {
    if (this.probes === 0 || !(error instanceof TrainSimError)) throw error;
    this.failure = error;
  }

  private hasToStop(): boolean {
    const { interruption } = this.options;
    return interruption.isRequested() || this.failure !== undefined || this.violations.length > 0;
  }

  private record(): ExperimentRecord {
    const trials = this.confirming.map(({ planned }) => planned);
    const treatments = this.experiment.treatments.filter(({ id }) =>
      trials.some(({ treatmentId }) => treatmentId === id),
    );
    const record = new ExperimentRecord({ ...this.experiment, treatments, trials }, this.directory);
    for (const { planned, done } of this.confirming)
      record.add(planned.treatmentId, done.result, done.totals);
    return record;
  }

  private document(
    record: ExperimentRecord,
    findings: Pick<Findings, "verdict" | "thresholds">,
    capacity: readonly Capacity[],
  ): ResultDocument {
    const diagnosis = [...diagnosisEntries(record.treatments()), ...this.host.leftEntries()];
    const document = record.document({ ...findings, environment: this.host.environment(), diagnosis });
    return { ...document, capacity: [...capacity] };
  }

  private async writeSoFar(capacity: readonly Capacity[]): Promise<void> {
    const verdict: Verdict = { status: "aborted", reasons: [`unfinished; probes so far: ${this.probes}`] };
    await writeResult(this.directory, this.document(this.record(), { verdict }, capacity));
  }

  async conclude(): Promise<ExperimentOutcome> {
    const { directory, failure, violations } = this;
    const record = this.record();
    const { reason: stopReason, abortedBy } = this.options.interruption;
    const thresholds = confirmedThresholds(this.experiment, record);
    const facts = {
      treatments: record.treatments(),
      ...{ violations, failure, stopReason, abortedBy, thresholds },
      completeTrials: this.confirming.filter(({ probe }) => probe.held).length,
      plannedTrials: this.experiment.trials.length,
    };
    const verdict = verdictOf(facts);
    const result = withAnalysis(this.document(record, { verdict, thresholds }, this.capacities));
    await writeResult(directory, result);
    const exitCode = exitCodeOf(facts);
    const isNowhere = this.capacities.some(({ outcome }) => outcome === "none");
    return {
      result,
      directory,
      exitCode: exitCode === ExitCode.done && isNowhere ? ExitCode.thresholdFailed : exitCode,
      ...(failure && { failure }),
    };
  }
}
