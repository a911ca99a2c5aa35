// Sleeps of a worker with exact moments (open-loop arrivals, ends of think times). They share one timer thread, set to the
// earliest moment. All other sleeps use Node's timers.
import { monotonicMs } from "../foundation/clock.js";
import { Sleeper } from "../foundation/sleeper.js";
import { TimerThread, type Timer, type OnDue } from "./timer.js";

interface PendingSleep {
  readonly dueMs: number;
  readonly wake: () => void;
}

/** Shortest gap between two wake-ups in ms: without it, some thousand arrivals a second would wake two threads each. */
const LEAST_WAKE_UP_GAP_MS = 0.25;

export class PunctualSleeper extends Sleeper {
  /** Pending sleeps, sorted with the earliest first. */
  private pendingSleeps: PendingSleep[] = [];
  private timer: Timer | undefined;

  /** `nowMs` is monotonic; `makeTimer` makes the timer, which calls `onDue`. */
  constructor(
    private readonly nowMs: () => number,
    private readonly makeTimer: (onDue: OnDue) => Timer,
  ) {
    super();
  }

  /** `onFailure` is called if the timer thread ends by itself; nothing wakes sleepers after that. */
  static withTimerThread(onFailure: (error: unknown) => void): PunctualSleeper {
    return new PunctualSleeper(monotonicMs, (onDue) => new TimerThread(onDue, onFailure));
  }

  /** Starts the timer before the first sleep, because its thread takes a moment to start. */
  startTimer(): Timer {
    return (this.timer ??= this.makeTimer(() => this.wakeDueSleepers()));
  }

  /** Resolves at `dueMs` or just after it; earlier only on `wakeAll`. */
  sleepUntil(dueMs: number): Promise<void> {
    return new Promise((wake) => {
      let place = this.pendingSleeps.length;
      while (place > 0 && (this.pendingSleeps[place - 1] as PendingSleep).dueMs > dueMs) place--;
      this.pendingSleeps.splice(place, 0, { dueMs, wake });
      if (place === 0) this.startTimer().set(dueMs);
    });
  }

  /** Sleeps like `sleepUntil` if the timer runs, otherwise like `sleep`. */
  pause(ms: number): Promise<void> {
    return this.timer && ms > 0 ? this.sleepUntil(this.nowMs() + ms) : this.sleep(ms);
  }

  override wakeAll(): void {
    super.wakeAll();
    this.timer?.set(Number.POSITIVE_INFINITY);
    for (const { wake } of this.pendingSleeps.splice(0)) wake();
  }

  async close(): Promise<void> {
    this.wakeAll();
    await this.timer?.close();
  }

  private wakeDueSleepers(): number {
    const nowMs = this.nowMs();
    const later = this.pendingSleeps.findIndex(({ dueMs }) => dueMs > nowMs);
    const due = this.pendingSleeps.splice(0, later < 0 ? this.pendingSleeps.length : later);
    for (const { wake } of due) wake();
    const [next] = this.pendingSleeps;
    return next ? Math.max(next.dueMs, nowMs + LEAST_WAKE_UP_GAP_MS) : Number.POSITIVE_INFINITY;
  }
}
