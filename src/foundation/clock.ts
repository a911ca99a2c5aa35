// The only file that reads a clock. All threads of a process and all agents of a run share the origin of the monotonic clock.
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

/**
 * Offset from `performance.now()`, which is cheap but starts at another origin in each thread, to `hrtime`, whose origin is
 * the system's. Each thread takes it once, from the closest of several readings, because it may be preempted between two
 * reads.
 */
function measureHrtimeOffsetMs(): number {
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

const HRTIME_OFFSET_MS = measureHrtimeOffsetMs();

/** Monotonic milliseconds of this machine, with a fraction and one origin for all threads. */
export function ownMonotonicMs(): number {
  return HRTIME_OFFSET_MS + performance.now();
}

/**
 * Correction of a clock that follows another one: `offsetMs` at the moment `sinceMs`, and from then on `slope` more per
 * millisecond.
 */
export interface ClockLine {
  readonly sinceMs: number;
  readonly offsetMs: number;
  readonly slope: number;
}

/** Key under which later threads find the shared memory of `followClock`. */
const FOLLOWED_CLOCK_KEY = "train-sim.clock";
/**
 * Bytes of one line. The memory holds two lines and the number of the valid one, so that no thread reads a half-written
 * line.
 */
const CLOCK_LINE_BYTES = 3 * Float64Array.BYTES_PER_ELEMENT;

class FollowedClock {
  private readonly lines: Float64Array;
  private readonly validLineIndex: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.lines = new Float64Array(memory, 0, 6);
    this.validLineIndex = new Int32Array(memory, 2 * CLOCK_LINE_BYTES, 1);
  }

  /** Milliseconds to add to this machine's clock when it shows `ownMs`. */
  correctionMs(ownMs: number): number {
    const at = Atomics.load(this.validLineIndex, 0) * 3;
    const { lines } = this;
    return (lines[at + 1] as number) + (lines[at + 2] as number) * (ownMs - (lines[at] as number));
  }

  set({ sinceMs, offsetMs, slope }: ClockLine): void {
    const next = 1 - Atomics.load(this.validLineIndex, 0);
    this.lines.set([sinceMs, offsetMs, slope], next * 3);
    Atomics.store(this.validLineIndex, 0, next);
  }
}

function findFollowedClock(): FollowedClock | undefined {
  const memory = getEnvironmentData(FOLLOWED_CLOCK_KEY);
  return memory instanceof SharedArrayBuffer ? new FollowedClock(memory) : undefined;
}

let activeFollowedClock = findFollowedClock();

/**
 * Makes `monotonicMs` follow another machine's clock, in this process and its later threads. The returned function sets the
 * present line.
 */
export function followClock(): (line: ClockLine) => void {
  setEnvironmentData(
    FOLLOWED_CLOCK_KEY,
    new SharedArrayBuffer(2 * CLOCK_LINE_BYTES + Int32Array.BYTES_PER_ELEMENT),
  );
  const clock = findFollowedClock() as FollowedClock;
  activeFollowedClock = clock;
  return (line) => clock.set(line);
}

/** Milliseconds that `monotonicMs` adds to this machine's clock when that shows `ownMs`. */
export function correctionMs(ownMs: number): number {
  return activeFollowedClock?.correctionMs(ownMs) ?? 0;
}

/** Monotonic milliseconds with one origin for all threads of this machine; in an agent, the origin is the coordinator's. */
export function monotonicMs(): number {
  const ownMs = ownMonotonicMs();
  return activeFollowedClock === undefined ? ownMs : ownMs + activeFollowedClock.correctionMs(ownMs);
}

/** Wall-clock milliseconds since 1970-01-01T00:00:00Z. */
export function wallClockMs(): number {
  return Date.now();
}

/** The wall-clock moment `atMs` (default: now) in ISO 8601, UTC. */
export function isoTime(atMs: number = Date.now()): string {
  return new Date(atMs).toISOString();
}

/** Clock for pacing and retries. Tests inject a clock that they move by hand. */
export interface Clock {
  /** Monotonic milliseconds. */
  nowMs(): number;
  /** Resolves after at least `ms`, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: monotonicMs,
  async sleep(ms, signal) {
    const dueMs = monotonicMs() + ms;
    try {
      // Node's timers have whole milliseconds and may fire up to 1 ms early: an early wake-up would put an event into
      // the second before its own.
      for (let leftMs = ms; leftMs > 0 && !signal?.aborted; leftMs = dueMs - monotonicMs())
        await delay(leftMs, undefined, signal ? { signal } : {});
    } catch {
      // The sleep was aborted: callers check their signal.
    }
  },
};
