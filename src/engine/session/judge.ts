// Judges trials while the experiment runs: thresholds that may end it, the diagnosis of each trial, the ceiling of the generator.
import { messageOf, TrainSimError, ExitCode } from "../../foundation/errors.js";
import { machineFacts } from "../../foundation/machine.js";
import { counted } from "../../foundation/units.js";
import { diagnose } from "../../analysis/diagnosis/diagnose.js";
import { invalidTrials } from "../../analysis/diagnosis/validity.js";
import { measuredText } from "../../foundation/text/numbers.js";
import {
  assess,
  brokenThreshold,
  type Abort,
  type ThresholdInputs,
} from "../../analysis/thresholds/thresholds.js";
import { operationResults, randomArrivals } from "../../results/operation-results.js";
import type { GeneratorCeiling, ThresholdResult, TrialResult } from "../../results/result-schema.js";
import type { Threshold } from "../../scenario/judgement.js";
import type { Experiment, PlannedTrial, Treatment } from "../../scenario/settings.js";
import { isSelected } from "../../scenario/thresholds.js";
import { strategyOf } from "../../pools/registry.js";
import { ceilingKey, measureCeiling, type CeilingInputs } from "../workers/ceiling-probe.js";
import type { ExperimentRecord } from "./experiment-record.js";
import type { Interruption } from "./interruption.js";
import type { ExperimentObserver, RunningThreshold } from "./observer.js";
import type { FinishedTrial, TotalsWatcher } from "../trial/trial-parts.js";

export class Judge {
  /** The first abort by a threshold, which ended the experiment. */
  private firstAbort: Abort | undefined;
  /** Result of the ratio that ended the experiment; undefined if none did. */
  ratioAbort: ThresholdResult | undefined;
  private readonly ceilings = new Map<string, GeneratorCeiling | undefined>();
  /** Load average per core before the first trial; a later one would include train-sim's own load. */
  private loadBefore: number | undefined;

  constructor(
    private readonly experiment: Experiment,
    /** Thresholds that are evaluated while a trial runs. */
    private readonly watchedThresholds: readonly Threshold[],
    private readonly observer: ExperimentObserver,
    private readonly interruption: Interruption,
  ) {
    const { loadAverage1m, cores } = machineFacts();
    this.loadBefore = loadAverage1m / cores;
  }

  get abort(): Abort | undefined {
    return this.firstAbort;
  }

  /** Measured ceilings by treatment id; only treatments whose pool was measured are present. */
  ceilingsByTreatment(): ReadonlyMap<string, GeneratorCeiling> {
    return new Map(
      this.experiment.treatments.flatMap(({ id, settings }) => {
        const ceiling = this.ceilings.get(ceilingKey(settings));
        return ceiling ? [[id, ceiling] as const] : [];
      }),
    );
  }

  /**
   * Measures the ceiling of the treatment's pool unless it is known. A failure is only noted, because the trial will report
   * it.
   */
  async ensureCeiling(inputs: Omit<CeilingInputs, "interruption">): Promise<void> {
    const { settings } = inputs.treatment;
    const key = ceilingKey(settings);
    if (!this.experiment.diagnosis.ceiling || this.ceilings.has(key)) return;
    if (strategyOf(settings.pool).isHeldByWorkload) return; // no connection to probe it by
    try {
      const ceiling = await measureCeiling({ ...inputs, interruption: this.interruption });
      this.ceilings.set(key, ceiling);
      if (!ceiling) return;
      const rate = Math.round(ceiling.transactionsPerSecond);
      this.observer.note(
        `ceiling: ${rate} \`select 1\`/s by ${counted(ceiling.clients, "client")} through this pool`,
      );
    } catch (error) {
      this.ceilings.set(key, undefined);
      this.observer.note(`the generator's ceiling was not measured: ${messageOf(error)}`);
    }
  }

  /** A callback that checks running totals against thresholds; undefined if no threshold selects the treatment. */
  createTotalsWatcher(
    trial: PlannedTrial,
    treatment: Treatment,
    observer: ExperimentObserver,
  ): TotalsWatcher | undefined {
    const selected = this.watchedThresholds.filter((each) => isSelected(each, treatment));
    const abortThresholds = this.abortThresholdsOf(treatment);
    return createThresholdWatcher(selected, treatment, (states, measured, elapsedMs) => {
      observer.thresholds(states);
      this.check(abortThresholds, measured, elapsedMs, trial, treatment);
    });
  }

