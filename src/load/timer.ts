// Wakes at a moment with fractions of a millisecond by its own thread. Node's timers have whole milliseconds and are late by
// 0.75 ms on average.
import { Worker } from "node:worker_threads";
import { builtUrl } from "../foundation/built.js";
import { monotonicMs } from "../foundation/clock.js";

export interface Timer {
  /**
   * Makes the timer fire once at `dueMs` (monotonic milliseconds) or just after it, instead of at the moment set before;
   * Infinity: never.
   */
  set(dueMs: number): void;
  close(): Promise<void>;
}

/** Wakes all sleepers that are due and returns the next moment; Infinity if there are none. */
export type OnDue = () => number;

export interface TimerMemory {
  readonly due: Float64Array;
  /** Number of times that `due` was set. The thread sleeps until this changes. */
  readonly settings: Int32Array;
}

function createTimerMemory(): TimerMemory {
  const due = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
  due[0] = Number.POSITIVE_INFINITY;
  return { due, settings: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) };
}

/**
 * Milliseconds before the moment at which the thread sends its message, because the kernel ends sleeps up to that late. A
 * receiver that is early spins.
 */
export const LEAD_MS = 0.05;

export class TimerThread implements Timer {
  private readonly memory = createTimerMemory();
  private readonly thread: Worker;
  private dueMs = Number.POSITIVE_INFINITY;
  private isClosing = false;

  constructor(
    private readonly onDue: OnDue,
    onFailure: (error: unknown) => void,
  ) {
    this.thread = new Worker(builtUrl("./timer-thread.js", import.meta.url), {
      workerData: this.memory,
      name: "timer",
    });
    this.thread.on("message", () => this.onMessage());
    this.thread.on("error", onFailure);
    this.thread.on("exit", (code) => {
      if (!this.isClosing) onFailure(new Error(`the timer thread ended with code ${code}`));
    });
    // The timer must not keep the process from ending.
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

  private onMessage(): void {
    const leftMs = this.dueMs - monotonicMs();
    if (leftMs > LEAD_MS) {
      // The message is for a replaced moment, or the threads' clocks differ; in the second case the thread must be set
      // again.
      if (leftMs < Number.POSITIVE_INFINITY) this.set(this.dueMs);
      return;
    }
    while (monotonicMs() < this.dueMs);
    this.dueMs = Number.POSITIVE_INFINITY;
    const nextDueMs = this.onDue();
    // Sleepers that woke send their requests first, because the thread would need a processor just when the database
    // does.
    setImmediate(() => {
      if (nextDueMs < this.dueMs) this.set(nextDueMs);
    });
  }
}
