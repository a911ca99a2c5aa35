// The document that `logs --json` prints and the text is made from. A value that a log lacks is null or left out, never 0.
import type { Operation } from "../metrics/operations.js";
import type { LineProblem } from "../results/log-lines.js";
import type { OperationSummary } from "../metrics/totals.js";
import type { Cause } from "./causes.js";
import type { Stall } from "./second-track.js";
import type { SlowTransaction } from "./slowest.js";

export const LOG_REPORT_VERSION = 1;

/**
 * Totals of an operation; fields mean the same as in `result.json`. `responseTimeMs` is also null if a line lacks its
 * distribution.
 */
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
  /** Transactions per second; null if the log does not state the length of the window. */
  readonly transactionsPerSecond: number | null;
  readonly eventsPerSecond: number | null;
  readonly clients?: number;
  readonly threads?: number;
}

export interface PhaseSpan {
  readonly phase: string;
  readonly startedAt: string;
  /** Length of the phase in seconds; null if the log ends during the phase, or the clock was set back meanwhile. */
  readonly seconds: number | null;
  /** Steps of the reset. The last one, `connections`, is the time in which the slowest worker opened its connections. */
  readonly steps?: readonly { readonly step: string; readonly seconds: number }[];
}

/** Work of one worker on one operation, in columns of `columnSeconds` each. */
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
  /** Position among the trials of its treatment, from 0; null if the log does not state it. */
  readonly index: number | null;
  readonly treatment: string;
  readonly file: string;
  /** Status in the trial's last line; null for a log that was cut short. */
  readonly status: string | null;
  readonly reason: string | null;
  readonly integrity: string | null;
  readonly windowStartsAt: string | null;
  readonly windowSeconds: number | null;
  /** Number of counted seconds: the window, or the part that a filter on time selects. */
  readonly secondsCounted: number | null;
  /** False if totals are unknown, because summaries were not logged; then `operations` is empty and counts null. */
  readonly isCounted: boolean;
  readonly operations: Readonly<Record<Operation, OperationTotals>>;
  readonly retries: number | null;
  readonly retriesBySqlstate: Readonly<Record<string, number>> | null;
  readonly failures: Readonly<Record<string, number>> | null;
  /** Transactions that ended outside the measurement window; null if a filter left them out or no line states them. */
  readonly outside: {
    readonly transactions: number;
    readonly retries: number;
    readonly failures: number;
  } | null;
  readonly details: {
    /** Number of retries and failures in the window that have a line each. */
    readonly retryLines: number;
    readonly failureLines: number;
    /**
     * Number of lines that workers left out, because they write a limited number per second; null if no worker counted
     * them.
     */
    readonly leftOut: number | null;
    readonly causes: readonly Cause[];
  };
  readonly slowest: readonly SlowTransaction[];
  readonly stalls: readonly OperationStall[];
  readonly phases: readonly PhaseSpan[];
  readonly timeline: { readonly columnSeconds: number; readonly rows: readonly TimelineRow[] };
}

/** What reading a file found: each line is understood, has one of the problems, or is blank. */
export interface FileReport {
  readonly path: string;
  readonly lines: number;
  readonly understood: number;
  readonly blank: number;
  readonly problems: Readonly<Record<LineProblem, number>>;
  /** The first few lines with this problem. */
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
