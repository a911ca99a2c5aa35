// npm and npx pass a signal of the terminal on: one key press is two signals within milliseconds.
import { monotonicMs } from "../foundation/clock.js";

/** Milliseconds after the first signal within which further signals are the same wish: npm and npx pass a signal on. */
export const SIGNAL_REPETITION_MS = 200;

export class RepeatedSignal {
  private firstSignalMs: number | undefined;

  constructor(private readonly nowMs: () => number = monotonicMs) {}

  /** Takes a signal and returns whether it is the first, the first repeated by npm or npx, or another. */
  receive(): "first" | "same" | "another" {
    const nowMs = this.nowMs();
    if (this.firstSignalMs === undefined) {
      this.firstSignalMs = nowMs;
      return "first";
    }
    return nowMs - this.firstSignalMs < SIGNAL_REPETITION_MS ? "same" : "another";
  }
}
