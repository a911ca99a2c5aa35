// npm and npx pass a signal of the terminal on: one key press is two signals within milliseconds.
import { monotonicMs } from "../foundation/clock.js";

/** Milliseconds within which signals after the first count as the first. */
export const SAME_WISH_MS = 200;

export class RepeatedSignal {
  private firstMs: number | undefined;

  constructor(private readonly nowMs: () => number = monotonicMs) {}

  /** Takes a signal; says whether it is the first, the same again, or another. */
  receive(): "first" | "same" | "another" {
    const nowMs = this.nowMs();
    if (this.firstMs === undefined) {
      this.firstMs = nowMs;
      return "first";
    }
    return nowMs - this.firstMs < SAME_WISH_MS ? "same" : "another";
  }
}
