// Plain values that survive JSON; times are milliseconds since the program began, so that the clocks of program and browser
// may differ.
import type { LiveLook, RunningThreshold } from "../../engine/session/observer.js";
import type { Operation } from "../../metrics/operations.js";

export interface LiveView {
  readonly scenario: string;
  readonly programVersion: string;
  readonly elapsedMs: number;
  /** Estimated remaining milliseconds of the whole run; null while unknown. */
  readonly leftMs: number | null;
  readonly trials: number | null;
  /** True if the experiment may end before its last planned trial. */
  readonly mayEndEarly: boolean;
  readonly look: LiveLook | null;
  /** The current trial, or the last one between trials; null before the first. */
  readonly trial: LiveTrial | null;
  readonly phase: LivePhase | null;
  /** Budgets of iterations of the running window. */
  readonly budgets: readonly LiveBudget[];
  readonly operations: readonly LiveRow[];
  /** The last sample, by the names of the catalogue of evidence; empty before the trial's first sample. */
  readonly evidence: Readonly<Record<string, number>>;
  readonly thresholds: readonly RunningThreshold[];
}

export interface LiveTrial {
  readonly number: number;
  readonly treatment: string;
}

export interface LivePhase {
  readonly name: string;
  readonly sinceMs: number;
  readonly mostMs: number | null;
}

/** Progress of a role that has a budget of iterations. The window ends when `iterations` have ended, failed ones included. */
export interface LiveBudget {
  readonly role: string;
  readonly ended: number;
  readonly iterations: number;
  /** Remaining milliseconds at the mean rate of the window so far; null before the first iteration has ended. */
  readonly leftMs: number | null;
}

/** An operation in the last second of the window; counts named `total` cover the trial so far. */
export interface LiveRow {
  readonly operation: Operation;
  readonly unit: string;
  /** Events in the last second; null before the first second. */
  readonly events: number | null;
  readonly transactions: number | null;
  readonly p99Ms: number | null;
  readonly poolWaitMeanMs: number | null;
  readonly poolWaitP99Ms: number | null;
  readonly totalEvents: number;
  /** Transactions that ended in any way: committed, failed, or without work. */
  readonly totalEnded: number;
  /** Mean of `events` over the seconds of the trial so far; null before the first second. */
  readonly meanEvents: number | null;
  readonly totalRetries: number;
  readonly totalFailures: number;
  /** Arrivals that an open loop dropped; 0 in a closed loop. */
  readonly totalDropped: number;
}

/** One second of a trial's window, identified by `trial` and `second`. It is sent again if a part of it came late. */
export interface LivePoint {
  readonly trial: number;
  readonly second: number;
  readonly atMs: number;
  readonly operations: Readonly<Record<Operation, LivePointOperation>>;
}

export interface LivePointOperation {
  readonly events: number;
  readonly p99Ms: number | null;
}

export interface LiveSample {
  readonly trial: number;
  readonly atMs: number;
  readonly values: Readonly<Record<string, number>>;
}

export interface LiveTrialEnd {
  readonly number: number;
  readonly treatment: string;
  readonly status: "complete" | "partial" | "failed";
  readonly reason: string | null;
  /** Verdict of the audit; null if the tables were not read. */
  readonly integrity: "ok" | "violated" | null;
  /** Lost acknowledged work, in words; null if nothing was lost. */
  readonly lost: string | null;
  /** Invalid aspects with the names of the checks: `timings not valid: steal`. */
  readonly invalid: readonly string[];
  readonly operations: Readonly<
    Record<
      Operation,
      { readonly unit: string; readonly eventsPerSecond: number; readonly p99Ms: number | null }
    >
  >;
}

export interface LiveNote {
  readonly number: number;
  readonly atMs: number;
  readonly text: string;
}

export interface LiveUpdate {
  readonly view: LiveView;
  readonly points: readonly LivePoint[];
  readonly samples: readonly LiveSample[];
  readonly ended: readonly LiveTrialEnd[];
  readonly notes: readonly LiveNote[];
}

/** The last message of a run. */
export interface LiveEnd {
  readonly words: string;
  readonly isGood: boolean;
}
