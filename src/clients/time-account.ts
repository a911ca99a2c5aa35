// Time of a worker's clients by activity, clipped to the window. The sum must equal clients times window, so a missed wait shows.
import { loopIdleMs } from "../foundation/process-usage.js";

export const ACTIVITIES = ["service", "waiting", "idle", "preparing", "finished"] as const;
export type Activity = (typeof ACTIVITIES)[number];
export type AccountedTime = Record<Activity, number>;

const NO_TIME: Readonly<AccountedTime> = { service: 0, waiting: 0, idle: 0, preparing: 0, finished: 0 };

/** Moment up to which a client's time is booked, and the event loop's idle time at that moment. */
interface BookingMark {
  bookedMs: number;
  idleMs: number;
}

/**
 * Accounts for the time of a worker's clients by activity. Times are monotonic milliseconds; clients are numbered within
 * the worker, from 0.
 */
export class TimeAccount {
  private accountStartMs = Number.POSITIVE_INFINITY;
  private accountEndMs = Number.POSITIVE_INFINITY;
  private readonly bookedTime: AccountedTime = { ...NO_TIME };
  private readonly finishedFromMs: number[] = [];
  private readonly activityMarks: BookingMark[] = [];

  /** `idleMs` returns the idle time of the thread's event loop so far. */
  constructor(private readonly idleMs: () => number = loopIdleMs) {}

  /** Sets the window and, if it is another one, resets the account. `endMs` may be Infinity until the account is read. */
  setWindow(startMs: number, endMs: number): void {
    if (startMs !== this.accountStartMs) {
      Object.assign(this.bookedTime, NO_TIME);
      this.finishedFromMs.length = 0;
    }
    this.accountStartMs = startMs;
    this.accountEndMs = endMs;
  }

  /** Books the time of a client's activity within the window; time before the window is known does not count. */
  book(client: number, activity: Activity, fromMs: number, toMs: number): void {
    this.add(activity, fromMs, toMs);
    const mark = (this.activityMarks[client] ??= { bookedMs: toMs, idleMs: 0 });
    mark.bookedMs = toMs;
    mark.idleMs = this.idleMs();
  }

  /**
   * Books as `preparing` the time since the client's last booking in which the thread worked; the event loop's idle time is
   * left out.
   */
  bookWork(client: number, toMs: number): void {
    const mark = this.activityMarks[client];
    if (!mark) return;
    const idleSinceMarkMs = this.idleMs() - mark.idleMs;
    this.book(client, "preparing", mark.bookedMs, toMs - idleSinceMarkMs);
    mark.bookedMs = toMs;
  }

  private add(activity: Activity, fromMs: number, toMs: number): void {
    const overlapMs = Math.min(toMs, this.accountEndMs) - Math.max(fromMs, this.accountStartMs);
    if (overlapMs > 0) this.bookedTime[activity] += overlapMs;
  }

  /** Books a client that has no budget left and does nothing from `fromMs` until the window ends. */
  bookFinished(fromMs: number): void {
    this.finishedFromMs.push(fromMs);
  }

  total(): AccountedTime {
    const total = { ...this.bookedTime };
    for (const fromMs of this.finishedFromMs) {
      const overlapMs = this.accountEndMs - Math.max(fromMs, this.accountStartMs);
      if (Number.isFinite(overlapMs) && overlapMs > 0) total.finished += overlapMs;
    }
    return total;
  }
}
