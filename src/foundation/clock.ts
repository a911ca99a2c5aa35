// The only file that reads a clock. Every duration in the program comes from the monotonic clock, whose
// origin all threads of a process share, so that a publish time taken in one worker and a completion time
// taken in another can be subtracted. Wall time is for names and stamps only, never for a duration.
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";

/**
 * `performance.now()` is the cheap reading, but its origin may differ between threads; `hrtime` has the
 * system's own origin. The offset between them is taken once a thread, from the closest of several readings,
 * so that a thread that is preempted between two reads does not carry the gap into every duration.
 */
function measureOffsetMs(): number {
  let best = { gapMs: Number.POSITIVE_INFINITY, offsetMs: 0 };
  for (let i = 0; i < 9; i++) {
    const before = performance.now();
    const systemMs = Number(process.hrtime.bigint()) / 1e6;
    const after = performance.now();
    if (after - before < best.gapMs)
      best = { gapMs: after - before, offsetMs: systemMs - (before + after) / 2 };
  }
  return best.offsetMs;
}

const OFFSET_MS = measureOffsetMs();

/** Monotonic milliseconds with a fraction, on one origin for every thread of this machine. */
export function monotonicMs(): number {
  return OFFSET_MS + performance.now();
}

/** Wall-clock milliseconds since 1970-01-01T00:00:00Z. */
export function wallClockMs(): number {
  return Date.now();
}

/** The wall-clock instant `atMs` (now, when left out) as ISO 8601 in UTC. */
export function isoTime(atMs: number = Date.now()): string {
  return new Date(atMs).toISOString();
}

/** What pacing and retrying need of a clock; tests inject one that they move by hand. */
export interface Clock {
  /** Monotonic milliseconds. */
  nowMs(): number;
  /** Resolves after `ms`, never before, or at once when `signal` aborts (it does not reject). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: monotonicMs,
  async sleep(ms, signal) {
    const dueMs = monotonicMs() + ms;
    try {
      // Node's timers count whole milliseconds, and may be a part of one early: what is due in a second would come
      // in the second before it.
      for (let leftMs = ms; leftMs > 0 && !signal?.aborted; leftMs = dueMs - monotonicMs())
        await delay(leftMs, undefined, signal ? { signal } : {});
    } catch {
      // Aborted: the caller looks at its signal.
    }
  },
};
