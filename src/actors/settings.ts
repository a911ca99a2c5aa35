// Settings of the client runtime: retries, groups of clients, phases, the log. Types only.
import type { LoadSettings } from "../load/load-settings.js";

export interface ActorGroup {
  /** Worker threads; clients are shared out evenly over them. At most `load.clients`. */
  readonly workers: number;
  readonly load: LoadSettings;
}

export interface TrialPhases {
  readonly warmUpMs: number;
  /** Length of the measurement window; with iteration budgets only, the window ends when they are used up. */
  readonly durationMs: number;
  /** Most time the drain may take; 0 means no drain. */
  readonly drainMaxMs: number;
}

/** How often, the first attempt included, and how long, from its actual start, a transaction is tried. */
export interface RetrySettings {
  readonly attempts: number;
  readonly deadlineMs: number;
  /** First backoff; it doubles each time up to the ceiling; each wait is uniform over 0 .. that (full jitter). */
  readonly baseMs: number;
  readonly ceilingMs: number;
}

export interface LogSettings {
  readonly level: "debug" | "info" | "warn" | "error" | "silent";
  /** A transaction whose service time is longer is logged as slow, in milliseconds. */
  readonly slowTransactionMs: number;
}
