// What a worker thread measures, kept as raw microseconds in typed arrays by second of the measurement window,
// and shipped to the coordinator once a second. It exists to be cheap: recording a transaction is a few array
// stores, and working arrays are reused, so that nothing is allocated once they have grown to a second's load.
// Only what finishes inside the window is measured; everything else (warm-up, drain) is counted, never mixed in.
import { HIGHEST_TRACKABLE_US } from "./histograms.js";
import type { LifecycleStage, Operation, OperationMeasure } from "./operations.js";
import {
  noOutsideCounts,
  type OperationDelta,
  type RecorderDelta,
  type SecondDelta,
} from "./recorder-delta.js";

export { transferablesOf, type RecorderDelta } from "./recorder-delta.js";

/** A committed transaction. Instants and durations in monotonic milliseconds, with fractions. */
export interface TransactionSample {
  readonly finishedMs: number;
  readonly events: number;
  readonly serviceMs: number;
  readonly responseMs: number;
  readonly poolWaitMs: number;
  /** Open loop only. */
  readonly startDelayMs?: number;
}

/** A transaction that was given up, or failed in a way that cannot be retried. */
export interface FailureSample {
  readonly finishedMs: number;
  readonly serviceMs: number;
  /** SQLSTATE, or the system's error code where the server sent none. */
  readonly sqlstate: string;
}

/** A growing array of microseconds whose memory is used again after `drain`. */
class Samples {
  private values = new Float64Array(64);
  private count = 0;

