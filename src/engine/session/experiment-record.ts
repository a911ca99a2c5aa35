import { HistogramSet } from "../../metrics/histograms.js";
import { Totals } from "../../metrics/totals.js";
import { randomArrivals } from "../../results/operation-results.js";
import {
  buildResult,
  mergedResult,
  treatmentResults,
  type ResultParts,
} from "../../results/result-document.js";
import { diagnosisEntries } from "../../analysis/diagnosis/diagnose.js";
import { invalidTrials } from "../../analysis/diagnosis/validity.js";
import {
  type Abort,
  type JudgedTreatment,
  evaluateThresholds,
  seenValue,
} from "../../analysis/thresholds/thresholds.js";
import { comparePublished } from "../../analysis/published/published.js";
import { TrialValues } from "../../analysis/thresholds/quantities.js";
import {
  decidedFailure,
  evaluateRatios,
  type MeasuredTrials,
} from "../../analysis/thresholds/ratio-thresholds.js";
import { lint, lintEntry } from "../../analysis/lint/lint.js";
import type {
  Environment,
  MergedResult,
  PublishedResult,
  ResultDocument,
  ThresholdResult,
  TreatmentResult,
  TrialResult,
} from "../../results/result-schema.js";
import { counted } from "../../foundation/units.js";
import type { Capacity } from "../../results/capacity-schema.js";
import { Looks } from "./looks.js";
import type { RatioThreshold } from "../../scenario/judgement.js";
import type { Experiment } from "../../scenario/settings.js";

interface RecordedTrial {
  readonly treatmentId: string;
  readonly result: TrialResult;
}

interface MergedTrials {
  readonly trials: TrialResult[];
  readonly totals: Totals;
  result?: MergedResult | undefined;
}

/** Parts of the result document that concern the whole experiment, not a trial. */
type ExperimentResultParts = Pick<
  ResultParts,
  "environment" | "verdict" | "thresholds" | "ceilings" | "diagnosis"
>;

export interface InterruptedRecord {
  /** Complete trials, in their planned order. */
  readonly trials: readonly (RecordedTrial & { readonly totals: Totals })[];
  /** Violations found in trials that are not complete; continuing the run does not undo them. */
  readonly violations: readonly string[];
  /** Numbers of complete blocks after which the comparisons were evaluated. */
  readonly looks: readonly number[];
}

export function violationsOf(integrity: TrialResult["integrity"], name: string): string[] {
  return (integrity?.violations ?? []).map((words) => `${name}: ${words}`);
}

const RATIO_KEYS = ["metric", "expression", "treatment", "against"] as const;

function isSameRatio(a: ThresholdResult, b: ThresholdResult): boolean {
  return RATIO_KEYS.every((key) => a[key] === b[key]);
}

/** The result of a ratio at the end, with the reason that it ended the experiment. */
function withAbort(result: ThresholdResult, { blocks = 0 }: ThresholdResult): ThresholdResult {
  return { ...result, reason: `aborted the experiment after ${counted(blocks, "block")}` };
}

export class ExperimentRecord {
  private readonly finishedTrials: RecordedTrial[] = [];
  private readonly mergedByTreatment = new Map<string, MergedTrials>();

  private readonly values: TrialValues;

  readonly looks: Looks;

  readonly violations: string[];

  /**
   * Capacities of the searched treatments; undefined unless the session searches for capacity, whose record holds
   * confirming trials only.
   */
  capacity: readonly Capacity[] | undefined;

  constructor(
    private readonly experiment: Experiment,
    { trials = [], violations = [], looks = [] }: Partial<InterruptedRecord> = {},
  ) {
    this.looks = new Looks(experiment, looks);
    this.values = new TrialValues([
      ...experiment.ratioThresholds.flatMap(({ over, under }) => [over, under]),
      ...experiment.published.map(({ quantity }) => quantity),
    ]);
    this.violations = [...violations];
    for (const { treatmentId, result, totals } of trials) this.add(treatmentId, result, totals);
  }

  get complete(): number {
    return this.capacity
      ? this.capacity.reduce((sum, { confirmations }) => sum + confirmations, 0)
      : this.finishedTrials.filter(({ result }) => result.status === "complete").length;
  }

  /** The number of complete trials in words, for an unfinished result. */
  get progress(): string {
    if (this.capacity)
      return `unfinished; probes so far: ${this.capacity.reduce((sum, { probes }) => sum + probes.length, 0)}`;
    const { stopping, trials } = this.experiment;
    const planned = `${stopping ? "at most " : ""}${counted(trials.length, "trial")}`;
    return `unfinished: ${this.complete} of ${planned} complete; continue with run --resume`;
  }

  /** The experiment with its planned trials. A search plans only the trials that it records, at the rates that it found. */
  private get planned(): Experiment {
    if (!this.capacity) return this.experiment;
    const trials = this.finishedTrials.map(({ treatmentId, result: { number, block, seed } }) => ({
      number,
      block,
      treatmentId,
      seed,
    }));
    const treatments = this.experiment.treatments.filter(({ id }) =>
      trials.some(({ treatmentId }) => treatmentId === id),
    );
    return { ...this.experiment, treatments, trials };
  }

