// Loops of a worker that sleep while the queue is empty. A poll or a notification wakes one of them, and a loop that finds
// jobs wakes the next: an empty queue is asked once for each poll, however many loops there are.
import { systemClock } from "../../../foundation/clock.js";
import { mayPass, RECONNECT_MS } from "./connections.js";

export class Loops {
  private readonly sleeping: (() => void)[] = [];
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly running: Promise<void>[] = [];
  private isStopped = false;
  /** True if jobs came while no loop slept: the next that finds none asks once more. */
  private mayHaveMissed = false;
  private fail: (error: unknown) => void = () => undefined;
  /** Rejects at the first error that does not pass. */
  readonly failure = new Promise<never>((_, reject) => {
    this.fail = reject;
  });

  /** @param work resolves to whether it found jobs; calls `wakeNext` when there may be more of them */
  constructor(count: number, pollMs: number, work: (wakeNext: () => void) => Promise<boolean>) {
    const wakeNext = (): void => this.sleeping.pop()?.();
    const workOnce = (): Promise<boolean> => work(wakeNext);
    for (let i = 0; i < count; i++) this.running.push(this.loop(workOnce));
    this.timers.push(setInterval(wakeNext, pollMs));
  }

  /** Wakes one loop, because jobs have come. */
  wake(): void {
    const wakeOne = this.sleeping.pop();
    if (wakeOne) wakeOne();
    else this.mayHaveMissed = true;
  }

  /** Runs `act` at intervals, never twice at a time. */
  every(ms: number, act: () => Promise<void>): void {
    let isRunning = false;
    this.timers.push(
      setInterval(() => {
        if (isRunning) return;
        isRunning = true;
        void this.tolerate(act).finally(() => (isRunning = false));
      }, ms),
    );
  }

  private async tolerate<Result>(act: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await act();
    } catch (error) {
      if (!mayPass(error)) this.fail(error);
      await systemClock.sleep(RECONNECT_MS);
      return undefined;
    }
  }

  private async loop(work: () => Promise<boolean>): Promise<void> {
    while (!this.isStopped) {
      // An error counts as work: the loop asks again at once after its pause.
      const hasFound = (await this.tolerate(work)) ?? true;
      if (!hasFound) await this.sleep();
    }
  }

  private async sleep(): Promise<void> {
    if (this.mayHaveMissed || this.isStopped) this.mayHaveMissed = false;
    else await new Promise<void>((resolve) => this.sleeping.push(resolve));
  }

  /** Resolves after the jobs under way. */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const timer of this.timers) clearInterval(timer);
    for (const wakeOne of this.sleeping.splice(0)) wakeOne();
    await Promise.all(this.running);
  }
}
