// Counts and histograms of a stretch of measured time: one second, a trial's window, or all trials of a
// treatment. The three are one class because merging is the same everywhere: counts add up, histograms add up,
// and every rate and percentile is taken from the sums at the end, never from other rates and percentiles.
import { HistogramSet, recordAll, summaryMs, type LatencySummary } from "./histograms.js";
import type { LifecycleStage, Operation, OperationMeasure } from "./operations.js";
import { PartSums, type PartSummary } from "./part-sums.js";
import type { OperationDelta, RecorderDelta, SecondDelta } from "./recorder-delta.js";

export interface OperationCounts {
  transactions: number;
  events: number;
  emptyPolls: number;
  emptyPollMs: number;
  /** Open loop only: arrivals that were due, that never started, that ended after the window. */
  offered: number;
  dropped: number;
  unfinished: number;
  /** The longest of those that were under way at the window's end; 0 without one. */
  outlastedMs: number;
  /** The connection went while they were under way. */
  unansweredCommits: number;
  /** By SQLSTATE. */
  readonly retries: Map<string, number>;
  readonly failures: Map<string, number>;
  readonly parts: PartSums;
}

/** What the result document says of one operation. A latency is null where it has no samples. */
export interface OperationSummary {
  readonly transactions: number;
  readonly events: number;
  readonly transactionsPerSecond: number;
  readonly eventsPerSecond: number;
  readonly responseTimeMs: LatencySummary | null;
  readonly serviceTimeMs: LatencySummary | null;
  readonly poolWaitMs: LatencySummary | null;
  /** Open loop only. */
  readonly startDelayMs?: LatencySummary;
  /** Service time of transactions given up; only where there are any. */
  readonly failedTimeMs?: LatencySummary;
  readonly retries: number;
  readonly retriesBySqlstate: Readonly<Record<string, number>>;
  readonly failures: Readonly<Record<string, number>>;
  /** Only where there are any. */
  readonly unansweredCommits?: number;
  readonly emptyPolls: number;
  /** Time spent in empty polls, over all clients. */
  readonly emptyPollTotalMs: number;
  /**
   * Arrivals of an open loop, 0 elsewhere: offered = transactions + failures + emptyPolls + dropped + unfinished.
   * `unfinished` are those that had started and had not ended at the end of the window.
   */
  readonly offered: number;
  readonly dropped: number;
  readonly unfinished: number;
  /** How long the longest took of those that were under way at the window's end; only where there are any. */
  readonly outlastedMs?: number;
  /** Where the response time went, and of how many slowest transactions too; only where that was measured. */
  readonly parts?: readonly PartSummary[];
  readonly slowTransactions?: number;
}

export interface WindowSummary {
  readonly windowSeconds: number;
  readonly operations: Readonly<Record<Operation, OperationSummary>>;
  readonly lifecycle: {
    readonly completedMs: LatencySummary | null;
    readonly archivedMs: LatencySummary | null;
  };
  /** Samples below 0 or above 7 days, recorded at that bound. */
  readonly clampedSamples: number;
}

function noCounts(): OperationCounts {
  return {
    transactions: 0,
    events: 0,
    emptyPolls: 0,
    emptyPollMs: 0,
    offered: 0,
    dropped: 0,
    unfinished: 0,
    outlastedMs: 0,
    unansweredCommits: 0,
    retries: new Map(),
    failures: new Map(),
    parts: new PartSums(),
  };
}

function addTo(into: Map<string, number>, counts: Iterable<readonly [string, number]>): void {
  for (const [key, count] of counts) into.set(key, (into.get(key) ?? 0) + count);
}

export function sumOf(counts: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
}

/** When attempts failed with that SQLSTATE: microseconds into the window. */
export type ErrorTimes = readonly [sqlstate: string, atUs: Float64Array];

export class Totals {
  clampedSamples = 0;
  /** Of what was added by `addSecond`; sums of totals leave them out, for they would grow with the window. */
  readonly errorTimes: ErrorTimes[] = [];
  private readonly counts = new Map<Operation, OperationCounts>();

  /** `operations` are reported even when nothing happened to them: a stall is a row of zeros, not a missing row. */
  constructor(
    operations: readonly Operation[] = [],
    readonly histograms = new HistogramSet(),
  ) {
    for (const operation of operations) this.counts.set(operation, noCounts());
  }

  /** To add trials to that are over. */
  static ofTrials(): Totals {
    return new Totals([], HistogramSet.ofTrials());
  }

  /** In the order in which they were named. */
  get operations(): Operation[] {
    return [...this.counts.keys()];
  }

  /** The counts of `operation`, live: they change as more is added. */
  countsOf(operation: Operation): OperationCounts {
    let counts = this.counts.get(operation);
    if (!counts) {
      counts = noCounts();
      this.counts.set(operation, counts);
    }
    return counts;
  }

