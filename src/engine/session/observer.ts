// Events of an experiment for those who watch it, several at once. The engine prints nothing itself.
import type { EvidenceValues } from "../../metrics/evidence-metric.js";
import type { Totals } from "../../metrics/totals.js";
import type { TrialResult } from "../../results/result-schema.js";
import type { PlannedTrial, Treatment } from "../../scenario/settings.js";

export type TrialPhase = "reset" | "warm-up" | "measure" | "drain" | "audit";

/** State of one threshold for the running trial. The verdict follows at the end, over all complete trials. */
export interface RunningThreshold {
  readonly metric: string;
  readonly expression: string;
  readonly seen: number | null;
  /** Whether the threshold holds so far; null while there are too few samples. */
  readonly ok: boolean | null;
}

export interface LiveLook {
  readonly blocks: number;
  readonly blocksMost: number;
  /** Number of blocks at the next look; null if this look is the last. */
  readonly nextLook: number | null;
  readonly claims: number;
  /** Names of the comparisons that are still open. */
  readonly open: readonly string[];
}

export interface ExperimentObserver {
  /** One line about what is being set up, such as "embedded PostgreSQL 18.1 on 127.0.0.1:40001". */
  note(text: string): void;
  trialStarted(trial: PlannedTrial, treatment: Treatment): void;
  /** A phase began. `mostMs` is its longest duration; undefined if it lasts until its work is done. */
  phaseStarted(phase: TrialPhase, mostMs: number | undefined): void;
  /** One second of the window, counted from 0, summed over all workers; `totals` is valid during the call only. */
  second(second: number, totals: Totals): void;
  /** One sample of the database, the pooler and the machine, about once a second from the start of the window. */
  evidence(values: EvidenceValues): void;
  /** States of the thresholds after each second of the window; called only if a threshold selects the treatment. */
  thresholds(states: readonly RunningThreshold[]): void;
  trialEnded(result: TrialResult, treatment: Treatment): void;
  onLook(look: LiveLook): void;
}

/** An observer that calls all of these, in order. */
export function combineObservers(observers: readonly ExperimentObserver[]): ExperimentObserver {
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
