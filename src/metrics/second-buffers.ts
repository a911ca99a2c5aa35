// Buffers of one second of the window each. `drain` empties them to be used again: memory stays what one second needs.
import { recordableUs } from "./histograms.js";
import {
  SQLSTATE_METRICS,
  COUNTERS,
  LATENCIES,
  zeroCounts,
  recordOf,
  type SqlstateMetricId,
  type CounterId,
} from "./metric-lists.js";
import type { LifecycleStage, Operation } from "./operations.js";
import { PartBuffers } from "./part-sums.js";
import type { OperationDelta, SecondDelta } from "./recorder-delta.js";

/** A growing array of microseconds; `drain` empties it and keeps its memory. */
class Samples {
  private values = new Float64Array(64);
  private count = 0;

  /** Adds a value; returns 1 if it had to be reduced to the range of a histogram. */
  push(ms: number): 0 | 1 {
    if (this.count === this.values.length) {
      const largerValues = new Float64Array(this.values.length * 2);
      largerValues.set(this.values);
      this.values = largerValues;
    }
    const us = recordableUs(ms);
    this.values[this.count++] = us;
    return us === Math.round(ms * 1000) ? 0 : 1;
  }

  /** A copy of exactly the samples; undefined if there are none. */
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
  const drainedSamples: Partial<Record<K, Float64Array>> = {};
  for (const key in buffers) {
    const samples = buffers[key].drain();
    if (samples) drainedSamples[key] = samples;
  }
  return drainedSamples;
}

/** Adds a sample to the key's samples; returns 1 if it was reduced to the range of a histogram. */
function pushSample(samples: Map<string, Samples>, key: string, ms: number): 0 | 1 {
  let keySamples = samples.get(key);
  if (!keySamples) samples.set(key, (keySamples = new Samples()));
  return keySamples.push(ms);
}

function drainSamplesByKey(samples: ReadonlyMap<string, Samples>): Record<string, Float64Array> {
  return Object.fromEntries(
    [...samples].flatMap(([key, own]) => {
      const valuesUs = own.drain();
      return valuesUs ? [[key, valuesUs] as const] : [];
    }),
  );
}

/** The counters of one operation in a typed array, in the slots of `COUNTER_SLOTS`. */
export class CounterSlots {
  private readonly values = new Float64Array(COUNTERS.length);

  add(slot: number, amount = 1): void {
    this.values[slot] = (this.values[slot] as number) + amount;
  }

  raise(slot: number, value: number): void {
    if (value > (this.values[slot] as number)) this.values[slot] = value;
  }

  /** Returns the counts and resets them; undefined if nothing was counted. */
  drain(): Record<CounterId, number> | undefined {
    if (this.values.every((value) => value === 0)) return undefined;
    const counts = recordOf(COUNTERS, (_, slot) => this.values[slot] as number);
    this.values.fill(0);
    return counts;
  }
}

export class OperationBuffers {
  readonly counters = new CounterSlots();
  readonly samples = recordOf(LATENCIES, () => new Samples());
  readonly parts = new PartBuffers();
  private readonly bySqlstate = recordOf(SQLSTATE_METRICS, () => new Map<string, number>());
  private readonly errors = new Map<string, Samples>();

  /** Counts an attempt that failed `atMs` milliseconds into the window, retried or not. */
  countError(metric: SqlstateMetricId, sqlstate: string, atMs: number): void {
    increment(this.bySqlstate[metric], sqlstate);
    pushSample(this.errors, sqlstate, atMs);
  }

  drain(): OperationDelta | undefined {
    const counts = this.counters.drain();
    const countsBySqlstate = recordOf(SQLSTATE_METRICS, ({ id }) => drainCounts(this.bySqlstate[id]));
    const hasFailed = Object.values(countsBySqlstate).some((failed) => Object.keys(failed).length > 0);
    if (!counts && !hasFailed) return undefined;
    const parts = this.parts.drain();
    const delta: OperationDelta = {
      ...zeroCounts(),
      ...counts,
      ...countsBySqlstate,
      samplesUs: drainSamples(this.samples),
      errorsUs: drainSamplesByKey(this.errors),
    };
    if (parts) delta.parts = parts;
    return delta;
  }
}

/** Everything recorded in one second of the window; `drain` returns it and leaves the buffers empty. */
export class SecondBuffers {
  second = 0;
  readonly operations: Record<Operation, OperationBuffers> = {};
  private readonly lifecycle = new Map<LifecycleStage, Samples>();

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) this.operations[operation] = new OperationBuffers();
  }

  /** Adds the latency up to a stage of life; returns 1 if it was reduced to the range of a histogram. */
  addLifecycleSample(stage: LifecycleStage, latencyMs: number): 0 | 1 {
    return pushSample(this.lifecycle, stage, latencyMs);
  }

  drain(): SecondDelta {
    const operations: Record<Operation, OperationDelta> = {};
    for (const [operation, buffers] of Object.entries(this.operations)) {
      const delta = buffers.drain();
      if (delta) operations[operation] = delta;
    }
    return { second: this.second, operations, lifecycleUs: drainSamplesByKey(this.lifecycle) };
  }
}
