// Where a worker's samples lie until they are shipped: one set of buffers for each second of the window, with counts
// and raw microseconds by operation. They are emptied by `drain` and used again, so that memory stays what one
// second needs.
import { recordableUs } from "./histograms.js";
import type { LifecycleStage, Operation, OperationMeasure } from "./operations.js";
import { PartBuffers } from "./part-sums.js";
import type { OperationDelta, SecondDelta } from "./recorder-delta.js";

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
    const us = recordableUs(ms);
    this.values[this.count++] = us;
    return us === Math.round(ms * 1000) ? 0 : 1;
  }

  /** A copy of exactly the samples; undefined when there are none. */
  drain(): Float64Array | undefined {
    if (this.count === 0) return undefined;
    const copy = this.values.slice(0, this.count);
    this.count = 0;
    return copy;
  }
}

/** One more of `key`. */
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

/** One more sample of `key`. */
function pushTo(samples: Map<string, Samples>, key: string, ms: number): void {
  let own = samples.get(key);
  if (!own) samples.set(key, (own = new Samples()));
  own.push(ms);
}

export class OperationBuffers {
  transactions = 0;
  events = 0;
  emptyPolls = 0;
  emptyPollMs = 0;
  offered = 0;
  dropped = 0;
  unansweredCommits = 0;
  readonly retries = new Map<string, number>();
  readonly failures = new Map<string, number>();
  private readonly errors = new Map<string, Samples>();
  readonly samples: Readonly<Record<OperationMeasure, Samples>> = {
    response: new Samples(),
    service: new Samples(),
    poolwait: new Samples(),
    startdelay: new Samples(),
    failed: new Samples(),
  };
  readonly parts = new PartBuffers();

  /** An attempt that failed so many milliseconds into the window, and is tried again or given up. */
  failed(counts: "retries" | "failures", sqlstate: string, atMs: number): void {
    increment(this[counts], sqlstate);
    pushTo(this.errors, sqlstate, atMs);
  }

  drain(): OperationDelta | undefined {
    const { transactions, events, emptyPolls, emptyPollMs, offered, dropped, unansweredCommits } = this;
    const ended = transactions + emptyPolls + this.retries.size + this.failures.size;
    if (ended + offered + dropped + unansweredCommits === 0) return undefined;
    this.transactions = this.events = this.emptyPolls = this.emptyPollMs = this.offered = this.dropped = 0;
    this.unansweredCommits = 0;
    const retries = drainCounts(this.retries);
    const failures = drainCounts(this.failures);
    const samplesUs = drainSamples(this.samples);
    const errorsUs = Object.fromEntries(
      [...this.errors].flatMap(([sqlstate, times]) => {
        const atUs = times.drain();
        return atUs ? [[sqlstate, atUs] as const] : [];
      }),
    );
    const parts = this.parts.drain();
    const counts = { transactions, events, emptyPolls, emptyPollMs, offered, dropped, retries, failures };
    return { ...counts, unansweredCommits, samplesUs, errorsUs, ...(parts && { parts }) };
  }
}

/** One second of the window; `drain` hands over what it holds and leaves it empty. */
export class SecondBuffers {
  second = 0;
  readonly operations: Record<Operation, OperationBuffers> = {};
  readonly lifecycle: Readonly<Record<LifecycleStage, Samples>> = {
    completed: new Samples(),
    archived: new Samples(),
  };

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) this.operations[operation] = new OperationBuffers();
  }

  drain(): SecondDelta {
    const operations: Record<Operation, OperationDelta> = {};
    for (const [operation, buffers] of Object.entries(this.operations)) {
      const delta = buffers.drain();
      if (delta) operations[operation as Operation] = delta;
    }
    return { second: this.second, operations, lifecycleUs: drainSamples(this.lifecycle) };
  }
}
