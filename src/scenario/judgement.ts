// Bounds that results are judged by: thresholds of the user, and the bounds of the diagnosis.
import type { ComparisonMetric } from "../metrics/metric-lists.js";

/** Violations that a scenario may allow: the audit then counts them. */
export const ALLOWABLE_VIOLATIONS = ["lost"] as const;
export type AllowableViolation = (typeof ALLOWABLE_VIOLATIONS)[number];

export type ThresholdOperator = "<" | "<=" | ">" | ">=" | "==" | "!=";

export type Quantity = Pick<Threshold, "source" | "aggregate" | "percentile">;

/** A condition on the ratio of a quantity of one treatment to another's; `ratio-thresholds.ts` parses it. */
export interface RatioThreshold extends Pick<Threshold, "expression" | "operator" | "bound" | "abortOnFail"> {
  /** Both sides as written: `add{payload:text} / add{payload:jsonb}`. */
  readonly metric: string;
  readonly over: Quantity;
  readonly under: Quantity;
  /** True if the whole confidence interval of the ratio has to lie beyond the bound. */
  readonly isSure: boolean;
  /** Pairs of treatments, by id. */
  readonly pairs: readonly { readonly treatment: string; readonly against: string }[];
}

/** A figure that others have published on a treatment; `published.ts` parses it. */
export interface PublishedFigure {
  readonly source: string;
  readonly metric: string;
  readonly quantity: Quantity;
  /** The published value; undefined if only a ratio was published. */
  readonly value?: number;
  /** Least and greatest published ratio to `against`; undefined if the ratio follows from two values. */
  readonly ratio?: readonly [number, number];
  readonly treatment?: string | undefined;
  /** Treatment that the ratio refers to; undefined if it refers to the treatment of the first figure. */
  readonly against?: string;
  readonly problem?: string;
}

/** A metric of one operation by which trials are compared. */
export interface ComparedMetric {
  readonly operation: string;
  readonly metric: ComparisonMetric;
}

/** An objective: `maximise cycle.events/s`. */
export interface Objective extends ComparedMetric {
  readonly isMaximised: boolean;
  readonly words: string;
}

/** Rule by which an experiment may end before its last planned block. */
export interface StoppingRule {
  /** Number of blocks before which nothing is decided; undefined if only the budget ends the experiment. */
  readonly min?: number;
  readonly max: number;
  /** Margin, as a distance of a ratio from 1, within which two sides count as the same: 0.05 is 5 %. */
  readonly within: number;
  /** Milliseconds since the start of the run after which no block begins. */
  readonly budgetMs?: number;
  /** Objective of a race: treatments that are surely worse in it than the best run no more trials. */
  readonly race?: Objective;
}

/** A condition on a metric in k6's syntax; `thresholds.ts` parses it. */
export interface Threshold {
  /** The metric with its selector, as written: `add{payload:text}`. */
  readonly metric: string;
  /** The metric alone: an operation, a measure of an operation, a stage of the lifecycle, `integrity` or `verdict`. */
  readonly source: string;
  /** Level by factor; the threshold applies to treatments that have all these levels. */
  readonly selector: Readonly<Record<string, string>>;
  /** The condition as written: `p(99)<500`. */
  readonly expression: string;
  readonly aggregate: string;
  readonly percentile?: number;
  readonly operator: ThresholdOperator;
  /** Bound: latencies are in milliseconds, rates per second. */
  readonly bound: number;
  /** True if the experiment ends once a running trial breaks the threshold or, for a ratio, once the blocks so far decide it. */
  readonly abortOnFail: boolean;
  /** Milliseconds from the start of a trial's window during which the threshold cannot abort it. */
  readonly delayAbortEvalMs: number;
}

/** Bounds beyond which the timings of a trial are not valid; see docs/reference/diagnosis.md. Ratios are 0 .. 1. */
export interface DiagnosisSettings {
  /** True if the generator's ceiling is measured, after the first trial of each pool. */
  readonly ceiling: boolean;
  readonly maxEventLoopDelayMs: number;
  /** Largest busy share of the busiest worker thread. */
  readonly maxWorkerUtilization: number;
  /** Largest share of clients x window that is not accounted for. */
  readonly maxUnaccountedRatio: number;
  /** Largest share of an open loop's arrivals that found no free client. */
  readonly maxDroppedRatio: number;
  readonly maxClockStepMs: number;
  readonly maxAgentClockErrorMs: number;
  readonly maxFailureRatio?: number | undefined;
  /** Maximum number of retried attempts per ended transaction. */
  readonly maxRetriesPerTransaction: number;
  /** Largest share of the machine's CPU time that a hypervisor gave to other machines. */
  readonly maxStealRatio: number;
  /** Largest share of the machine's CPU time that other programs used. */
  readonly maxOtherCpuRatio: number;
  /** Largest share of the window's seconds in which an operation stood still. */
  readonly maxStalledRatio: number;
  /** Largest share of the bytes moved to and from storage that other programs moved. */
  readonly maxOtherIoRatio: number;
  /** Maximum average number of active sessions of other programs on the server. */
  readonly maxForeignSessions: number;
  /** Largest share of the server's transactions that other programs made. */
  readonly maxForeignTransactionRatio: number;
}
