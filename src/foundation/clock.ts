// The only file that reads a clock. All threads of a process and all agents of a run share the origin of the monotonic clock.
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

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

/** Monotonic milliseconds of this machine, with a fraction, on one origin for all of its threads. */
export function ownMonotonicMs(): number {
  return OFFSET_MS + performance.now();
}

/** What a clock that follows another one adds to its own: `offsetMs` at `sinceMs`, and `slope` a millisecond from then on. */
export interface ClockLine {
  readonly sinceMs: number;
  readonly offsetMs: number;
  readonly slope: number;
}

/** Name under which threads are handed the memory of `followClock`. */
const FOLLOWED = "train-sim.clock";
/** Two lines, so that no thread reads one that is being written, and which of them holds. */
const LINE_BYTES = 3 * Float64Array.BYTES_PER_ELEMENT;

class FollowedClock {
  private readonly lines: Float64Array;
  private readonly which: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.lines = new Float64Array(memory, 0, 6);
    this.which = new Int32Array(memory, 2 * LINE_BYTES, 1);
  }

  /** To be added to `ownMs`. */
  correctionMs(ownMs: number): number {
    const at = Atomics.load(this.which, 0) * 3;
    const { lines } = this;
    return (lines[at + 1] as number) + (lines[at + 2] as number) * (ownMs - (lines[at] as number));
  }

  set({ sinceMs, offsetMs, slope }: ClockLine): void {
    const next = 1 - Atomics.load(this.which, 0);
    this.lines.set([sinceMs, offsetMs, slope], next * 3);
    Atomics.store(this.which, 0, next);
  }
}

function followedClock(): FollowedClock | undefined {
  const memory = getEnvironmentData(FOLLOWED);
  return memory instanceof SharedArrayBuffer ? new FollowedClock(memory) : undefined;
}

let followed = followedClock();

/**
 * From now on `monotonicMs` of this process, in threads that are yet to be started too, follows the clock of another machine
 * as far as that is told: each call of the result tells what holds from then on.
 */
export function followClock(): (line: ClockLine) => void {
  setEnvironmentData(FOLLOWED, new SharedArrayBuffer(2 * LINE_BYTES + Int32Array.BYTES_PER_ELEMENT));
  const clock = followedClock() as FollowedClock;
  followed = clock;
  return (line) => clock.set(line);
}

/** What `monotonicMs` adds to this machine's own clock at that moment of it. */
export function correctionMs(ownMs: number): number {
  return followed?.correctionMs(ownMs) ?? 0;
}

/**
 * Monotonic milliseconds with a fraction, on one origin for every thread of this machine; of an agent, on the
 * coordinator's.
 */
export function monotonicMs(): number {
  const ownMs = ownMonotonicMs();
  return followed === undefined ? ownMs : ownMs + followed.correctionMs(ownMs);
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
