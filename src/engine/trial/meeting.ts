// A barrier for trials that run at the same time, so that they warm up and measure in the same seconds.
import { monotonicMs } from "../../foundation/clock.js";

export class StartBarrier {
  private readonly waitingTrials: { readonly leadMs: number; readonly goOn: (atMs: number) => void }[] = [];

  constructor(private expected: number) {}

  /**
   * Waits for all trials that have not left; resolves to the monotonic moment at which all begin, after the longest lead.
   */
  meet(leadMs = 0): Promise<number> {
    return new Promise((goOn) => {
      this.waitingTrials.push({ leadMs, goOn });
      this.goOn();
    });
  }

  /** Removes a trial that has ended, for any reason: the others no longer wait for it. */
  leave(): void {
    this.expected--;
    this.goOn();
  }

  private goOn(): void {
    if (this.waitingTrials.length < this.expected) return;
    const here = this.waitingTrials.splice(0);
    const atMs = monotonicMs() + Math.max(0, ...here.map(({ leadMs }) => leadMs));
    for (const { goOn } of here) goOn(atMs);
  }
}
