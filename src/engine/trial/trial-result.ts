// What a trial came to, as the result document states it: what was counted and timed, what the tables held, what the
// generator and the machine did meanwhile, whether the window was steady.
// It measures nothing; a trial that was cut short is stated with what there is, marked.
import { NO_SPANS } from "../../results/result-schema.js";
import { workloadOf } from "../../workloads/registry.js";
import { isoTime } from "../../foundation/clock.js";
import type { TrainSimError } from "../../foundation/errors.js";
import type { Audited } from "../../workloads/workload.js";
import type { WindowSummary } from "../../metrics/totals.js";
import type { WorkerTallies } from "../../metrics/worker-tallies.js";
import { endpointResults, splitOf } from "../../results/endpoint-results.js";
import { operationResults, withLosses } from "../../results/operation-results.js";
import {
  integrityOf,
  type Integrity,
  type LifecycleResult,
  type OperationResults,
  type StatementPlan,
  type TrialAgent,
  type TrialResult,
} from "../../results/result-schema.js";
import type { TrialFiles } from "../../results/trial-files.js";
import { workerResults } from "../../results/worker-results.js";
import type { TreatmentSettings } from "../../scenario/settings.js";
import type { Endpoint } from "../../database/endpoint.js";
import { databaseSpeaking } from "../../database/registry.js";
import type { TrialEvidence } from "../evidence/evidence.js";
import { strategyOf } from "../../pools/registry.js";
import { foreignNotAssessed } from "../evidence/foreign-work.js";
import { NO_PLANS, type PlansRead } from "../evidence/plan-watch.js";
import type { MeasuredWindow } from "./measured-window.js";
import type { SecondSeries } from "./second-series.js";
import type { Surroundings } from "../evidence/surroundings.js";
import type { Fleet } from "../workers/fleet.js";
import type { TrialFaults } from "./trial-faults.js";
import type { TrialInputs } from "./trial-parts.js";

/** What was found once the load had ended. */
export interface TrialEnding {
  readonly integrity: Integrity;
  readonly lifecycle: Pick<LifecycleResult, "passesPerEvent" | "drainSeconds">;
}

/** `drainSeconds` are undefined where the queue was not emptied. */
export function endingOf(
  { findings, passesPerEvent }: Audited,
  drainSeconds: number | undefined,
  { integrity }: Pick<TreatmentSettings, "integrity">,
): TrialEnding {
  return {
    integrity: integrityOf(findings, drainSeconds !== undefined, integrity.allow),
    lifecycle: {
      ...(passesPerEvent !== undefined && { passesPerEvent }),
      ...(drainSeconds !== undefined && { drainSeconds }),
    },
  };
}

/** What the phases of a trial made that is put away, and stated, at its end. */
export interface Reached {
  fleet: Pick<
    Fleet,
    | "assignments"
    | "account"
    | "usages"
    | "endpointDeltas"
    | "agents"
    | "agentCpuSeconds"
    | "closeLedgers"
    | "terminate"
  >;
  evidence: Pick<TrialEvidence, "result" | "close">;
  window: Pick<
    MeasuredWindow,
    "startedAt" | "seconds" | "isOpen" | "client" | "accountedRatio" | "readClock" | "cutShort"
  >;
  faults: Pick<TrialFaults, "onSecond" | "onEvidence" | "records" | "loss" | "end">;
  files: Pick<TrialFiles, "onSecond" | "onEvidence" | "close">;
  plans: PlansRead;
}

const nothing = (): void => undefined;
const done = (): Promise<undefined> => Promise.resolve(undefined);

/** Until its phase, each part does nothing and states nothing. */
export const NOT_REACHED: Readonly<Reached> = {
  fleet: {
    assignments: [],
    account: { told: [], unclosed: [] },
    usages: new Map(),
    endpointDeltas: [],
    agents: [],
    agentCpuSeconds: 0,
    closeLedgers: done,
    terminate: done,
  },
  evidence: { result: () => ({}), close: done },
  window: {
    get startedAt() {
      return isoTime();
    },
    seconds: 0,
    isOpen: false,
    client: () => null,
    accountedRatio: () => undefined,
    readClock: nothing,
    cutShort: nothing,
  },
  faults: {
    onSecond: nothing,
    onEvidence: nothing,
    records: () => [],
    loss: () => ({ spans: [], windowStartMs: undefined }),
    end: done,
  },
  files: { onSecond: nothing, onEvidence: nothing, close: nothing },
  plans: NO_PLANS,
};

