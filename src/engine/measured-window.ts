// The measurement window of one trial: when it begins and ends on the monotonic clock, and the readings taken at
// both ends (CPU of this process, counters of the server), of which the result states the difference.
// It does not decide when the window ends; the trial does.
import { isoTime, monotonicMs, wallClockMs } from "../foundation/clock.js";
import { processCpuSeconds } from "../foundation/process-usage.js";
import { countersBetween, readCounters, type DatabaseCounters } from "../database/counters.js";
import type { SqlClient } from "../database/admin.js";
import type { TrialResult } from "../results/result-schema.js";

export class MeasuredWindow {
  readonly startMs: number;
  /** Wall-clock milliseconds of the start. */
  readonly startedAtMs: number;
  /** Infinity while only an iteration budget can end it. */
  endMs: number;
  private cpuSecondsAtStart = 0;
  private cpuSeconds = 0;
  private eventLoopDelayP99Ms = 0;
  private before: DatabaseCounters | undefined;
  private after: DatabaseCounters | undefined;

  /** Begins `leadMs` from now, so that every thread has heard of it before. */
  constructor(leadMs: number, durationMs: number) {
    this.startMs = monotonicMs() + leadMs;
    this.startedAtMs = wallClockMs() + leadMs;
    this.endMs = this.startMs + durationMs;
  }

  async readStart(admin: SqlClient): Promise<void> {
    this.cpuSecondsAtStart = processCpuSeconds();
    this.before = await readCounters(admin);
  }

  async readEnd(admin: SqlClient, eventLoopDelayP99Ms: number): Promise<void> {
    this.cpuSeconds = processCpuSeconds() - this.cpuSecondsAtStart;
    this.eventLoopDelayP99Ms = eventLoopDelayP99Ms;
    this.after = await readCounters(admin);
  }

  /** Seconds measured so far, or in all once the window has ended. */
  get seconds(): number {
    return Math.max(0, Math.min(this.endMs, monotonicMs()) - this.startMs) / 1000;
  }

  get startedAt(): string {
    return isoTime(this.startedAtMs);
  }

  get client(): TrialResult["client"] {
    return { cpuSeconds: this.cpuSeconds, eventLoopDelayP99Ms: this.eventLoopDelayP99Ms };
  }

  /** What the server did between the two readings; empty when one of them is missing. */
  get database(): TrialResult["database"] {
    return this.before && this.after ? countersBetween(this.before, this.after) : {};
  }
}
