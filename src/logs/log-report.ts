// The document that `logs --json` prints and the text is made from. What a log does not say is null or left out, never 0.
import type { Operation } from "../metrics/operations.js";
import type { LineProblem } from "../results/log-lines.js";
import type { OperationSummary } from "../metrics/totals.js";
import type { Cause } from "./causes.js";
import type { Stall } from "./second-track.js";
import type { SlowTransaction } from "./slowest.js";

/** Raised when a field changes its meaning or goes away. */
export const LOG_REPORT_VERSION = 1;

/** The same as in `result.json`, of the same name. `responseTimeMs` is null too if a line lacks its distribution. */
export interface OperationTotals
  extends
    Pick<
      OperationSummary,
      | "transactions"
      | "events"
      | "responseTimeMs"
      | "retries"
      | "retriesBySqlstate"
      | "failures"
      | "emptyPolls"
    >,
    Partial<Pick<OperationSummary, "offered" | "dropped">> {
  /** Null where the log does not say how long the window was. */
  readonly transactionsPerSecond: number | null;
  readonly eventsPerSecond: number | null;
  readonly clients?: number;
  readonly threads?: number;
}

export interface PhaseSpan {
  readonly phase: string;
  readonly startedAt: string;
  /** Null for the last of a log that does not end, and where the clock was set back meanwhile. */
  readonly seconds: number | null;
}

/** What one worker did of one operation, in columns of `columnSeconds` each. */
export interface TimelineRow {
  readonly actor: string;
  readonly worker: number;
  readonly operation: Operation;
  readonly transactions: number;
  readonly events: number;
  readonly retries: number;
  readonly failures: number;
  readonly longestMs: number;
  readonly transactionsByColumn: readonly number[];
}

export interface OperationStall extends Stall {
  readonly operation: Operation;
}

export interface TrialLogReport {
  readonly number: number;
  /** Position among the trials of its treatment, from 0; null where the log does not say. */
  readonly index: number | null;
  readonly treatment: string;
  readonly file: string;
  /** Of the trial's last line; null for a log that was cut short. */
  readonly status: string | null;
  readonly reason: string | null;
  readonly integrity: string | null;
  readonly windowStartsAt: string | null;
  readonly windowSeconds: number | null;
  /** Seconds that are counted here: the window, or what a filter on time leaves of it. */
  readonly secondsCounted: number | null;
  /** False where totals cannot be told, because summaries were not logged; then `operations` is empty and counts null. */
  readonly isCounted: boolean;
  readonly operations: Readonly<Record<Operation, OperationTotals>>;
  readonly retries: number | null;
  readonly retriesBySqlstate: Readonly<Record<string, number>> | null;
  readonly failures: Readonly<Record<string, number>> | null;
  /** What ended in the warm-up, the drain and between phases; null where a filter left it out or nobody says. */
  readonly outside: {
    readonly transactions: number;
    readonly retries: number;
    readonly failures: number;
  } | null;
  readonly details: {
    /** Retries and failures of the window with a line of their own. */
    readonly retryLines: number;
    readonly failureLines: number;
    /** Lines that the workers left out, for they write so many a second only; null where nobody counted. */
    readonly leftOut: number | null;
    readonly causes: readonly Cause[];
  };
  readonly slowest: readonly SlowTransaction[];
  readonly stalls: readonly OperationStall[];
  readonly phases: readonly PhaseSpan[];
  readonly timeline: { readonly columnSeconds: number; readonly rows: readonly TimelineRow[] };
}

/** How a file was read: every line is either understood or one of the problems, or blank. */
export interface FileReport {
  readonly path: string;
  readonly lines: number;
  readonly understood: number;
  readonly blank: number;
  readonly problems: Readonly<Record<LineProblem, number>>;
  /** The first few. */
  readonly examples: readonly {
    readonly line: number;
    readonly problem: LineProblem;
    readonly reason: string;
  }[];
}

export interface LogReport {
  readonly version: typeof LOG_REPORT_VERSION;
  readonly files: readonly FileReport[];
  readonly trials: readonly TrialLogReport[];
}
