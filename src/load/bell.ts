// Wakes at a moment with fractions of a millisecond by a thread of its own. Node's timers have whole milliseconds and are late by
// 0.75 ms on average.
import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { monotonicMs } from "../foundation/clock.js";

/** What rings for somebody who waits for moments. */
export interface Bell {
  /** Rings at `dueMs` (monotonic milliseconds), not before and once, in place of what was set earlier; Infinity: never. */
  set(dueMs: number): void;
  close(): Promise<void>;
}

/** Wakes whose moment has come, and returns that of the next, for which the bell sets itself; Infinity: nobody waits. */
export type OnRing = () => number;

/** What a bell and its thread share. */
export interface BellMemory {
  /** When to ring, in monotonic milliseconds. */
  readonly due: Float64Array;
  /** Counts how often that was set; the thread sleeps on it. */
  readonly settings: Int32Array;
}

function neverRinging(): BellMemory {
  const due = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
  due[0] = Number.POSITIVE_INFINITY;
  return { due, settings: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) };
}

/**
 * Milliseconds by which the thread sends its message ahead, at most: by so much the kernel lets a sleep of some length be
 * late. Whoever receives it sooner waits without letting the processor go.
 */
export const LEAD_MS = 0.05;

export class ThreadBell implements Bell {
  private readonly memory = neverRinging();
  private readonly thread: Worker;
  private dueMs = Number.POSITIVE_INFINITY;
  private isClosing = false;

  constructor(
    private readonly onRing: OnRing,
    onFailure: (error: unknown) => void,
  ) {
    this.thread = new Worker(entryUrl(), { workerData: this.memory, name: "bell" });
    this.thread.on("message", () => this.hear());
    this.thread.on("error", onFailure);
    this.thread.on("exit", (code) => {
      if (!this.isClosing) onFailure(new Error(`the timer thread ended with code ${code}`));
    });
    // It is to keep nobody from ending.
    this.thread.unref();
  }

  set(dueMs: number): void {
    const { due, settings } = this.memory;
    this.dueMs = due[0] = dueMs;
    Atomics.add(settings, 0, 1);
    Atomics.notify(settings, 0);
  }

  async close(): Promise<void> {
    this.isClosing = true;
    await this.thread.terminate();
  }

  private hear(): void {
    const leftMs = this.dueMs - monotonicMs();
    if (leftMs > LEAD_MS) {
      // Of a setting that has been replaced since. Or the threads' clocks differ: it would not ring again by itself.
      if (leftMs < Number.POSITIVE_INFINITY) this.set(this.dueMs);
      return;
    }
    while (monotonicMs() < this.dueMs);
    this.dueMs = Number.POSITIVE_INFINITY;
    const nextMs = this.onRing();
    // Whoever was woken sends first: the thread would have a processor just when the database needs it.
    setImmediate(() => {
      if (nextMs < this.dueMs) this.set(nextMs);
    });
  }
}

/** Beside this file in the built program; in the build, too, when this file runs from source under the tests. */
function entryUrl(): URL {
  const built = new URL("./bell-thread.js", import.meta.url);
  return existsSync(built) ? built : new URL("../../dist/load/bell-thread.js", import.meta.url);
}
