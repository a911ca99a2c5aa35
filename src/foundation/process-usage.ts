// CPU seconds of this process with all its threads, and the event-loop delay of one thread.
import { monitorEventLoopDelay, performance, type EventLoopUtilization } from "node:perf_hooks";

/** User and system CPU seconds of this process since it started, all threads together. */
export function processCpuSeconds(): number {
  const usage = process.cpuUsage();
  return (usage.user + usage.system) / 1e6;
}

/** How long this thread's event loop has waited for something to do since it began, in milliseconds; reading it takes 30 ns. */
export function loopIdleMs(): number {
  return performance.nodeTiming.idleTime;
}

/** Each sample wakes the thread, which costs 70 us where a database works on the same processors. */
const RESOLUTION_MS = 50;

/**
 * One thread's event loop: how late its timers fire, and over one stretch of time how busy it is, too. What a thread at 100 %
 * cannot take on is not measured.
 */
export class EventLoopWatch {
  private readonly delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private opened: EventLoopUtilization | undefined;
  private stretch: { readonly utilization: number; readonly delayP99Ms: number } | undefined;

  start(): void {
    this.delays.enable();
  }

  stop(): void {
    this.delays.disable();
  }

  /** A stretch begins: what was sampled before is forgotten. */
  open(): void {
    this.delays.reset();
    this.opened = performance.eventLoopUtilization();
    this.stretch = undefined;
  }

  /** Ends the stretch; later calls change nothing. */
  close(): void {
    if (!this.opened) return;
    const { utilization } = performance.eventLoopUtilization(this.opened);
    this.stretch ??= { utilization, delayP99Ms: this.delayP99Ms };
  }

  /** Since the stretch began or, before one, since the start: 99th percentile in milliseconds; 0 before the first sample. */
  get delayP99Ms(): number {
    if (this.delays.count === 0) return 0;
    // Each sample is the sampling interval and what it was late.
    return Math.max(0, this.delays.percentile(99) / 1e6 - RESOLUTION_MS);
  }

  /** Of the stretch, once it has ended: its busy share, 0 .. 1, and `delayP99Ms`. */
  get ofStretch(): { readonly utilization: number; readonly delayP99Ms: number } | undefined {
    return this.stretch;
  }
}