  private treatmentsToJudge(): JudgedTreatment[] {
    const recordedTreatments = this.treatments();
    const { trials: planned } = this.planned;
    return this.experiment.treatments.map(({ id, levels, settings }) => {
      const { trials = [], merged } = recordedTreatments.find((each) => each.id === id) ?? {};
      const complete = trials.filter(({ status }) => status === "complete");
      const measured = {
        operations: merged?.operations ?? {},
        histograms: this.mergedByTreatment.get(id)?.totals.histograms ?? new HistogramSet(),
        audits: trials.flatMap(({ integrity }) => integrity ?? []),
        databases: complete.map(({ database }) => database),
        invalid: complete.length === 0 ? undefined : invalidTrials(complete),
        randomArrivals: randomArrivals(settings),
      };
      const plannedTrials = planned.filter(({ treatmentId }) => treatmentId === id).length;
      return { id, levels, measured, completeTrials: complete.length, plannedTrials };
    });
  }

  hasTrial(trialNumber: number): boolean {
    return this.finishedTrials.some(({ result }) => result.number === trialNumber);
  }

  isTrialComplete(trialNumber: number): boolean {
    return this.finishedTrials.some(
      ({ result }) => result.number === trialNumber && result.status === "complete",
    );
  }

  hasBlock(block: number): boolean {
    return this.finishedTrials.some(({ result }) => result.block === block);
  }

  /** Adds a trial. Only the totals of complete trials are merged. */
  add(treatmentId: string, result: TrialResult, totals: Totals): void {
    this.finishedTrials.push({ treatmentId, result });
    this.violations.push(...violationsOf(result.integrity, `trial ${result.number} (${treatmentId})`));
    if (result.status !== "complete") return;
    const mergedTrials = this.mergedByTreatment.get(treatmentId) ?? { trials: [], totals: Totals.ofTrials() };
    mergedTrials.trials.push(result);
    mergedTrials.totals.add(totals);
    mergedTrials.result = undefined;
    this.mergedByTreatment.set(treatmentId, mergedTrials);
    const { operations, database, integrity } = result;
    const { histograms } = totals;
    const audits = integrity ? [integrity] : [];
    const thresholdInputs = { operations, histograms, audits, databases: [database], invalid: undefined };
    this.values.add(treatmentId, result.block, (quantity) => seenValue(quantity, thresholdInputs));
  }

  /** Ratio thresholds on the pairs of treatments that this experiment runs. */
  private get ratios(): RatioThreshold[] {
    const { ratioThresholds, treatments } = this.experiment;
    const isPairRun = ({ treatment, against }: RatioThreshold["pairs"][number]): boolean =>
      [treatment, against].every((id) => treatments.some((each) => each.id === id));
    return ratioThresholds.map((each) => ({ ...each, pairs: each.pairs.filter(isPairRun) }));
  }

  /** Results of each threshold on each treatment, then of each threshold on ratios for each pair of treatments. */
  thresholds(abort?: Abort, ratioAbort?: ThresholdResult): ThresholdResult[] {
    const ratioResults = evaluateRatios(this.ratios, this.capacity ? undefined : this.measuredTrials());
    return [
      ...evaluateThresholds(this.experiment.thresholds, this.treatmentsToJudge(), abort),
      ...ratioResults.map((each) =>
        ratioAbort && isSameRatio(each, ratioAbort) ? withAbort(each, ratioAbort) : each,
      ),
    ];
  }

  /** Result of a ratio that ends the experiment now; undefined if none does. The trials of a search share no blocks. */
  decidedFailure(): ThresholdResult | undefined {
    const { ratios, experiment } = this;
    if (this.capacity || !ratios.some(({ abortOnFail }) => abortOnFail)) return undefined;
    const blocksMax = new Set(experiment.trials.map(({ block }) => block)).size;
    return decidedFailure(ratios, this.measuredTrials(), blocksMax);
  }

  /**
   * Comparison with published figures; undefined if the scenario has none, and in a search, whose trials run at different
   * rates.
   */
  publishedResults(): PublishedResult[] | undefined {
    const { published } = this.experiment;
    return published.length === 0 || this.capacity
      ? undefined
      : comparePublished(published, this.measuredTrials());
  }

  private measuredTrials(): MeasuredTrials {
    const treatments = this.treatments();
    const { level } = this.looks.bounds(treatments);
    return { values: this.values, treatments, seed: this.experiment.seed, level };
  }

  treatments(): TreatmentResult[] {
    return treatmentResults({
      experiment: this.planned,
      trials: this.finishedTrials,
      merged: this.mergedResults(),
    });
  }

  /** Entries of the result's `diagnosis`, about trials and about the experiment's design. */
  diagnosis(environment: Environment): ResultDocument["diagnosis"] {
    const treatments = this.treatments();
    const lints = this.capacity ? [] : lint(this.experiment, { environment, treatments });
    return [...diagnosisEntries(treatments), ...lints.map(lintEntry)];
  }

  document(experimentParts: ExperimentResultParts): ResultDocument {
    const document = buildResult({
      ...experimentParts,
      stopping: this.looks.result(this.treatments()),
      experiment: this.planned,
      trials: this.finishedTrials,
      merged: this.mergedResults(),
    });
    return this.capacity ? { ...document, capacity: [...this.capacity] } : document;
  }

  private mergedResults(): Map<string, MergedResult> {
    const results = new Map<string, MergedResult>();
    for (const { id, settings } of this.experiment.treatments) {
      const mergedTrials = this.mergedByTreatment.get(id);
      if (!mergedTrials) continue;
      const { totals, trials } = mergedTrials;
      const windowSeconds = trials.reduce((sum, trial) => sum + trial.windowSeconds, 0);
      mergedTrials.result ??= mergedResult(totals.summary(windowSeconds), trials, settings);
      results.set(id, mergedTrials.result);
    }
    return results;
  }
}
