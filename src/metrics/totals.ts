// Counts and histograms by operation of a stretch of measured time: a second, a window of one worker or of all, the trials
// of a treatment. Counts and histograms add up; rates and percentiles come from the sums, never from other percentiles.
import { sumOfCounts } from "./figures.js";
import { HistogramSet, recordAll, summaryMs, type LatencySummary } from "./histograms.js";
import { type LifecycleStage, type Operation } from "./operations.js";
import {
  addCounts,
  COUNTERS,
  DEVIATIONS,
  LATENCIES,
  zeroCounts,
  type CounterField,
  type Counts,
  type DeviationField,
  type LatencyField,
  type NonZeroField,
} from "./metric-lists.js";
import { shareOf, type OperationShare } from "./operation-share.js";
import { PartSums, type PartSummary } from "./part-sums.js";
import type { OperationDelta, RecorderDelta, SecondDelta } from "./recorder-delta.js";

type SummaryFields = Record<Exclude<CounterField, NonZeroField>, number> &
  Partial<Record<Extract<CounterField, NonZeroField>, number>> &
  Record<Exclude<LatencyField, NonZeroField>, LatencySummary | null> &
  Partial<Record<Extract<LatencyField, NonZeroField>, LatencySummary>> &
  Partial<Record<DeviationField, number>>;

/**
 * Summary of one operation in the result document. A latency is null without samples. In an open loop, offered =
 * transactions + failures + emptyPolls + dropped + unfinished.
 */
export interface OperationSummary extends Readonly<SummaryFields> {
  readonly transactionsPerSecond: number;
  readonly eventsPerSecond: number;
  readonly retries: number;
  readonly retriesBySqlstate: Readonly<Record<string, number>>;
  readonly failures: Readonly<Record<string, number>>;
  /** Parts of the response time, and the number of slowest transactions among them; present only if parts were measured. */
  readonly parts?: readonly PartSummary[];
  readonly slowTransactions?: number;
}

export interface WindowSummary {
  readonly windowSeconds: number;
  readonly operations: Readonly<Record<Operation, OperationSummary>>;
  readonly lifecycle: {
    readonly [span: `${string}Ms`]: LatencySummary | null;
  };
  /** Number of samples below 0 or above 7 days, which are recorded at that bound. */
  readonly clampedSamples: number;
}

/** Times of attempts that failed with that SQLSTATE: microseconds into the window. */
export type ErrorTimes = readonly [sqlstate: string, atUs: Float64Array];

export class Totals {
  clampedSamples = 0;
  /** Times of errors added by `addSecond`. Sums of totals leave them out, because they would grow with the window. */
  readonly errorTimes: ErrorTimes[] = [];
  private readonly counts = new Map<Operation, Counts>();
  private readonly parts = new Map<Operation, PartSums>();

  /** `operations` are reported even if nothing happened to them: a stall is a row of zeros, not a missing row. */
  constructor(
    operations: readonly Operation[] = [],
    readonly histograms = new HistogramSet(),
  ) {
    for (const operation of operations) this.counts.set(operation, zeroCounts());
  }

  static ofTrials(): Totals {
    return new Totals([], HistogramSet.ofTrials());
  }

  get operations(): Operation[] {
    return [...this.counts.keys()];
  }

  get stages(): LifecycleStage[] {
    return this.histograms.stages;
  }

  countsOf(operation: Operation): Counts {
    let counts = this.counts.get(operation);
    if (!counts) this.counts.set(operation, (counts = zeroCounts()));
    return counts;
  }

  partsOf(operation: Operation): PartSums {
    let parts = this.parts.get(operation);
    if (!parts) this.parts.set(operation, (parts = new PartSums()));
    return parts;
  }

  /** Adds the measurements of one worker in one second. */
  addSecond(delta: SecondDelta): void {
    for (const [operation, part] of Object.entries(delta.operations)) this.addOperation(operation, part);
    for (const [stage, values] of Object.entries(delta.lifecycleUs)) {
      recordAll(this.histograms.at(`lifecycle.${stage}`), values);
    }
  }

  /** Adds the transactions of one worker that were in flight at the window's end. */
  addUnderWay({ underWay }: Pick<RecorderDelta, "underWay">): void {
    for (const [operation, counts] of Object.entries(underWay)) addCounts(this.countsOf(operation), counts);
  }

  add(other: Totals): void {
    for (const [operation, counts] of other.counts) addCounts(this.countsOf(operation), counts);
    for (const [operation, parts] of other.parts) this.partsOf(operation).add(parts);
    this.clampedSamples += other.clampedSamples;
    this.histograms.add(other.histograms);
  }

  reset(): void {
    for (const operation of this.counts.keys()) this.counts.set(operation, zeroCounts());
    this.parts.clear();
    this.clampedSamples = 0;
    this.errorTimes.length = 0;
    this.histograms.reset();
  }

  /** Summary with rates over `windowSeconds`; for several trials, pass the sum of their windows. */
  summary(windowSeconds: number): WindowSummary {
    const operations: Record<Operation, OperationSummary> = {};
    for (const operation of this.operations)
      operations[operation] = this.operationSummary(operation, windowSeconds);
    return {
      windowSeconds,
      operations,
      lifecycle: Object.fromEntries(
        this.stages.map((stage) => [`${stage}Ms`, summaryMs(this.histograms.get(`lifecycle.${stage}`))]),
      ),
      clampedSamples: this.clampedSamples,
    };
  }

  share(operation: Operation): OperationShare {
    const { transactions, events, retries, failures } = this.countsOf(operation);
    return shareOf(
      { transactions, events, retries: sumOfCounts(retries), failures: sumOfCounts(failures) },
      this.histograms.get(`${operation}.response`),
    );
  }

  private operationSummary(operation: Operation, windowSeconds: number): OperationSummary {
    const counts = this.countsOf(operation);
    const perSecond = (count: number): number => (windowSeconds > 0 ? count / windowSeconds : 0);
    const sums = this.partsOf(operation);
    const parts = sums.summary();
    const countFields = COUNTERS.flatMap((metric): [string, number][] => {
      const count = counts[metric.id];
      return "presence" in metric && metric.presence === "seen" && count === 0 ? [] : [[metric.field, count]];
    });
    const latencies = LATENCIES.flatMap((metric): [string, LatencySummary | null][] => {
      const latency = summaryMs(this.histograms.get(`${operation}.${metric.id}`));
      return "presence" in metric && latency === null ? [] : [[metric.field, latency]];
    });
    const deviations = DEVIATIONS.flatMap(({ of, field }): [string, number][] => {
      const histogram = this.histograms.get(`${operation}.${of}`);
      return histogram ? [[field, histogram.stdDeviation / 1000]] : [];
    });
    return {
      ...(Object.fromEntries([...countFields, ...latencies, ...deviations]) as SummaryFields),
      transactionsPerSecond: perSecond(counts.transactions),
      eventsPerSecond: perSecond(counts.events),
      retries: sumOfCounts(counts.retries),
      retriesBySqlstate: { ...counts.retries },
      failures: { ...counts.failures },
      ...(parts.length > 0 && { parts, slowTransactions: sums.slowCount }),
    };
  }

  private addOperation(operation: Operation, delta: OperationDelta): void {
    addCounts(this.countsOf(operation), delta);
    this.errorTimes.push(...Object.entries(delta.errorsUs));
    if (delta.parts) this.partsOf(operation).addDelta(delta.parts);
    for (const { id } of LATENCIES) {
      const samples = delta.samplesUs[id];
      if (samples) recordAll(this.histograms.at(`${operation}.${id}`), samples);
    }
  }
}
