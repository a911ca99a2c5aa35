// Settings of the client runtime: retries, roles, phases, the log. Types only.
import type { LoadSettings } from "../load/load-settings.js";

export interface RoleSettings {
  readonly workers: number;
  readonly load: LoadSettings;
}

export interface TrialPhases {
  readonly warmUpMs: number;
  /** Length of the measurement window. If all roles have iteration budgets, the window ends when they are used up. */
  readonly durationMs: number;
  /** Longest duration of the drain; 0 means no drain. */
  readonly drainMaxMs: number;
  /** Present if the server's shared buffers are emptied after the preload. */
  readonly coldCache?: true;
}

/** Limits of retries: number of attempts, the first included, and time since the transaction's actual start. */
export interface RetrySettings {
  readonly attempts: number;
  readonly deadlineMs: number;
  /** Ceiling of the first backoff. It doubles each time up to `ceilingMs`; each wait is uniform below it (full jitter). */
  readonly baseMs: number;
  readonly ceilingMs: number;
  /** Present if each wait is its backoff in full, without a random part. */
  readonly jitter?: "none";
}

export interface LogSettings {
  readonly level: "debug" | "info" | "warn" | "error" | "silent";
  /** Service time above which a transaction is logged as slow, in milliseconds. */
  readonly slowTransactionMs: number;
}
