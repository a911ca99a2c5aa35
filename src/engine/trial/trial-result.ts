// The result of a trial from what its phases measured; a trial that was cut short is stated with what there is, marked.
import { NULL_SPANS } from "../../results/result-schema.js";
import { workloadOf } from "../../workloads/registry.js";
import { isoTime } from "../../foundation/clock.js";
import type { TrainSimError } from "../../foundation/errors.js";
import type { AuditOutcome } from "../../workloads/workload.js";
import type { WindowSummary } from "../../metrics/totals.js";
import type { WorkerTallies } from "../../metrics/worker-tallies.js";
import { endpointResults, endpointSplitOf } from "../../results/endpoint-results.js";
import { operationResults, addLossCounts } from "../../results/operation-results.js";
import {
  integrityOf,
  type Integrity,
  type LifecycleResult,
  type OperationResults,
  type StatementPlan,
  type TrialAgent,
  type TrialResult,
} from "../../results/result-schema.js";
import { workerResults } from "../../results/worker-results.js";
import type { TreatmentSettings } from "../../scenario/settings.js";
import type { Endpoint } from "../../database/endpoint.js";
import { databaseOfDialect } from "../../database/registry.js";
import type { TrialEvidence } from "../evidence/evidence.js";
import { strategyOf } from "../../pools/registry.js";
import { foreignNotAssessed } from "../evidence/foreign-work.js";
import type { PlansReading } from "../evidence/plan-watch.js";
import type { MeasuredWindow } from "./measured-window.js";
import type { SecondSeries } from "./second-series.js";
import type { EnvironmentReadings } from "../evidence/surroundings.js";
import type { Fleet } from "../workers/fleet.js";
import type { TrialFaults } from "./trial-faults.js";
import type { TrialInputs } from "./trial-parts.js";

/** What was found after the load had ended. */
export interface TrialEnding {
  readonly integrity: Integrity;
  readonly lifecycle: Pick<LifecycleResult, "passesPerEvent" | "drainSeconds">;
}