export interface TrialOutcome {
  readonly reached: Reached;
  readonly summary: WindowSummary;
  readonly workers: WorkerTallies;
  readonly series: SecondSeries;
  /** Undefined where the tables could not be read. */
  readonly ending: TrialEnding | undefined;
  readonly failure: TrainSimError | undefined;
  /** Where clients connected, as results name it. */
  readonly endpoints: readonly Endpoint[];
  /** Settings of a user's own pooler, by name, as its console gives them. */
  readonly poolerSettings: Readonly<Record<string, string>>;
  readonly surroundings: Surroundings;
  /** Why it was cut short, unless it failed. */
  readonly stopReason: string | undefined;
  readonly serverClockStepMs: number;
}

/** Of statements that no committed transaction sent, a plan says nothing about what was measured. */
function plansOfRun(plans: readonly StatementPlan[], operations: OperationResults): StatementPlan[] {
  const sent = Object.values(operations).flatMap(({ parts = [] }) => parts.map(({ name }) => name));
  return plans.filter(({ statement }) => sent.includes(statement));
}

function agentResults({ fleet, window }: Reached): TrialAgent[] {
  return fleet.agents.map(({ workers, ...agent }) => {
    const accountedRatio = window.accountedRatio(fleet, workers);
    return {
      ...{ ...agent, workers: workers.length },
      ...(accountedRatio !== undefined && { accountedRatio }),
    };
  });
}

export function trialResult(inputs: TrialInputs, outcome: TrialOutcome): TrialResult {
  const { trial, treatment } = inputs;
  const { summary, failure } = outcome;
  const { window, evidence, fleet, plans: read } = outcome.reached;
  const reason = failure?.message ?? outcome.stopReason;
  const status = failure ? "failed" : reason === undefined ? "complete" : "partial";
  const endpoints = endpointResults(outcome.endpoints, fleet.endpointDeltas, treatment.settings);
  const { machine, serverRecords: servers } = outcome.surroundings;
  const { serverTransactions } = outcome.workers;
  const client = window.client(fleet);
  const agents = agentResults(outcome.reached);
  const faults = outcome.reached.faults.records(summary.windowSeconds);
  const { operations } = summary;
  const workload = workloadOf(treatment.settings);
  const { pool } = treatment.settings;
  const poolerTransactions = strategyOf(pool).ownTransactions?.(pool, outcome.poolerSettings) ?? 0;
  // Of a duet both trials' clients run in this process: whose time it was is not known.
  const clientCpuSeconds = trial.duet ? undefined : client?.cpuSeconds;
  const done = { workload, operations, serverTransactions, poolerTransactions, clientCpuSeconds };
  const database = evidence.result(done);
  const { foreignSources } = databaseSpeaking(treatment.settings.dialect).evidence;
  const notAssessed = [
    ...outcome.surroundings.notAssessed,
    ...read.notAssessed,
    ...(status === "complete" ? foreignNotAssessed(database, done, foreignSources) : []),
  ];
  const integrity = outcome.ending?.integrity ?? null;
  const results = withLosses(operationResults(summary, treatment.settings), [integrity], treatment.settings);
  const plans = plansOfRun(read.plans, results);
  const stall = outcome.series.stall(summary.windowSeconds, treatment.settings);
  return {
    index: trial.block,
    number: trial.number,
    block: trial.block,
    seed: trial.seed,
    ...(trial.duet && { duet: trial.duet }),
    startedAt: window.startedAt,
    windowSeconds: summary.windowSeconds,
    operations: results,
    lifecycle: { ...NO_SPANS, ...summary.lifecycle, ...outcome.ending?.lifecycle },
    integrity,
    database,
    ...(plans.length > 0 && { plans }),
    client,
    ...(machine && { machine }),
    ...(servers.length > 0 && { servers }),
    ...(outcome.serverClockStepMs > 0 && { serverClockStepMs: outcome.serverClockStepMs }),
    ...(notAssessed.length > 0 && { notAssessed }),
    workers: workerResults(fleet.assignments, outcome.workers, treatment.settings),
    ...(agents.length > 0 && { agents }),
    ...splitOf(endpoints),
    ...(status === "complete" && {
      steadyState: outcome.series.steadyState(summary.windowSeconds, treatment.settings),
      ...(stall && { stall }),
    }),
    clampedSamples: summary.clampedSamples,
    ...(faults.length > 0 && { faults }),
    status,
    ...(reason !== undefined && { reason }),
  };
}
