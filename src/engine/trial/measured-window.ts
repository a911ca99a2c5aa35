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
  /** Wall-clock milliseconds at the start of the window. */
  readonly startedAtMs: number;
  /** End of the window in monotonic milliseconds; Infinity while only an iteration budget can end it. */
  endMs: number;
  private cpuSecondsAtStart = 0;
  private cpuSeconds = 0;
  private eventLoopDelayP99Ms = 0;
  private wallOffsetAtStartMs = 0;
  private clockStepMs = 0;
  private isRead = false;
  /** Whether the window is being measured. */
  isOpen = false;

  /** `startMs` is monotonic. The surroundings (other work on the machines) are read at both ends of the window. */
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

  /** Ends the window now unless it has already ended. */
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
    this.updateClockStep();
  }

  updateClockStep(): void {
    const stepMs = Math.abs(wallClockMs() - monotonicMs() - this.wallOffsetAtStartMs);
    this.clockStepMs = Math.max(this.clockStepMs, stepMs);
  }

  /** Seconds measured so far; the window's length once it has ended. */
  get seconds(): number {
    return Math.max(0, Math.min(this.endMs, monotonicMs()) - this.startMs) / 1000;
  }

  get startedAt(): string {
    return isoTime(this.startedAtMs);
  }

  /** The workers' use of the window; null if the window did not reach its end. */
  client(fleet: TrialWorkers & Pick<Fleet, "agentCpuSeconds">): TrialResult["client"] {
    if (!this.isRead) return null;
    const { eventLoopDelayP99Ms, clockStepMs, seconds } = this;
    const cpuSeconds = this.cpuSeconds + fleet.agentCpuSeconds;
    const measured = { cpuSeconds, eventLoopDelayP99Ms, clockStepMs };
    if (fleet.usages.size === 0 || seconds === 0) return measured;
    const usages = [...fleet.usages.values()];
    return {
      ...measured,
      // The coordinator's last report may be up to a second old, or be of the warm-up, so the workers' own figures are
      // used.
      eventLoopDelayP99Ms: Math.max(...usages.map(({ loop }) => loop?.delayP99Ms ?? 0)),
      workerUtilization: Math.max(...usages.map(({ loop }) => loop?.utilization ?? 0)),
      accountedMs: sumAccountedTimes(usages),
      accountedRatio: this.accountedRatio(fleet, [...fleet.usages.keys()]),
    };
  }

  /** Share of clients x window that the clients of these workers accounted for; undefined if workers did not report it. */
  accountedRatio({ assignments, usages }: TrialWorkers, workers: readonly number[]): number | undefined {
    const workerUsages = workers.flatMap((worker) => usages.get(worker) ?? []);
    if (workerUsages.length < workers.length || this.seconds === 0) return undefined;
    const totalMs = Object.values(sumAccountedTimes(workerUsages)).reduce((sum, ms) => sum + ms, 0);
    const clients = workers.reduce((sum, worker) => sum + (assignments[worker]?.clients ?? 0), 0);
    return totalMs / (clients * this.seconds * 1000);
  }
}

function sumAccountedTimes(usages: readonly WorkerUsage[]): AccountedTime {
  const sum: AccountedTime = { service: 0, waiting: 0, idle: 0, preparing: 0, finished: 0 };
  for (const { accountedMs } of usages) {
    for (const activity of Object.keys(sum) as (keyof AccountedTime)[])
      sum[activity] += accountedMs[activity];
  }
  return sum;
}
