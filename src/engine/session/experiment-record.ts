// What an experiment has found so far: its trials, their histograms merged by treatment, and the result document that is
// made of them.
import { HistogramSet } from "../../metrics/histograms.js";
import { Totals, type WindowSummary } from "../../metrics/totals.js";
import { randomArrivals } from "../../results/operation-results.js";
import { buildResult, treatmentResults } from "../../results/result-document.js";
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
import { evaluateRatios, type MeasuredTrials } from "../../analysis/thresholds/ratio-thresholds.js";
import { lint, lintEntry } from "../../analysis/lint/lint.js";
import type {
  Ceiling,
  Environment,
  PublishedResult,
  ResultDocument,
  ThresholdResult,
  TreatmentResult,
  TrialResult,
  Verdict,
} from "../../results/result-schema.js";
import { Looks } from "./looks.js";
import type { RatioThreshold } from "../../scenario/judgement.js";
import type { Experiment } from "../../scenario/settings.js";

interface RecordedTrial {
  readonly treatmentId: string;
  readonly result: TrialResult;
}

/** What goes into the document beside the trials. */
interface Findings {
  readonly environment: Environment;
  readonly verdict: Verdict;
  readonly thresholds?: readonly ThresholdResult[] | undefined;
  /** By treatment id. */
  readonly ceilings?: ReadonlyMap<string, Ceiling>;
  readonly diagnosis?: ResultDocument["diagnosis"];
}

/** What an audit found, in words, each with the trial's name. */
export function violationsOf(integrity: TrialResult["integrity"], name: string): string[] {
  return (integrity?.violations ?? []).map((words) => `${name}: ${words}`);
}

export class ExperimentRecord {
  /** In the order in which they ran. */
  private readonly finished: RecordedTrial[] = [];
  private readonly merged = new Map<string, { totals: Totals; windowSeconds: number }>();

  /** What is compared trial by trial. */
  private readonly values: TrialValues;

  readonly looks: Looks;

  /** `earlierLooks` are those of a run that this one goes on with. */
  constructor(
    private readonly experiment: Experiment,
    earlierLooks: readonly number[] = [],
  ) {
    this.looks = new Looks(experiment, earlierLooks);
    this.values = new TrialValues([
      ...experiment.ratioThresholds.flatMap(({ over, under }) => [over, under]),
      ...experiment.published.map(({ quantity }) => quantity),
    ]);
  }

  get complete(): number {
    return this.finished.filter(({ result }) => result.status === "complete").length;
  }

  /** Integrity violations in words, with their trials. */
  get violations(): string[] {
    return this.finished.flatMap(({ treatmentId, result }) =>
      violationsOf(result.integrity, `trial ${result.number} (${treatmentId})`),
    );
  }

  /**
   * Treatments with the material of thresholds: complete trials, merged, and the audits of all trials. A search for
   * capacity plans trials only of the treatments whose rate it found.
   */
  judged(treatments: Experiment["treatments"]): JudgedTreatment[] {
    const recorded = this.treatments();
    return treatments.map((treatment) => {
      const { id, levels, settings } =
        this.experiment.treatments.find((each) => each.id === treatment.id) ?? treatment;
      const { trials = [], merged } = recorded.find((each) => each.id === id) ?? {};
      const complete = trials.filter(({ status }) => status === "complete");
      const measured = {
        operations: merged?.operations ?? {},
        histograms: this.merged.get(id)?.totals.histograms ?? new HistogramSet(),
        audits: trials.flatMap(({ integrity }) => integrity ?? []),
        databases: complete.map(({ database }) => database),
        invalid: complete.length === 0 ? undefined : invalidTrials(complete),
        randomArrivals: randomArrivals(settings),
      };
      const planned = this.experiment.trials.filter(({ treatmentId }) => treatmentId === id).length;
      return { id, levels, measured, completeTrials: complete.length, plannedTrials: planned };
    });
  }

  has(trialNumber: number): boolean {
    return this.finished.some(({ result }) => result.number === trialNumber);
  }

  isComplete(trialNumber: number): boolean {
    return this.finished.some(({ result }) => result.number === trialNumber && result.status === "complete");
  }

  hasBlock(block: number): boolean {
    return this.finished.some(({ result }) => result.block === block);
  }

  /** Only complete trials count in what is merged. */
  add(treatmentId: string, result: TrialResult, totals: Totals): void {
    this.finished.push({ treatmentId, result });
    if (result.status !== "complete") return;
    const merged = this.merged.get(treatmentId) ?? { totals: Totals.ofTrials(), windowSeconds: 0 };
    merged.totals.add(totals);
    merged.windowSeconds += result.windowSeconds;
    this.merged.set(treatmentId, merged);
    const { operations, database, integrity } = result;
    const { histograms } = totals;
    const audits = integrity ? [integrity] : [];
    const measured = { operations, histograms, audits, databases: [database], invalid: undefined };
    this.values.add(treatmentId, result.block, (quantity) => seenValue(quantity, measured));
  }

  /** Undefined where the scenario has no published figures. */
  published(): PublishedResult[] | undefined {
    const { published } = this.experiment;
    return published.length === 0 ? undefined : comparePublished(published, this.measuredTrials());
  }

  measuredTrials(): MeasuredTrials {
    const treatments = this.treatments();
    const { level } = this.looks.bounds(treatments);
    return { values: this.values, treatments, seed: this.experiment.seed, level };
  }

  treatments(): TreatmentResult[] {
    return treatmentResults({ experiment: this.experiment, trials: this.finished, merged: this.summaries() });
  }

  /** Without what is merged over trials, which takes long. */
  unmerged(): TreatmentResult[] {
    return treatmentResults({ experiment: this.experiment, trials: this.finished, merged: new Map() });
  }

  /** What `diagnosis` says of the trials and of the experiment's design. */
  diagnosis(environment: Environment): ResultDocument["diagnosis"] {
    const treatments = this.treatments();
    const lints = lint(this.experiment, { environment, treatments });
    return [...diagnosisEntries(treatments), ...lints.map(lintEntry)];
  }

  document(findings: Findings): ResultDocument {
    return buildResult({
      ...findings,
      stopping: this.looks.result(this.treatments()),
      experiment: this.experiment,
      trials: this.finished,
      merged: this.summaries(),
    });
  }

  private summaries(): Map<string, WindowSummary> {
    return new Map(
      [...this.merged].map(([id, { totals, windowSeconds }]) => [id, totals.summary(windowSeconds)]),
    );
  }
}

/** Each threshold on each treatment, then thresholds on ratios on each pair of treatments. */
export function thresholdsOf(
  { thresholds, ratioThresholds, treatments }: Experiment,
  record: ExperimentRecord,
  { abort, isSearch = false }: { readonly abort?: Abort | undefined; readonly isSearch?: boolean } = {},
): ThresholdResult[] {
  const isRun = ({ treatment, against }: RatioThreshold["pairs"][number]): boolean =>
    [treatment, against].every((id) => treatments.some((each) => each.id === id));
  const ratios = ratioThresholds.map((each) => ({ ...each, pairs: each.pairs.filter(isRun) }));
  return [
    ...evaluateThresholds(thresholds, record.judged(treatments), abort),
    ...evaluateRatios(ratios, isSearch ? undefined : record.measuredTrials()),
  ];
}
