// Events of an experiment for those who watch it, several at once. The engine prints nothing itself.
import type { EvidenceValues } from "../../metrics/evidence-metric.js";
import type { Totals } from "../../metrics/totals.js";
import type { TrialResult } from "../../results/result-schema.js";
import type { PlannedTrial, Treatment } from "../../scenario/settings.js";

export type TrialPhase = "reset" | "warm-up" | "measure" | "drain" | "audit";

/** What one threshold says of the running trial so far; it is judged on all complete trials at the end. */
export interface RunningThreshold {
  readonly metric: string;
  readonly expression: string;
  readonly seen: number | null;
  /** Null while it has too few samples to be passed. */
  readonly ok: boolean | null;
}

export interface LiveLook {
  readonly blocks: number;
  readonly blocksMost: number;
  /** Blocks at the next look; null at the last. */
  readonly nextLook: number | null;
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
  /** One second of the window, from 0, of all workers together; `totals` is valid during the call only. */
  second(second: number, totals: Totals): void;
  /** One sample of the database, the pooler and the machine, about once a second from the start of the window. */
  evidence(values: EvidenceValues): void;
  /** After each second of the window, where thresholds select the treatment. */
  thresholds(states: readonly RunningThreshold[]): void;
  trialEnded(result: TrialResult, treatment: Treatment): void;
  onLook(look: LiveLook): void;
}

/** All observers as one, called in this order. */
export function allOf(observers: readonly ExperimentObserver[]): ExperimentObserver {
  const tell = (call: (observer: ExperimentObserver) => void): void => {
    for (const observer of observers) call(observer);
  };
  return {
    note: (text) => tell((each) => each.note(text)),
    trialStarted: (trial, treatment) => tell((each) => each.trialStarted(trial, treatment)),
    phaseStarted: (phase, mostMs) => tell((each) => each.phaseStarted(phase, mostMs)),
    second: (second, totals) => tell((each) => each.second(second, totals)),
    evidence: (values) => tell((each) => each.evidence(values)),
    thresholds: (states) => tell((each) => each.thresholds(states)),
    trialEnded: (result, treatment) => tell((each) => each.trialEnded(result, treatment)),
    onLook: (look) => tell((each) => each.onLook(look)),
  };
}
