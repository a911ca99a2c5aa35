// What the engine tells whoever watches an experiment: which trial, which phase and until when, what the last
// second brought. The engine prints nothing itself; the command line, or anything else, listens here.
import type { Operation } from "../metrics/operations.js";
import type { EvidenceValues } from "../results/evidence-metrics.js";
import type { TrialResult } from "../results/result-schema.js";
import type { PlannedTrial, Treatment } from "../scenario/settings.js";

export type TrialPhase = "reset" | "warm-up" | "measure" | "drain" | "audit";

/** One second of the measurement window, all workers together. */
export interface LiveSecond {
  /** Second of the window, from 0. */
  readonly second: number;
  readonly operations: Readonly<Partial<Record<Operation, LiveOperation>>>;
}

export interface LiveOperation {
  readonly transactions: number;
  readonly events: number;
  /** 99th percentile of the response time in this second, in milliseconds; null without transactions. */
  readonly responseP99Ms: number | null;
  readonly retries: number;
  readonly failures: number;
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
  trialEnded(result: TrialResult, treatment: Treatment): void;
}
