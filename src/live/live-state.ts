// The shown state of an experiment: one view of this moment, and a bounded past, for the board, plain lines and the live
// page. Seconds and samples are taken in measurement windows: warm-up and drain are phases without numbers.
import type {
  ExperimentObserver,
  LiveLook,
  RunningThreshold,
  TrialPhase,
} from "../engine/session/observer.js";
import type { Operation } from "../metrics/operations.js";
import type {
  LiveBudget,
  LiveNote,
  LivePhase,
  LivePoint,
  LiveRow,
  LiveSample,
  LiveTrialEnd,
  LiveUpdate,
  LiveView,
} from "./page/live-data.js";
import { budgetOf } from "../load/load-settings.js";
import type { EvidenceValues } from "../metrics/evidence-metric.js";
import type { Totals } from "../metrics/totals.js";
import { operationsOf } from "../results/operation-results.js";
import type { TrialResult } from "../results/result-schema.js";
import type { Experiment, PlannedTrial, Treatment } from "../scenario/settings.js";
import { LIVE_METRICS } from "../workloads/evidence.js";
import { roleTraitsOf, workloadOf } from "../workloads/registry.js";
import { unitOf, type Vocabulary } from "../workloads/vocabulary.js";
import { lookWords } from "./page/live-words.js";
import { nextRow, emptyRow, p99Ms, trialEnd, rowWithLatePart } from "./live-rows.js";
import { TimeLeft } from "./time-left.js";

/** The last items of a series: beyond `most` the oldest are forgotten. New items are handed out once. */
class RecentItems<T> {
  private items: T[] = [];
  private unsentItems: T[] = [];

  constructor(private readonly most: number) {}

  add(item: T): void {
    this.items.push(item);
    this.unsentItems.push(item);
    // The array is cut only now and then, because each cut moves all of its items.
    if (this.items.length > 2 * this.most) this.items = this.items.slice(-this.most);
    if (this.unsentItems.length > 2 * this.most) this.unsentItems = this.unsentItems.slice(-this.most);
  }

  /** Replaces an item that is kept; the new items include the replacement. */
  replace(earlier: T, item: T): void {
    const at = this.items.lastIndexOf(earlier);
    if (at >= 0) this.items[at] = item;
    this.unsentItems = [...this.unsentItems.filter((each) => each !== earlier), item];
  }

  find(matches: (item: T) => boolean): T | undefined {
    return this.items.findLast(matches);
  }

  all(): readonly T[] {
    return this.items.slice(-this.most);
  }

  takeUnsentItems(): readonly T[] {
    const newItems = this.unsentItems.slice(-this.most);
    this.unsentItems = [];
    return newItems;
  }
}

/** Maximum number of seconds and samples that are kept across trials: ten minutes. */
const KEPT_POINTS_MAX = 600;
const KEPT_NOTES_MAX = 200;
/** Metrics whose samples are kept for charts over time. */
const CHARTED_METRICS = new Set<string>(LIVE_METRICS.map(({ name }) => name));

export interface LiveInputs {
  readonly experiment: Experiment;
  readonly programVersion: string;
  /** True if trials are added when they are needed (a search), so that no plan states their number. */
  readonly isSearch: boolean;
  /** Trials of an earlier run that this one continues. */
  readonly earlier: readonly { readonly treatmentId: string; readonly result: TrialResult }[];
  /** Current time in monotonic milliseconds. */
  readonly nowMs: () => number;
}

/** Id of the treatment that is shown; in a duet, of the treatment on the first server. */
function treatmentLabel({ treatmentId, duet }: PlannedTrial): string {
  return duet ? `${treatmentId} (beside ${duet.beside})` : treatmentId;
}