  /** The trial's result with the objections to it. May end the experiment. */
  judge(done: FinishedTrial, trial: PlannedTrial, treatment: Treatment): TrialResult {
    const { result, totals } = done;
    const ceiling = this.ceilings.get(ceilingKey(treatment.settings));
    const findings = diagnose({
      trial: result,
      bounds: this.experiment.diagnosis,
      ...(ceiling && { ceiling }),
      ...(this.loadBefore !== undefined && { loadBefore: this.loadBefore }),
    });
    this.loadBefore = undefined;
    const judged = { ...result, ...(findings.length > 0 && { diagnosis: findings }) };
    if (result.status === "complete") {
      const { operations, integrity } = result;
      const audits = integrity ? [integrity] : [];
      const measured = {
        operations,
        histograms: totals.histograms,
        audits,
        invalid: invalidTrials([judged]),
        randomArrivals: randomArrivals(treatment.settings),
      };
      const elapsedMs = result.windowSeconds * 1000;
      this.check(this.abortThresholdsOf(treatment), measured, elapsedMs, trial, treatment);
    }
    return judged;
  }

  /** Ends the experiment if the trials so far decide that a ratio with `abortOnFail` fails. */
  judgeRatios(record: Pick<ExperimentRecord, "decidedFailure">): void {
    if (this.interruption.isRequested()) return;
    const failure = record.decidedFailure();
    if (!failure) return;
    this.ratioAbort = failure;
    const { metric, expression, treatment, against, blocks = 0, seen } = failure;
    this.interruption.abort(
      new TrainSimError(
        `aborted by a threshold after ${counted(blocks, "block")} (${treatment} / ${against}): ${metric} ${expression}, ` +
          `seen ${measuredText(seen, expression)}`,
        ExitCode.abortedByThreshold,
      ),
    );
  }

  private abortThresholdsOf(treatment: Treatment): Threshold[] {
    return this.watchedThresholds.filter(
      (threshold) => threshold.abortOnFail && isSelected(threshold, treatment),
    );
  }

  private check(
    thresholds: readonly Threshold[],
    measured: ThresholdInputs,
    elapsedMs: number,
    trial: PlannedTrial,
    treatment: Treatment,
  ): void {
    if (this.firstAbort) return;
    const breach = brokenThreshold(thresholds, measured, elapsedMs);
    if (!breach) return;
    const { threshold, seen } = breach;
    this.firstAbort = { ...breach, treatmentId: treatment.id, trial: trial.number };
    this.interruption.abort(
      new TrainSimError(
        `aborted by a threshold in trial ${trial.number} (${treatment.id}): ${threshold.metric} ${threshold.expression}, seen ${measuredText(seen, threshold.expression)}`,
        ExitCode.abortedByThreshold,
      ),
    );
  }
}

type OnThresholds = (
  states: readonly RunningThreshold[],
  measured: ThresholdInputs,
  elapsedMs: number,
) => void;

/**
 * A callback that evaluates the thresholds each second, over the window so far; undefined without thresholds, so that no
 * totals are summed.
 */
function createThresholdWatcher(
  thresholds: readonly Threshold[],
  treatment: Treatment,
  onThresholds: OnThresholds,
): TotalsWatcher | undefined {
  if (thresholds.length === 0) return undefined;
  let seconds = 0;
  return (totals, windowSeconds) => {
    seconds = Math.max(seconds, windowSeconds);
    const operations = operationResults(totals.summary(seconds), treatment.settings);
    const { histograms } = totals;
    const measured = {
      operations,
      histograms,
      audits: [],
      invalid: undefined,
      randomArrivals: randomArrivals(treatment.settings),
    };
    onThresholds(
      thresholds.map((each) => thresholdStateOf(each, measured)),
      measured,
      seconds * 1000,
    );
  };
}

function thresholdStateOf(threshold: Threshold, measured: ThresholdInputs): RunningThreshold {
  const { metric, expression } = threshold;
  const { seen = null, ok = null } = assess(threshold, measured) ?? {};
  return { metric, expression, seen, ok };
}
