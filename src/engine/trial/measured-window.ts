// The measurement window of one trial on the monotonic clock, with train-sim's own CPU time and event-loop delay within it.
import { isoTime, monotonicMs, wallClockMs } from "../../foundation/clock.js";
import { processCpuSeconds } from "../../foundation/process-usage.js";
import type { Fleet } from "../workers/fleet.js";
import type { Assignment, WorkerUsage } from "../workers/protocol.js";
import type { AccountedTime, TrialResult } from "../../results/result-schema.js";
import type { EnvironmentReadings } from "../evidence/surroundings.js";

interface TrialWorkers extends Pick<Fleet, "usages"> {
  readonly assignments: readonly Pick<Assignment, "clients">[];
}

export class MeasuredWindow {
  /** Wall-clock milliseconds of the start. */
  readonly startedAtMs: number;
  /** Infinity while only an iteration budget can end it. */
  endMs: number;
  private cpuSecondsAtStart = 0;
  private cpuSeconds = 0;
  private eventLoopDelayP99Ms = 0;
  private wallOffsetAtStartMs = 0;
  private clockStepMs = 0;
  private isRead = false;
  /** Whether it is being measured. */
  isOpen = false;

  /** `startMs` is monotonic; the surroundings are read at both ends. */
  constructor(
    readonly startMs: number,
    durationMs = Number.POSITIVE_INFINITY,
    private readonly environment?: Pick<EnvironmentReadings, "openWindow" | "closeWindow">,
  ) {
    this.startedAtMs = wallClockMs() + startMs - monotonicMs();
    this.endMs = startMs + durationMs;
  }

  readStart(): void {
    this.isOpen = true;
    this.wallOffsetAtStartMs = wallClockMs() - monotonicMs();
    this.environment?.openWindow();
    this.cpuSecondsAtStart = processCpuSeconds();
  }

  /** Has its end now, unless that was before: nothing is measured any more. */
  endEarly(): void {
    this.isOpen = false;
    this.endMs = Math.min(this.endMs, monotonicMs());
  }

  readEnd(eventLoopDelayP99Ms: number): void {
    this.isOpen = false;
    this.isRead = true;
    this.cpuSeconds = processCpuSeconds() - this.cpuSecondsAtStart;
    this.eventLoopDelayP99Ms = eventLoopDelayP99Ms;
    this.environment?.closeWindow();
    this.readClock();
  }

  readClock(): void {
    const stepMs = Math.abs(wallClockMs() - monotonicMs() - this.wallOffsetAtStartMs);
    this.clockStepMs = Math.max(this.clockStepMs, stepMs);
  }

  /** Seconds measured so far, or in all once the window has ended. */
  get seconds(): number {
    return Math.max(0, Math.min(this.endMs, monotonicMs()) - this.startMs) / 1000;
  }

  get startedAt(): string {
    return isoTime(this.startedAtMs);
  }

  /** The workers' use of the window; null where its end was not reached. */
  client(fleet: TrialWorkers & Pick<Fleet, "agentCpuSeconds">): TrialResult["client"] {
    if (!this.isRead) return null;
    const { eventLoopDelayP99Ms, clockStepMs, seconds } = this;
    const cpuSeconds = this.cpuSeconds + fleet.agentCpuSeconds;
    const measured = { cpuSeconds, eventLoopDelayP99Ms, clockStepMs };
    if (fleet.usages.size === 0 || seconds === 0) return measured;
    const usages = [...fleet.usages.values()];
    return {
      ...measured,
      // What was reported last before the end may be of a second ago, or of the warm-up.
      eventLoopDelayP99Ms: Math.max(...usages.map(({ loop }) => loop?.delayP99Ms ?? 0)),
      workerUtilization: Math.max(...usages.map(({ loop }) => loop?.utilization ?? 0)),
      accountedMs: sumOfTimes(usages),
      accountedRatio: this.accountedRatio(fleet, [...fleet.usages.keys()]),
    };
  }

  /** What the clients of these workers did with it, over clients x window; undefined where these did not tell. */
  accountedRatio({ assignments, usages }: TrialWorkers, workers: readonly number[]): number | undefined {
    const workerUsages = workers.flatMap((worker) => usages.get(worker) ?? []);
    if (workerUsages.length < workers.length || this.seconds === 0) return undefined;
    const totalMs = Object.values(sumOfTimes(workerUsages)).reduce((sum, ms) => sum + ms, 0);
    const clients = workers.reduce((sum, worker) => sum + (assignments[worker]?.clients ?? 0), 0);
    return totalMs / (clients * this.seconds * 1000);
  }
}

function sumOfTimes(usages: readonly WorkerUsage[]): AccountedTime {
  const sum: AccountedTime = { service: 0, waiting: 0, idle: 0, preparing: 0, finished: 0 };
  for (const { accountedMs } of usages) {
    for (const activity of Object.keys(sum) as (keyof AccountedTime)[])
      sum[activity] += accountedMs[activity];
  }
  return sum;
}