export class LiveState implements ExperimentObserver {
  private readonly startedMs: number;
  private readonly timeLeft: TimeLeft;
  private readonly vocabulary: Vocabulary;
  private readonly points = new RecentItems<LivePoint>(KEPT_POINTS_MAX);
  private readonly samples = new RecentItems<LiveSample>(KEPT_POINTS_MAX);
  private readonly trialEnds = new RecentItems<LiveTrialEnd>(Number.POSITIVE_INFINITY);
  private readonly notes = new RecentItems<LiveNote>(KEPT_NOTES_MAX);
  private trial: PlannedTrial | undefined;
  private treatment: Treatment | undefined;
  private current: LivePhase | null = null;
  private rows = new Map<Operation, LiveRow>();
  private shownSecond = -1;
  private windowStartMs = 0;
  private values: EvidenceValues = {};
  private running: readonly RunningThreshold[] = [];
  private noteCount = 0;
  private look: LiveLook | null = null;

  constructor(private readonly inputs: LiveInputs) {
    this.startedMs = inputs.nowMs();
    const [first] = inputs.experiment.treatments;
    this.vocabulary = workloadOf(first?.settings ?? {});
    const done = new Set(inputs.earlier.map(({ result }) => result.number));
    this.timeLeft = new TimeLeft(inputs.experiment, done);
    for (const { treatmentId, result } of inputs.earlier) this.trialEnds.add(this.endOf(result, treatmentId));
  }

  /** Milliseconds since the program began to watch. */
  get elapsedMs(): number {
    return this.inputs.nowMs() - this.startedMs;
  }

  get treatmentWidth(): number {
    return Math.max(...this.inputs.experiment.treatments.map(({ id }) => id.length));
  }

  endOf(result: TrialResult, treatmentId: string): LiveTrialEnd {
    return trialEnd(result, treatmentId, this.vocabulary);
  }

  note(text: string): void {
    this.notes.add({ number: ++this.noteCount, atMs: this.elapsedMs, text });
  }

  trialStarted(trial: PlannedTrial, treatment: Treatment): void {
    this.trial = trial;
    this.treatment = treatment;
    this.current = null;
    this.shownSecond = -1;
    this.values = {};
    this.running = [];
    this.rows = new Map(operationsOf(treatment.settings).map((each) => [each, this.emptyOperationRow(each)]));
    this.timeLeft.beginTrial(trial, this.inputs.nowMs());
  }

  phaseStarted(phase: TrialPhase, mostMs: number | undefined): void {
    this.current = { name: phase, sinceMs: this.elapsedMs, mostMs: mostMs ?? null };
    if (phase === "measure") this.windowStartMs = this.elapsedMs;
    // Samples are taken in the window only, so a new phase makes the last sample out of date.
    this.values = {};
  }

  second(second: number, totals: Totals): void {
    const isNew = second > this.shownSecond;
    if (isNew) this.shownSecond = second;
    for (const operation of totals.operations) {
      const before = this.rows.get(operation) ?? this.emptyOperationRow(operation);
      const row = isNew
        ? nextRow(before, totals, second + 1)
        : rowWithLatePart(before, totals, second, this.shownSecond);
      this.rows.set(operation, row);
    }
    this.addPoint(second, totals);
  }

  evidence(values: EvidenceValues): void {
    this.values = values;
    const chartedValues = Object.entries(values).filter(([name]) => CHARTED_METRICS.has(name));
    this.samples.add({
      trial: this.trial?.number ?? 0,
      atMs: this.elapsedMs,
      values: Object.fromEntries(chartedValues),
    });
  }

  thresholds(states: readonly RunningThreshold[]): void {
    this.running = states;
  }

  trialEnded(result: TrialResult, treatment: Treatment): void {
    this.timeLeft.addTrial(treatment, this.inputs.nowMs());
    this.current = null;
    this.values = {};
    this.trialEnds.add(this.endOf(result, treatment.id));
  }

  onLook(look: LiveLook): void {
    this.look = look;
    this.note(lookWords(look));
  }

