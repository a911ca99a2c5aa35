// Where the time of a worker's clients went during the measurement window: in service, waiting for the next start, idle
// after an empty poll, preparing (the next batch, what an answer said). Each activity is booked where it is measured, as
// an interval, clipped to the window, so that activities which reach over its ends count with the part inside. What nobody
// booked is missing from the sum, and that is the point: clients x window must come out.
import type { AccountedTime } from "../results/result-schema.js";

export type Activity = keyof AccountedTime;

const NOTHING: Readonly<AccountedTime> = { service: 0, waiting: 0, idle: 0, preparing: 0, finished: 0 };

/** All instants are monotonic milliseconds. */
export class TimeAccount {
  private startMs = Number.POSITIVE_INFINITY;
  private endMs = Number.POSITIVE_INFINITY;
  private readonly booked: AccountedTime = { ...NOTHING };
  private readonly finishedFrom: number[] = [];

  /** The window; `endMs` may be Infinity and be set later, before the account is read. Another start begins anew. */
  setWindow(startMs: number, endMs: number): void {
    if (startMs !== this.startMs) {
      Object.assign(this.booked, NOTHING);
      this.finishedFrom.length = 0;
    }
    this.startMs = startMs;
    this.endMs = endMs;
  }

  /** Books what one client did. Until the window is known nothing is in it. */
  book(activity: Activity, fromMs: number, toMs: number): void {
    const inside = Math.min(toMs, this.endMs) - Math.max(fromMs, this.startMs);
    if (inside > 0) this.booked[activity] += inside;
  }

  /** From `fromMs` on the client has used its budget up and does nothing until the window ends. */
  bookFinished(fromMs: number): void {
    this.finishedFrom.push(fromMs);
  }

  /** What was booked, in milliseconds over all clients. */
  total(): AccountedTime {
    const total = { ...this.booked };
    for (const fromMs of this.finishedFrom) {
      const inside = this.endMs - Math.max(fromMs, this.startMs);
      if (Number.isFinite(inside) && inside > 0) total.finished += inside;
    }
    return total;
  }
}
