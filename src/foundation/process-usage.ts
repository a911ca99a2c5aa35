// CPU seconds of this process with all its threads, and the event-loop delay of one thread.
import { monitorEventLoopDelay, performance, type EventLoopUtilization } from "node:perf_hooks";

/** User and system CPU seconds of this process since its start, over all threads. */
export function processCpuSeconds(): number {
  const usage = process.cpuUsage();
  return (usage.user + usage.system) / 1e6;
}

/** Idle milliseconds of this thread's event loop since its start. A reading takes 30 ns. */
export function loopIdleMs(): number {
  return performance.nodeTiming.idleTime;
}

/**
 * Milliseconds between two samples. Each sample wakes the thread, which costs 70 us while a database uses the same
 * processors.
 */
const DELAY_SAMPLING_INTERVAL_MS = 50;

/** Watches the event loop of one thread: delay of its timers, and its busy share over an interval. */
export class EventLoopWatch {
  private readonly delays = monitorEventLoopDelay({ resolution: DELAY_SAMPLING_INTERVAL_MS });
  private startUtilization: EventLoopUtilization | undefined;
  private endedIntervalUsage: { readonly utilization: number; readonly delayP99Ms: number } | undefined;

  start(): void {
    this.delays.enable();
  }

  stop(): void {
    this.delays.disable();
  }

  /** Begins an interval and forgets earlier samples. */
  open(): void {
    this.delays.reset();
    this.startUtilization = performance.eventLoopUtilization();
    this.endedIntervalUsage = undefined;
  }

  close(): void {
    if (!this.startUtilization) return;
    const { utilization } = performance.eventLoopUtilization(this.startUtilization);
    this.endedIntervalUsage ??= { utilization, delayP99Ms: this.delayP99Ms };
  }

  /** 99th percentile of the timer delay in milliseconds since the interval's begin; 0 before the first sample. */
  get delayP99Ms(): number {
    if (this.delays.count === 0) return 0;
    // A sample is the sampling interval plus the delay.
    return Math.max(0, this.delays.percentile(99) / 1e6 - DELAY_SAMPLING_INTERVAL_MS);
  }

  /** Busy share (0 .. 1) and 99th percentile of the timer delay of the interval; undefined until the interval has ended. */
  get intervalUsage(): { readonly utilization: number; readonly delayP99Ms: number } | undefined {
    return this.endedIntervalUsage;
  }
}
