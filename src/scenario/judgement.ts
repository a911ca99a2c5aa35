// Bounds that results are judged by: thresholds of the user, and the bounds of the diagnosis.
import type { ComparisonMetric } from "../metrics/metric-lists.js";

/** What the audit can be told to take for a number, and no violation. */
export const ALLOWABLE = ["lost"] as const;
export type Allowable = (typeof ALLOWABLE)[number];

export type ThresholdOperator = "<" | "<=" | ">" | ">=" | "==" | "!=";

/** What is measured of one treatment: a metric and what it is asked for. */
export type Quantity = Pick<Threshold, "source" | "aggregate" | "percentile">;

/** A condition on how many times a quantity of one treatment is that of another; `ratio-thresholds.ts` parses it. */
export interface RatioThreshold extends Pick<Threshold, "expression" | "operator" | "bound"> {
  /** Both sides as written: `add{payload:text} / add{payload:jsonb}`. */
  readonly metric: string;
  readonly over: Quantity;
  readonly under: Quantity;
  /** Whether the whole interval has to lie beyond the bound. */
  readonly isSure: boolean;
  /** By id. */
  readonly pairs: readonly { readonly treatment: string; readonly against: string }[];
}

/** What others have published of a treatment; `published.ts` parses it. */
export interface PublishedFigure {
  readonly source: string;
  /** As written: `add p(95)`. */
  readonly metric: string;
  readonly quantity: Quantity;
  readonly value: number;
  /** By id. */
  readonly treatment?: string | undefined;
  /** Why it is about none of the treatments. */
  readonly problem?: string;
}

/** A metric of one operation that trials are compared by. */
export interface Aim {
  readonly operation: string;
  readonly metric: ComparisonMetric;
}

/** What is to be reached: `maximise cycle.events/s`. */
export interface Objective extends Aim {
  readonly isMaximised: boolean;
  /** As written. */
  readonly words: string;
}

/** When an experiment ends, if not with its last planned block. */
export interface Stopping {
  /** Blocks before which nothing is decided; undefined where only the budget ends it. */
  readonly min?: number;
  /** Planned blocks. */
  readonly max: number;
  /** How near to 1 a ratio has to be so that two sides are the same: 0.05 is 5 %. */
  readonly within: number;
  /** Time since the start of the run after which no block begins. */
  readonly budgetMs?: number;
  /** Of a race: treatments that are surely worse in it than the best run no more trials. */
  readonly race?: Objective;
}

/** One condition on one metric; `thresholds.ts` parses it, k6's syntax. */
export interface Threshold {
  /** With its selector, as written: `add{payload:text}`. */
  readonly metric: string;
  /** The metric alone: an operation, a measure of one, a stage of the lifecycle, `integrity` or `verdict`. */
  readonly source: string;
  /** Level by factor; the threshold holds for the treatments that have them all. */
  readonly selector: Readonly<Record<string, string>>;
  /** As written: `p(99)<500`. */
  readonly expression: string;
  /** `avg`, `count`, ...; `p` for a percentile. */
  readonly aggregate: string;
  /** 0 .. 100, with `p` only. */
  readonly percentile?: number;
  readonly operator: ThresholdOperator;
  /** Latencies in milliseconds, rates per second. */
  readonly bound: number;
  /** Whether the experiment ends as soon as a running trial breaks it. */
  readonly abortOnFail: boolean;
  /** Time from the start of a trial's window before which it cannot abort, in milliseconds. */
  readonly delayAbortEvalMs: number;
}

/** Bounds beyond which timings of a trial are not valid; see docs/reference/diagnosis.md. Ratios are 0 .. 1. */
export interface DiagnosisSettings {
  /** Whether the ceiling of the generator is measured, after the first trial of each pool. */
  readonly ceiling: boolean;
  readonly maxEventLoopDelayMs: number;
  /** Busy share of the busiest worker thread. */
  readonly maxWorkerUtilization: number;
  /** Share of clients x window that is not accounted for. */
  readonly maxUnaccountedRatio: number;
  /** Share of an open loop's arrivals that found no free client. */
  readonly maxDroppedRatio: number;
  readonly maxClockStepMs: number;
  readonly maxAgentClockErrorMs: number;
  /** Failed share of all transactions; if left out, of failures that are no conflicts, with the check's own bound. */
  readonly maxFailureRatio?: number | undefined;
  /** Attempts that failed and were tried again, for each transaction that ended. */
  readonly maxRetriesPerTransaction: number;
  /** Share of the machine's CPU time that a hypervisor gave to others. */
  readonly maxStealRatio: number;
  /** Share of the machine's CPU time that other programs used. */
  readonly maxOtherCpuRatio: number;
  /** Share of the window's seconds in which an operation stood still. */
  readonly maxStalledRatio: number;
  /** Share of the bytes moved to and from storage that other programs moved. */
  readonly maxOtherIoRatio: number;
  /** Active sessions of others on the server, on average. */
  readonly maxForeignSessions: number;
  /** Share of the server's transactions that others made. */
  readonly maxForeignTransactionRatio: number;
}