  /** Adds what one worker measured in one second. */
  addSecond(delta: SecondDelta): void {
    for (const [operation, part] of Object.entries(delta.operations))
      this.addOperation(operation as Operation, part);
    for (const [stage, values] of Object.entries(delta.lifecycleUs)) {
      recordAll(this.histograms.at(`lifecycle.${stage as LifecycleStage}`), values);
    }
  }

  /** Adds what one worker says of transactions that the window's end found under way. */
  addUnderWay({ unfinished, outlastedMs }: Pick<RecorderDelta, "unfinished" | "outlastedMs">): void {
    for (const [operation, count] of Object.entries(unfinished))
      this.countsOf(operation as Operation).unfinished += count;
    for (const [operation, ms] of Object.entries(outlastedMs)) {
      const counts = this.countsOf(operation as Operation);
      counts.outlastedMs = Math.max(counts.outlastedMs, ms);
    }
  }

  add(other: Totals): void {
    for (const [operation, from] of other.counts) {
      const into = this.countsOf(operation);
      into.transactions += from.transactions;
      into.events += from.events;
      into.emptyPolls += from.emptyPolls;
      into.emptyPollMs += from.emptyPollMs;
      into.offered += from.offered;
      into.dropped += from.dropped;
      into.unfinished += from.unfinished;
      into.outlastedMs = Math.max(into.outlastedMs, from.outlastedMs);
      into.unansweredCommits += from.unansweredCommits;
      addTo(into.retries, from.retries);
      addTo(into.failures, from.failures);
      into.parts.add(from.parts);
    }
    this.clampedSamples += other.clampedSamples;
    this.histograms.add(other.histograms);
  }

  /** Back to nothing, keeping the memory and the operations. */
  reset(): void {
    for (const operation of this.counts.keys()) this.counts.set(operation, noCounts());
    this.clampedSamples = 0;
    this.errorTimes.length = 0;
    this.histograms.reset();
  }

  /** Rates over `windowSeconds`, which for several trials is the sum of their windows. */
  summary(windowSeconds: number): WindowSummary {
    const operations: Record<Operation, OperationSummary> = {};
    for (const operation of this.operations)
      operations[operation] = this.operationSummary(operation, windowSeconds);
    return {
      windowSeconds,
      operations,
      lifecycle: {
        completedMs: summaryMs(this.histograms.get("lifecycle.completed")),
        archivedMs: summaryMs(this.histograms.get("lifecycle.archived")),
      },
      clampedSamples: this.clampedSamples,
    };
  }

  private operationSummary(operation: Operation, windowSeconds: number): OperationSummary {
    const counts = this.countsOf(operation);
    const latency = (measure: OperationMeasure): LatencySummary | null =>
      summaryMs(this.histograms.get(`${operation}.${measure}`));
    const startDelayMs = latency("startdelay");
    const failedTimeMs = latency("failed");
    const parts = counts.parts.summary();
    const perSecond = (count: number): number => (windowSeconds > 0 ? count / windowSeconds : 0);
    return {
      transactions: counts.transactions,
      events: counts.events,
      transactionsPerSecond: perSecond(counts.transactions),
      eventsPerSecond: perSecond(counts.events),
      responseTimeMs: latency("response"),
      serviceTimeMs: latency("service"),
      poolWaitMs: latency("poolwait"),
      ...(startDelayMs && { startDelayMs }),
      ...(failedTimeMs && { failedTimeMs }),
      retries: sumOf(counts.retries),
      retriesBySqlstate: Object.fromEntries(counts.retries),
      failures: Object.fromEntries(counts.failures),
      ...(counts.unansweredCommits > 0 && { unansweredCommits: counts.unansweredCommits }),
      emptyPolls: counts.emptyPolls,
      emptyPollTotalMs: counts.emptyPollMs,
      offered: counts.offered,
      dropped: counts.dropped,
      unfinished: counts.unfinished,
      ...(counts.outlastedMs > 0 && { outlastedMs: counts.outlastedMs }),
      ...(parts.length > 0 && { parts, slowTransactions: counts.parts.slowCount }),
    };
  }

  private addOperation(operation: Operation, delta: OperationDelta): void {
    const counts = this.countsOf(operation);
    counts.transactions += delta.transactions;
    counts.events += delta.events;
    counts.emptyPolls += delta.emptyPolls;
    counts.emptyPollMs += delta.emptyPollMs;
    counts.offered += delta.offered;
    counts.dropped += delta.dropped;
    counts.unansweredCommits += delta.unansweredCommits;
    addTo(counts.retries, Object.entries(delta.retries));
    addTo(counts.failures, Object.entries(delta.failures));
    this.errorTimes.push(...Object.entries(delta.errorsUs));
    if (delta.parts) counts.parts.addDelta(delta.parts);
    for (const [measure, values] of Object.entries(delta.samplesUs)) {
      recordAll(this.histograms.at(`${operation}.${measure as OperationMeasure}`), values);
    }
  }
}
