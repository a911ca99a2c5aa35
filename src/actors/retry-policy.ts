// Decides whether a transaction is retried, and after which pause: full jitter under a doubling ceiling
// (M. Brooker, "Exponential Backoff And Jitter", AWS, 2015).
import type { Prng } from "../foundation/prng.js";
import type { RetrySettings } from "./settings.js";

/** All instants are monotonic milliseconds. */
export class RetryPolicy {
  private latestMs = Number.POSITIVE_INFINITY;

  constructor(
    private readonly settings: RetrySettings,
    private readonly prng: Prng,
  ) {}

  /** No transaction is tried again after that moment: the load has ended, and somebody waits for the last of it. */
  endBy(atMs: number): void {
    this.latestMs = atMs;
  }

  /**
   * Milliseconds until the next attempt, uniform over 0 .. min(ceiling, base x 2^(attempt - 1)), after attempt number
   * `attempt` of a transaction that began at `startMs` has failed; undefined where it is to be given up.
   */
  backoffMs(attempt: number, startMs: number, nowMs: number): number | undefined {
    const { attempts, baseMs, ceilingMs, deadlineMs } = this.settings;
    if (attempt >= attempts) return undefined;
    const backoffMs = this.prng.float() * Math.min(ceilingMs, baseMs * 2 ** (attempt - 1));
    // A wait beyond the deadline would only put off the news.
    return nowMs + backoffMs < Math.min(startMs + deadlineMs, this.latestMs) ? backoffMs : undefined;
  }
}