  view(): LiveView {
    const { experiment, isSearch, programVersion } = this.inputs;
    const { trial, treatment } = this;
    return {
      scenario: experiment.name,
      programVersion,
      elapsedMs: this.elapsedMs,
      leftMs: isSearch ? null : this.timeLeft.leftMs(this.inputs.nowMs(), this.budgetLeftMs()),
      trials: isSearch ? null : experiment.trials.length,
      mayEndEarly: experiment.stopping !== undefined,
      look: this.look,
      trial: trial && treatment ? { number: trial.number, treatment: treatmentLabel(trial) } : null,
      phase: this.current,
      budgets: this.current?.name === "measure" ? this.budgets() : [],
      operations: [...this.rows.values()],
      evidence: this.values,
      thresholds: this.running,
    };
  }

  /** Events of an operation in each of the last seconds of this trial, oldest first. */
  recentEvents(operation: Operation, seconds: number): number[] {
    const trialPoints = this.points.all().filter(({ trial }) => trial === this.trial?.number);
    return trialPoints
      .slice(Math.max(0, trialPoints.length - seconds))
      .map((point) => point.operations[operation]?.events ?? 0);
  }

  recentEvidence(name: string, samples: number): number[] {
    const trialSamples = this.samples.all().filter(({ trial }) => trial === this.trial?.number);
    return trialSamples
      .slice(Math.max(0, trialSamples.length - samples))
      .flatMap(({ values }) => values[name] ?? []);
  }

  /** The view with the whole kept past. */
  fullUpdate(): LiveUpdate {
    return {
      view: this.view(),
      points: this.points.all(),
      samples: this.samples.all(),
      ended: this.trialEnds.all(),
      notes: this.notes.all(),
    };
  }

  /** The view with the past since the last call. */
  nextUpdate(): LiveUpdate {
    return {
      view: this.view(),
      points: this.points.takeUnsentItems(),
      samples: this.samples.takeUnsentItems(),
      ended: this.trialEnds.takeUnsentItems(),
      notes: this.notes.takeUnsentItems(),
    };
  }

  private addPoint(second: number, totals: Totals): void {
    const trial = this.trial?.number ?? 0;
    const earlier = this.points.find((point) => point.trial === trial && point.second === second);
    const point: LivePoint = {
      trial,
      second,
      // The moment at which the second was over, not the moment of its report.
      atMs: this.windowStartMs + (second + 1) * 1000,
      operations: Object.fromEntries(
        totals.operations.map((operation) => {
          const before = earlier?.operations[operation];
          const events = totals.countsOf(operation).events + (before?.events ?? 0);
          const response = totals.histograms.get(`${operation}.response`);
          return [operation, { events, p99Ms: before?.p99Ms ?? p99Ms(response) }];
        }),
      ),
    };
    if (earlier) this.points.replace(earlier, point);
    else this.points.add(point);
  }

  private budgets(): LiveBudget[] {
    const { settings } = this.treatment ?? {};
    if (!settings) return [];
    return Object.entries(settings.actors).flatMap(([role, { load }]): LiveBudget[] => {
      const iterations = budgetOf(load)?.iterations;
      if (iterations === undefined) return [];
      const ended = roleTraitsOf(settings, role).arrivals.reduce(
        (sum, operation) => sum + (this.rows.get(operation)?.totalEnded ?? 0),
        0,
      );
      const windowMs = (this.shownSecond + 1) * 1000;
      const leftMs = ended > 0 ? (Math.max(0, iterations - ended) * windowMs) / ended : null;
      return [{ role, ended, iterations, leftMs }];
    });
  }

  private budgetLeftMs(): number {
    const { stopping } = this.inputs.experiment;
    return (stopping?.budgetMs ?? Number.POSITIVE_INFINITY) - this.elapsedMs;
  }

  private emptyOperationRow(operation: Operation): LiveRow {
    return emptyRow(operation, unitOf(this.vocabulary, operation));
  }
}
