// Full jitter under a doubling ceiling (M. Brooker, "Exponential Backoff And Jitter", AWS, 2015).
import type { Prng } from "../foundation/prng.js";
import type { RetrySettings } from "./settings.js";

/** Decides whether and when a failed attempt is repeated. All times are monotonic milliseconds. */
export class RetryPolicy {
  private latestRetryMs = Number.POSITIVE_INFINITY;

  constructor(
    private readonly settings: RetrySettings,
    private readonly prng: Prng,
  ) {}

  /** Forbids retries after `atMs`: the load has ended then, and only running transactions are awaited. */
  forbidRetriesAfter(atMs: number): void {
    this.latestRetryMs = atMs;
  }

  /**
   * Milliseconds until the next attempt: uniform over 0 .. min(ceiling, base x 2^(attempt - 1)), or the upper end of that
   * range without jitter; undefined if no other attempt is allowed.
   */
  backoffMs(attempt: number, startMs: number, nowMs: number): number | undefined {
    const { attempts, baseMs, ceilingMs, deadlineMs, jitter } = this.settings;
    if (attempt >= attempts) return undefined;
    const share = jitter === "none" ? 1 : this.prng.float();
    const backoffMs = share * Math.min(ceilingMs, baseMs * 2 ** (attempt - 1));
    // A retry after the deadline would only delay the failure.
    return nowMs + backoffMs < Math.min(startMs + deadlineMs, this.latestRetryMs) ? backoffMs : undefined;
  }
}