  /** Returns 1 when the value had to be cut to the range of a histogram. */
  push(ms: number): 0 | 1 {
    if (this.count === this.values.length) {
      const larger = new Float64Array(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    const us = Math.round(ms * 1000);
    if (us >= 0 && us <= HIGHEST_TRACKABLE_US) {
      this.values[this.count++] = us;
      return 0;
    }
    this.values[this.count++] = us > HIGHEST_TRACKABLE_US ? HIGHEST_TRACKABLE_US : 0;
    return 1;
  }

  /** A copy of exactly the samples; undefined when there are none. */
  drain(): Float64Array | undefined {
    if (this.count === 0) return undefined;
    const copy = this.values.slice(0, this.count);
    this.count = 0;
    return copy;
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function drainCounts(counts: Map<string, number>): Record<string, number> {
  const record = Object.fromEntries(counts);
  counts.clear();
  return record;
}

function drainSamples<K extends string>(
  buffers: Readonly<Record<K, Samples>>,
): Partial<Record<K, Float64Array>> {
  const drained: Partial<Record<K, Float64Array>> = {};
  for (const key in buffers) {
    const samples = buffers[key].drain();
    if (samples) drained[key] = samples;
  }
  return drained;
}

class OperationBuffers {
  transactions = 0;
  events = 0;
  emptyPolls = 0;
  emptyPollMs = 0;
  readonly retries = new Map<string, number>();
  readonly failures = new Map<string, number>();
  readonly samples: Readonly<Record<OperationMeasure, Samples>> = {
    response: new Samples(),
    service: new Samples(),
    poolwait: new Samples(),
    startdelay: new Samples(),
    failed: new Samples(),
  };

  drain(): OperationDelta | undefined {
    const { transactions, events, emptyPolls, emptyPollMs } = this;
    if (transactions + emptyPolls + this.retries.size + this.failures.size === 0) return undefined;
    this.transactions = this.events = this.emptyPolls = this.emptyPollMs = 0;
    const retries = drainCounts(this.retries);
    const failures = drainCounts(this.failures);
    const samplesUs = drainSamples(this.samples);
    return { transactions, events, emptyPolls, emptyPollMs, retries, failures, samplesUs };
  }
}

class SecondBuffers {
  second = 0;
  readonly operations: Partial<Record<Operation, OperationBuffers>> = {};
  readonly lifecycle: Readonly<Record<LifecycleStage, Samples>> = {
    completed: new Samples(),
    archived: new Samples(),
  };

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) this.operations[operation] = new OperationBuffers();
  }

  drain(): SecondDelta {
    const operations: Partial<Record<Operation, OperationDelta>> = {};
    for (const [operation, buffers] of Object.entries(this.operations)) {
      const delta = buffers.drain();
      if (delta) operations[operation as Operation] = delta;
    }
    return { second: this.second, operations, lifecycleUs: drainSamples(this.lifecycle) };
  }
}

/** Records for one worker thread. All instants are monotonic milliseconds. */
export class Recorder {
  private startMs = Number.POSITIVE_INFINITY;
  private endMs = Number.POSITIVE_INFINITY;
  private open: SecondBuffers[] = [];
  private readonly spare: SecondBuffers[] = [];
  private current: SecondBuffers | undefined;
  private outside = noOutsideCounts();
  private clampedSamples = 0;

  /** Recording an operation that is not named here is an error of the caller. */
  constructor(private readonly operations: readonly Operation[]) {}

  /**
   * Measures what finishes in [startMs, endMs) from now on; before the first call all is outside. `endMs` may be
   * Infinity and be set later, after the last measured instant. The start cannot move under recorded samples.
   */
  setWindow(startMs: number, endMs: number): void {
    if (startMs !== this.startMs && this.open.length > 0)
      throw new Error("The measurement window cannot move while it holds samples");
    this.startMs = startMs;
    this.endMs = endMs;
  }

  transaction(operation: Operation, sample: TransactionSample): void {
    const second = this.secondOf(sample.finishedMs);
    if (!second) {
      this.outside.transactions++;
      this.outside.events += sample.events;
      return;
    }
    const buffers = this.buffersOf(second, operation);
    buffers.transactions++;
    buffers.events += sample.events;
    const { response, service, poolwait, startdelay } = buffers.samples;
    this.clampedSamples += response.push(sample.responseMs);
    this.clampedSamples += service.push(sample.serviceMs);
    this.clampedSamples += poolwait.push(sample.poolWaitMs);
    if (sample.startDelayMs !== undefined) this.clampedSamples += startdelay.push(sample.startDelayMs);
  }

  failure(operation: Operation, sample: FailureSample): void {
    const second = this.secondOf(sample.finishedMs);
    if (!second) {
      this.outside.failures++;
      return;
    }
    const buffers = this.buffersOf(second, operation);
    increment(buffers.failures, sample.sqlstate);
    this.clampedSamples += buffers.samples.failed.push(sample.serviceMs);
  }

  /** One attempt that failed and is tried again. */
  retry(operation: Operation, sqlstate: string, atMs: number): void {
    const second = this.secondOf(atMs);
    if (second) increment(this.buffersOf(second, operation).retries, sqlstate);
    else this.outside.retries++;
  }

  /** A transaction that found nothing to do; never counted as a transaction. */
  emptyPoll(operation: Operation, atMs: number, durationMs: number): void {
    const second = this.secondOf(atMs);
    if (!second) {
      this.outside.emptyPolls++;
      return;
    }
    const buffers = this.buffersOf(second, operation);
    buffers.emptyPolls++;
    buffers.emptyPollMs += durationMs;
  }

  /** One event reached `stage` at `atMs`, `latencyMs` after its publish commit was acknowledged. */
  lifecycle(stage: LifecycleStage, latencyMs: number, atMs: number): void {
    const second = this.secondOf(atMs);
    if (second) this.clampedSamples += second.lifecycle[stage].push(latencyMs);
  }

  /** Hands over every second that is over at `nowMs` (Infinity: all), and the counts since the last call. */
  take(nowMs: number): RecorderDelta {
    const closedBefore =
      nowMs >= this.endMs ? Number.POSITIVE_INFINITY : Math.max(0, Math.floor((nowMs - this.startMs) / 1000));
    const closed = this.open.filter((buffers) => buffers.second < closedBefore);
    closed.sort((a, b) => a.second - b.second);
    this.open = this.open.filter((buffers) => buffers.second >= closedBefore);
    this.current = undefined;
    const seconds = closed.map((buffers) => buffers.drain());
    this.spare.push(...closed);
    const delta = { seconds, closedBefore, outside: this.outside, clampedSamples: this.clampedSamples };
    this.outside = noOutsideCounts();
    this.clampedSamples = 0;
    return delta;
  }

  private secondOf(atMs: number): SecondBuffers | undefined {
    if (!(atMs >= this.startMs && atMs < this.endMs)) return undefined;
    const second = Math.floor((atMs - this.startMs) / 1000);
    if (this.current?.second === second) return this.current;
    this.current = this.open.find((buffers) => buffers.second === second);
    if (!this.current) {
      this.current = this.spare.pop() ?? new SecondBuffers(this.operations);
      this.current.second = second;
      this.open.push(this.current);
    }
    return this.current;
  }

  private buffersOf(second: SecondBuffers, operation: Operation): OperationBuffers {
    const buffers = second.operations[operation];
    if (!buffers) throw new Error(`The recorder was not made for the operation ${operation}`);
    return buffers;
  }
}
