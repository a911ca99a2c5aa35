// Sleeps of a worker with exact moments (open-loop arrivals, ends of think times). They share one timer thread, set to the
// earliest moment. All other sleeps use Node's timers.
import { monotonicMs } from "../foundation/clock.js";
import { Sleeper } from "../foundation/sleeper.js";
import { ThreadBell, type Bell, type OnRing } from "./bell.js";

interface Appointment {
  readonly dueMs: number;
  readonly wake: () => void;
}

/** Between two rings: some thousand arrivals a second would wake two threads for each of them. */
const LEAST_GAP_MS = 0.25;

export class PunctualSleeper extends Sleeper {
  /** The earliest first. */
  private appointments: Appointment[] = [];
  private bell: Bell | undefined;

  /** `nowMs` is monotonic; `hang` makes the bell, which calls `onRing`. */
  constructor(
    private readonly nowMs: () => number,
    private readonly hang: (onRing: OnRing) => Bell,
  ) {
    super();
  }

  /** `onFailure` hears why the bell's thread came to an end of its own, after which nobody is woken any more. */
  static withThread(onFailure: (error: unknown) => void): PunctualSleeper {
    return new PunctualSleeper(monotonicMs, (onRing) => new ThreadBell(onRing, onFailure));
  }

  /** Makes the bell, which takes a moment, ahead of the first appointment. */
  hangBell(): Bell {
    return (this.bell ??= this.hang(() => this.ring()));
  }

  /** Resolves at `dueMs` or a moment later, sooner only when `wakeAll` is called. */
  until(dueMs: number): Promise<void> {
    return new Promise((wake) => {
      let place = this.appointments.length;
      while (place > 0 && (this.appointments[place - 1] as Appointment).dueMs > dueMs) place--;
      this.appointments.splice(place, 0, { dueMs, wake });
      if (place === 0) this.hangBell().set(dueMs);
    });
  }

  /** As `until`, where a bell hangs, and else as `sleep`. */
  pause(ms: number): Promise<void> {
    return this.bell && ms > 0 ? this.until(this.nowMs() + ms) : this.sleep(ms);
  }

  override wakeAll(): void {
    super.wakeAll();
    this.bell?.set(Number.POSITIVE_INFINITY);
    for (const { wake } of this.appointments.splice(0)) wake();
  }

  async close(): Promise<void> {
    this.wakeAll();
    await this.bell?.close();
  }

  private ring(): number {
    const nowMs = this.nowMs();
    const later = this.appointments.findIndex(({ dueMs }) => dueMs > nowMs);
    const due = this.appointments.splice(0, later < 0 ? this.appointments.length : later);
    for (const { wake } of due) wake();
    const [next] = this.appointments;
    return next ? Math.max(next.dueMs, nowMs + LEAST_GAP_MS) : Number.POSITIVE_INFINITY;
  }
}