/** The ending of a trial; `drainSeconds` is undefined if the queue was not emptied. */
export function endingOf(
  { findings, passesPerEvent }: AuditOutcome,
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

export type TrialFacts = Partial<
  Pick<
    TrialResult,
    | "startedAt"
    | "client"
    | "workers"
    | "agents"
    | "endpoints"
    | "regions"
    | "database"
    | "faults"
    | "notAssessed"
  >
>;

/** Facts that workers report. `endpoints` are the clients' endpoints as results name them. */
export function loadFacts(
  fleet: Fleet,
  workers: WorkerTallies,
  endpoints: readonly Endpoint[],
  settings: TreatmentSettings,
): TrialFacts {
  return {
    workers: workerResults(fleet.assignments, workers, endpoints, settings),
    agents: agentResults(fleet, () => undefined),
    ...endpointSplitOf(endpointResults(endpoints, fleet.endpointDeltas, settings)),
  };
}

/** Parts of a trial whose window was measured. */
interface MeasuredParts {
  readonly fleet: Fleet;
  readonly evidence: TrialEvidence;
  readonly faults: TrialFaults;
  readonly window: MeasuredWindow;
  readonly workers: WorkerTallies;
  readonly poolerSettings: Readonly<Record<string, string>>;
  readonly summary: WindowSummary;
}

/** Facts of the window; computed after everything is closed. */
export function windowFacts({ trial, treatment }: TrialInputs, measured: MeasuredParts): TrialFacts {
  const { fleet, window, evidence, faults, workers, summary } = measured;
  const { pool } = treatment.settings;
  const client = window.client(fleet);
  const done = {
    workload: workloadOf(treatment.settings),
    operations: summary.operations,
    serverTransactions: workers.serverTransactions,
    poolerTransactions: strategyOf(pool).ownTransactions?.(pool, measured.poolerSettings) ?? 0,
    // The clients of both trials of a duet run in this process, so neither trial's CPU time is known.
    clientCpuSeconds: trial.duet ? undefined : client?.cpuSeconds,
  };
  const database = evidence.result(done);
  const { foreignSources } = databaseOfDialect(treatment.settings.dialect).evidence;
  return {
    startedAt: window.startedAt,
    client,
    agents: agentResults(fleet, (own) => window.accountedRatio(fleet, own)),
    database,
    faults: faults.records(summary.windowSeconds),
    notAssessed: foreignNotAssessed(database, done, foreignSources),
  };
}

function agentResults(
  { agents }: Fleet,
  accountedRatioOf: (workers: readonly number[]) => number | undefined,
): TrialAgent[] {
  return agents.map(({ workers, ...agent }) => {
    const accountedRatio = accountedRatioOf(workers);
    return { ...agent, workers: workers.length, ...(accountedRatio !== undefined && { accountedRatio }) };
  });
}

interface TrialOutcome {
  readonly facts: TrialFacts;
  readonly summary: WindowSummary;
  readonly series: SecondSeries;
  readonly plans: PlansReading;
  /** The ending; undefined if the tables could not be read. */
  readonly ending: TrialEnding | undefined;
  readonly failure: TrainSimError | undefined;
  readonly surroundings: EnvironmentReadings;
  readonly stopReason: string | undefined;
  readonly serverClockStepMs: number;
}

/** The plans of statements that committed transactions sent; other plans are left out. */
function plansOfSentStatements(
  plans: readonly StatementPlan[],
  operations: OperationResults,
): StatementPlan[] {
  const sentStatements = Object.values(operations).flatMap(({ parts = [] }) => parts.map(({ name }) => name));
  return plans.filter(({ statement }) => sentStatements.includes(statement));
}

export function trialResult({ trial, treatment }: TrialInputs, outcome: TrialOutcome): TrialResult {
  const { facts, summary, failure, surroundings, series } = outcome;
  const { settings } = treatment;
  const { agents = [], faults = [], endpoints, regions } = facts;
  const reason = failure?.message ?? outcome.stopReason;
  const status = failure ? "failed" : reason === undefined ? "complete" : "partial";
  const { machine, serverRecords: servers } = surroundings;
  const notAssessed = [
    ...surroundings.notAssessed,
    ...outcome.plans.notAssessed,
    ...(status === "complete" ? (facts.notAssessed ?? []) : []),
  ];
  const integrity = outcome.ending?.integrity ?? null;
  const operations = addLossCounts(operationResults(summary, settings), [integrity], settings);
  const plans = plansOfSentStatements(outcome.plans.plans, operations);
  const stall = series.stall(summary.windowSeconds, settings);
  return {
    index: trial.block,
    number: trial.number,
    block: trial.block,
    seed: trial.seed,
    ...(trial.duet && { duet: trial.duet }),
    startedAt: facts.startedAt ?? isoTime(),
    windowSeconds: summary.windowSeconds,
    operations,
    lifecycle: { ...NULL_SPANS, ...summary.lifecycle, ...outcome.ending?.lifecycle },
    integrity,
    database: facts.database ?? {},
    ...(plans.length > 0 && { plans }),
    client: facts.client ?? null,
    ...(machine && { machine }),
    ...(servers.length > 0 && { servers }),
    ...(outcome.serverClockStepMs > 0 && { serverClockStepMs: outcome.serverClockStepMs }),
    ...(notAssessed.length > 0 && { notAssessed }),
    workers: facts.workers ?? [],
    ...(agents.length > 0 && { agents }),
    ...(endpoints && { endpoints }),
    ...(regions && { regions }),
    ...(status === "complete" && {
      steadyState: series.steadyState(summary.windowSeconds, settings),
      ...(stall && { stall }),
    }),
    clampedSamples: summary.clampedSamples,
    ...(faults.length > 0 && { faults }),
    status,
    ...(reason !== undefined && { reason }),
  };
}
