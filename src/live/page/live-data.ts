// Plain values that survive JSON; times are milliseconds since the program began, so no clock crosses over.
import type { LiveLook } from "../../engine/session/observer.js";
import type { Operation } from "../../metrics/operations.js";

/** Everything about this moment. */
export interface LiveView {
  readonly scenario: string;
  readonly programVersion: string;
  readonly elapsedMs: number;
  /** Estimate of the whole; null while it cannot be told. */
  readonly leftMs: number | null;
  /** Planned; null in a search for capacity, which does not know. */
  readonly trials: number | null;
  /** Whether fewer trials than planned may do, and less time. */
  readonly mayEndEarly: boolean;
  /** The last look at what is still open, if there was any. */
  readonly look: LiveLook | null;
  /** Null before the first. */
  readonly trial: LiveTrial | null;
  readonly phase: LivePhase | null;
  readonly operations: readonly LiveRow[];
  /** The last sample, by the names of the catalogue of evidence; empty before the trial's first. */
  readonly evidence: Readonly<Record<string, number>>;
  readonly thresholds: readonly LiveThreshold[];
}

export interface LiveTrial {
  readonly number: number;
  readonly treatment: string;
}

export interface LivePhase {
  readonly name: string;
  readonly sinceMs: number;
  /** The longest it may take; null where only work ends it. */
  readonly mostMs: number | null;
}

/** An operation in the last second of the window; counts named `total` are of the trial so far. */
export interface LiveRow {
  readonly operation: Operation;
  /** What it works on, as `events`. */
  readonly unit: string;
  /** Null before the first second. */
  readonly events: number | null;
  readonly transactions: number | null;
  readonly p99Ms: number | null;
  readonly poolWaitMeanMs: number | null;
  readonly poolWaitP99Ms: number | null;
  readonly totalRetries: number;
  readonly totalFailures: number;
  /** Open loop only, 0 elsewhere: arrivals given up. */
  readonly totalDropped: number;
}

export interface LiveThreshold {
  readonly metric: string;
  readonly expression: string;
  readonly seen: number | null;
  /** Null while there is no sample. */
  readonly ok: boolean | null;
}

/** A second of a trial's window. It may come again, when a part of it came late: `trial` and `second` name it. */
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

/** Of a sample, those metrics that are drawn over time. */
export interface LiveSample {
  readonly trial: number;
  readonly atMs: number;
  readonly values: Readonly<Record<string, number>>;
}

/** A trial that has ended, or that had before this run went on with it. */
export interface LiveTrialEnd {
  readonly number: number;
  readonly treatment: string;
  readonly status: "complete" | "partial" | "failed";
  readonly reason: string | null;
  /** Null where the tables were not read. */
  readonly integrity: "ok" | "violated" | null;
  /** What was lost of what was acknowledged, in words; null where nothing was. */
  readonly lost: string | null;
  /** What of it is not valid, with the names of the checks: `timings not valid: steal`. */
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

/** The view, and what came since the last update; the first one of a connection has all that is kept. */
export interface LiveUpdate {
  readonly view: LiveView;
  readonly points: readonly LivePoint[];
  readonly samples: readonly LiveSample[];
  readonly ended: readonly LiveTrialEnd[];
  readonly notes: readonly LiveNote[];
}

/** The last words: nothing comes after it. */
export interface LiveEnd {
  readonly words: string;
  /** Exit code 0. */
  readonly isGood: boolean;
}
