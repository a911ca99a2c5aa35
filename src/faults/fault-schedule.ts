// Injects the faults of one trial at their moments and clears them in time, on every way out, so that drain and audit run on a
// healthy system. A fault that cannot be injected or cleared fails the trial.
import { setMaxListeners } from "node:events";
import type { Clock } from "../foundation/clock.js";
import { asTrainSimError, ExitCode, TrainSimError } from "../foundation/errors.js";
import { formatDuration } from "../foundation/units.js";
import { areExclusive } from "./faults.js";
import type { FaultHost, ActiveFault, LossSpan } from "./fault.js";
import type { Fault } from "./registry.js";

export interface FaultSpan {
  readonly fault: Fault;
  readonly injectedMs: number;
  readonly clearedMs: number | undefined;
  readonly words: string;
  readonly mayLose?: LossSpan | undefined;
}

/** Observer of faults. Its functions are called in the order in which faults happen. */
export interface FaultWatcher {
  /** Called when a fault begins: from now on servers may go away as expected. */
  onInjection(fault: Fault): void;
  onInjected(fault: Fault): void;
  onCleared(fault: Fault, span: FaultSpan): void;
}

export interface FaultScheduleOptions {
  readonly faults: readonly Fault[];
  readonly host: Omit<FaultHost, "signal" | "stopped">;
  readonly inject: (host: FaultHost, fault: Fault) => Promise<ActiveFault>;
  readonly watcher: FaultWatcher;
  readonly clock: Clock;
}

const TOO_LATE_MESSAGE = "a fault that excludes it was not over before the window ended";
const TOO_LATE_HINT = "Leave more time between the two, or lengthen the window.";

interface ScheduledFault {
  readonly fault: Fault;
  injectedMs: number | undefined;
  clearedMs: number | undefined;
  injected: ActiveFault | undefined;
  readonly cleared: Promise<void>;
  readonly markCleared: () => void;
}

export class FaultSchedule {
  /** Rejects when a fault cannot be injected or cleared. Never resolves. */
  readonly failure: Promise<never>;
  private rejectFailure: (error: TrainSimError) => void = () => undefined;
  private readonly overAbort = new AbortController();
  private readonly stoppedAbort = new AbortController();
  private readonly host: FaultHost;
  private readonly entries: readonly ScheduledFault[];
  private runningFaults: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: FaultScheduleOptions) {
    this.failure = new Promise((_, reject) => (this.rejectFailure = reject));
    this.failure.catch(() => undefined);
    // Each pending fault adds a listener, and Node.js warns of more than ten.
    setMaxListeners(0, this.overAbort.signal, this.stoppedAbort.signal);
    this.host = { ...options.host, signal: this.overAbort.signal, stopped: this.stoppedAbort.signal };
    const inOrder = [...options.faults].sort((a, b) => a.atMs - b.atMs);
    this.entries = inOrder.map(scheduledFaultOf);
  }

  begin(startMs: number): void {
    this.runningFaults = Promise.all(this.entries.map((entry) => this.run(entry, startMs)));
  }

  /**
   * Lets no further fault begin. Resolves when all faults are cleared or have failed to clear; never rejects. If the window
   * was `whole`, a fault that still waits for another one fails the trial, and an injection under way may finish.
   */
  async end(whole = false): Promise<void> {
    if (!whole) this.stoppedAbort.abort();
    this.overAbort.abort();
    await this.runningFaults;
  }

  get spans(): FaultSpan[] {
    return this.entries.flatMap((entry) =>
      entry.injectedMs === undefined ? [] : [spanOf(entry, entry.injectedMs)],
    );
  }

  private async run(entry: ScheduledFault, startMs: number): Promise<void> {
    const { clock, watcher, inject } = this.options;
    const { fault } = entry;
    let step = "injected";
    try {
      await clock.sleep(startMs + fault.atMs - clock.nowMs(), this.overAbort.signal);
      await this.awaitExclusiveFaults(entry);
      if (this.overAbort.signal.aborted) {
        if (this.stoppedAbort.signal.aborted) return;
        throw new TrainSimError(TOO_LATE_MESSAGE, ExitCode.unexpected, TOO_LATE_HINT);
      }
      entry.injectedMs = clock.nowMs();
      watcher.onInjection(fault);
      entry.injected = await inject(this.host, fault);
      watcher.onInjected(fault);
      await clock.sleep(fault.forMs, this.overAbort.signal);
      step = "cleared";
      await entry.injected.clear();
      entry.clearedMs = clock.nowMs();
      watcher.onCleared(fault, spanOf(entry, entry.injectedMs));
    } catch (error) {
      this.stoppedAbort.abort();
      this.overAbort.abort();
      this.rejectFailure(failureOf(fault, step, error));
    } finally {
      entry.markCleared();
    }
  }

  /** Waits until earlier faults that exclude this one are over: a restart may take longer than planned. */
  private async awaitExclusiveFaults(entry: ScheduledFault): Promise<void> {
    const before = this.entries.slice(0, this.entries.indexOf(entry));
    await Promise.all(
      before.filter(({ fault }) => areExclusive(fault, entry.fault)).map(({ cleared }) => cleared),
    );
  }
}

function scheduledFaultOf(fault: Fault): ScheduledFault {
  let markCleared: () => void = () => undefined;
  const cleared = new Promise<void>((resolve) => (markCleared = resolve));
  return { fault, injectedMs: undefined, clearedMs: undefined, injected: undefined, cleared, markCleared };
}

function spanOf({ fault, clearedMs, injected }: ScheduledFault, injectedMs: number): FaultSpan {
  return { fault, injectedMs, clearedMs, words: injected?.words ?? "", mayLose: injected?.mayLose };
}

function failureOf({ kind, atMs }: Fault, step: string, error: unknown): TrainSimError {
  const cause = asTrainSimError(error);
  return new TrainSimError(
    `the fault ${kind} at ${formatDuration(atMs)} could not be ${step}: ${cause.message}`,
    cause.exitCode,
    cause.hint,
    { cause },
  );
}
