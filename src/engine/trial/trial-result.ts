// What a trial came to, as the result document states it: what was counted and timed, what the tables held, what the
// generator and the machine did meanwhile, whether the window was steady.
// It measures nothing; a trial that was cut short is stated with what there is, marked.
import { isoTime } from "../../foundation/clock.js";
import type { TrainSimError } from "../../foundation/errors.js";
import type { Audited } from "../../workloads/train-events/audit/audit.js";
import type { EndpointDelta } from "../../metrics/endpoint-split.js";
import type { WindowSummary } from "../../metrics/totals.js";
import { endpointResults, splitOf } from "../../results/endpoint-results.js";
import { operationResults } from "../../results/operation-results.js";
import {
  integrityOf,
  type FaultRecord,
  type Integrity,
  type LifecycleResult,
  type TrialResult,
} from "../../results/result-schema.js";
import type { Endpoint } from "../../database/endpoint/endpoint.js";
import type { TrialEvidence } from "../evidence/evidence.js";
import { attemptsOf, foreignNotAssessed } from "../evidence/foreign-work.js";
import type { MeasuredWindow } from "./measured-window.js";
import type { SecondSeries } from "./second-series.js";
import type { Surroundings } from "../evidence/surroundings.js";
import type { TrialInputs } from "./trial-parts.js";

/** What was found once the load had ended. */
export interface TrialEnding {
  readonly integrity: Integrity;
  readonly lifecycle: Pick<LifecycleResult, "passesPerEvent" | "drainSeconds">;
}

/** `drainSeconds` are undefined where the queue was not emptied. */
export function endingOf(
  { conservation, passesPerEvent }: Audited,
  drainSeconds: number | undefined,
): TrialEnding {
  return {
    integrity: integrityOf(conservation, drainSeconds !== undefined),
    lifecycle: {
      ...(passesPerEvent !== null && { passesPerEvent }),
      ...(drainSeconds !== undefined && { drainSeconds }),
    },
  };
}

export interface TrialOutcome {
  /** Undefined where the trial ended before its window. */
  readonly window: MeasuredWindow | undefined;
  readonly evidence: TrialEvidence | undefined;
  readonly summary: WindowSummary;
  readonly series: SecondSeries;
  /** Undefined where the tables could not be read. */
  readonly ending: TrialEnding | undefined;
  readonly failure: TrainSimError | undefined;
  readonly faults: FaultRecord[];
  /** Where clients connected, as results name it, and what each worker saw there. */
  readonly endpoints: readonly Endpoint[];
  readonly endpointDeltas: readonly (readonly EndpointDelta[])[];
  readonly surroundings: Surroundings;
  /** Why it was cut short, unless it failed. */
  readonly stopReason: string | undefined;
}

export function trialResult(inputs: TrialInputs, outcome: TrialOutcome): TrialResult {
  const { trial, treatment } = inputs;
  const { window, summary, failure } = outcome;
  const reason = failure?.message ?? outcome.stopReason;
  const status = failure ? "failed" : reason === undefined ? "complete" : "partial";
  const endpoints = endpointResults(outcome.endpoints, outcome.endpointDeltas, treatment.settings);
  const { machine, serverRecords: servers } = outcome.surroundings;
  const attempts = attemptsOf(summary);
  const database =
    outcome.evidence?.result({
      operations: summary.operations,
      attempts,
      clientCpuSeconds: window?.client?.cpuSeconds,
    }) ?? {};
  const notAssessed = [
    ...outcome.surroundings.notAssessed,
    ...(status === "complete" ? foreignNotAssessed(database, attempts) : []),
  ];
  const stall = outcome.series.stall(summary.windowSeconds, treatment.settings);
  return {
    index: trial.block,
    number: trial.number,
    block: trial.block,
    seed: trial.seed,
    startedAt: window?.startedAt ?? isoTime(),
    windowSeconds: summary.windowSeconds,
    operations: operationResults(summary, treatment.settings),
    lifecycle: { ...summary.lifecycle, ...outcome.ending?.lifecycle },
    integrity: outcome.ending?.integrity ?? null,
    database,
    client: window?.client ?? null,
    ...(machine && { machine }),
    ...(servers.length > 0 && { servers }),
    ...(notAssessed.length > 0 && { notAssessed }),
    ...splitOf(endpoints),
    ...(status === "complete" && {
      steadyState: outcome.series.steadyState(summary.windowSeconds, treatment.settings),
      ...(stall && { stall }),
    }),
    clampedSamples: summary.clampedSamples,
    ...(outcome.faults.length > 0 && { faults: outcome.faults }),
    status,
    ...(reason !== undefined && { reason }),
  };
}
