// Events of an experiment for those who watch it, several at once. The engine prints nothing itself.
import type { BySqlstateId, Counts, LiveLatencyId } from "../../metrics/metric-lists.js";
import type { Operation } from "../../metrics/operations.js";
import type { EvidenceValues } from "../../metrics/evidence-metric.js";
import type { TrialResult } from "../../results/result-schema.js";
import type { PlannedTrial, Treatment } from "../../scenario/settings.js";

export type TrialPhase = "reset" | "warm-up" | "measure" | "drain" | "audit";

/** One second of the measurement window, all workers together. */
export interface LiveSecond {
  /** Second of the window, from 0. */
  readonly second: number;
  readonly operations: Readonly<Record<Operation, LiveOperation>>;
}

/** Counts are by SQLSTATE where they are of trouble; a latency is null without transactions. */
export interface LiveOperation
  extends
    Readonly<Counts>,
    Readonly<Record<BySqlstateId, Readonly<Record<string, number>>>>,
    Readonly<Record<LiveLatencyId, LiveLatency | null>> {}

/** Upper bounds, inclusive, by which latencies are counted for those who add them up over time. */
export const LATENCY_BOUNDS_MS = [
  0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000,
] as const;

/** Latencies of one second. */
export interface LiveLatency {
  readonly samples: number;
  readonly meanMs: number;
  readonly p99Ms: number;
  /** Samples by the first of `LATENCY_BOUNDS_MS` that holds them; the last entry counts those above all. */
  readonly binned: readonly number[];
}

/** What one threshold says of the running trial so far; it is judged on all complete trials at the end. */
export interface RunningThreshold {
  readonly metric: string;
  readonly expression: string;
  /** Null while it has no sample. */
  readonly seen: number | null;
  /** Null while it has too few samples to be passed. */
  readonly ok: boolean | null;
}

/** Where an experiment that ends when it is decided stands at a look between two blocks. */
export interface LiveLook {
  readonly blocks: number;
  readonly blocksMost: number;
  /** Blocks at the next look; null at the last. */
  readonly nextLook: number | null;
  /** Comparisons that are to be decided. */
  readonly claims: number;
  /** Names of those that are not. */
  readonly open: readonly string[];
}

export interface ExperimentObserver {
  /** One line about what is being set up, as "embedded PostgreSQL 18.1 on 127.0.0.1:40001". */
  note(text: string): void;
  trialStarted(trial: PlannedTrial, treatment: Treatment): void;
  /** `mostMs` is the longest the phase may take; undefined where only work ends it. */
  phaseStarted(phase: TrialPhase, mostMs: number | undefined): void;
  second(live: LiveSecond): void;
  /** One sample of the database, the pooler and the machine, about once a second from the start of the window. */
  evidence(values: EvidenceValues): void;
  /** After each second of the window, where thresholds select the treatment. */
  thresholds(states: readonly RunningThreshold[]): void;
  trialEnded(result: TrialResult, treatment: Treatment): void;
  looked(look: LiveLook): void;
}

/** All of them as one, told in this order. */
export function allOf(observers: readonly ExperimentObserver[]): ExperimentObserver {
  const tell = (call: (observer: ExperimentObserver) => void): void => {
    for (const observer of observers) call(observer);
  };
  return {
    note: (text) => tell((each) => each.note(text)),
    trialStarted: (trial, treatment) => tell((each) => each.trialStarted(trial, treatment)),
    phaseStarted: (phase, mostMs) => tell((each) => each.phaseStarted(phase, mostMs)),
    second: (live) => tell((each) => each.second(live)),
    evidence: (values) => tell((each) => each.evidence(values)),
    thresholds: (states) => tell((each) => each.thresholds(states)),
    trialEnded: (result, treatment) => tell((each) => each.trialEnded(result, treatment)),
    looked: (look) => tell((each) => each.looked(look)),
  };
}
