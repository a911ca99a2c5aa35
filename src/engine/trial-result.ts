// What a trial came to, as the result document states it: what was counted and timed, what the tables held, what the
// generator and the machine did meanwhile, whether the window was steady.
// It measures nothing; a trial that was cut short is stated with what there is, marked.
import { isoTime } from "../foundation/clock.js";
import type { TrainSimError } from "../foundation/errors.js";
import type { WindowSummary } from "../metrics/totals.js";
import { operationResults } from "../results/operation-results.js";
import type { Integrity, TrialResult } from "../results/result-schema.js";
import type { MeasuredWindow } from "./measured-window.js";
import type { SecondSeries } from "./second-series.js";
import type { TrialInputs } from "./trial-parts.js";

export interface TrialOutcome {
  /** Undefined where the trial ended before its window. */
  readonly window: MeasuredWindow | undefined;
  readonly summary: WindowSummary;
  readonly series: SecondSeries;
  readonly integrity: Integrity | null;
  readonly failure: TrainSimError | undefined;
  /** Whether the processor time of the database can be told from that of others. */
  readonly isServerTold: boolean;
  /** Why it was cut short, unless it failed. */
  readonly stopReason: string | undefined;
}

export function trialResult(inputs: TrialInputs, outcome: TrialOutcome): TrialResult {
  const { trial, treatment, index } = inputs;
  const { window, summary, failure } = outcome;
  const reason = failure?.message ?? outcome.stopReason;
  const status = failure ? "failed" : reason === undefined ? "complete" : "partial";
  const machine = window?.machine(outcome.isServerTold);
  return {
    index,
    number: trial.number,
    block: trial.block,
    seed: trial.seed,
    startedAt: window?.startedAt ?? isoTime(),
    windowSeconds: summary.windowSeconds,
    operations: operationResults(summary, treatment.settings),
    lifecycle: summary.lifecycle,
    integrity: outcome.integrity,
    database: window?.database ?? {},
    client: window?.client ?? null,
    ...(machine && { machine }),
    ...(status === "complete" && {
      steadyState: outcome.series.steadyState(summary.windowSeconds, treatment.settings),
    }),
    clampedSamples: summary.clampedSamples,
    status,
    ...(reason !== undefined && { reason }),
  };
}
