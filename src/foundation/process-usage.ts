// What train-sim itself costs: CPU seconds of the whole process (all worker threads) and the event-loop delay of
// one thread. A load generator that is short of CPU measures itself, not the database, so both go into results.
import { monitorEventLoopDelay, performance, type EventLoopUtilization } from "node:perf_hooks";

/** User and system CPU seconds of this process since it started, all threads together. */
export function processCpuSeconds(): number {
  const usage = process.cpuUsage();
  return (usage.user + usage.system) / 1e6;
}

/** Each sample wakes the thread, which costs 70 us where a database works on the same processors. */
const RESOLUTION_MS = 50;

/** Samples how late this thread's timers fire. */
export class EventLoopDelay {
  private readonly histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  start(): void {
    this.histogram.enable();
  }

  /** Forgets what was sampled so far: called where the measurement window begins. */
  reset(): void {
    this.histogram.reset();
  }

  /** 99th percentile in milliseconds beyond the sampling interval itself; 0 before the first sample. */
  p99Ms(): number {
    if (this.histogram.count === 0) return 0;
    return Math.max(0, this.histogram.percentile(99) / 1e6 - RESOLUTION_MS);
  }

  stop(): void {
    this.histogram.disable();
  }
}

/** How busy this thread's event loop is over one stretch of time: what a thread at 100 % cannot take on is not measured. */
export class LoopUtilization {
  private opened: EventLoopUtilization | undefined;
  private closed: EventLoopUtilization | undefined;

  open(): void {
    this.opened = performance.eventLoopUtilization();
    this.closed = undefined;
  }

  /** Ends the stretch; later calls change nothing. */
  close(): void {
    if (this.opened) this.closed ??= performance.eventLoopUtilization(this.opened);
  }

  /** Busy share of the stretch, 0 .. 1; null before it has ended. */
  get ratio(): number | null {
    return this.closed?.utilization ?? null;
  }
}
