// A small result document with round numbers: two treatments with `trials` trials each, of which the second is slower by a
// known factor.
import type { LatencySummary } from "../../src/metrics/histograms.js";
import type { AuditFacts } from "../../src/workloads/train-events/model/conservation.js";
import type { DiagnosisSettings } from "../../src/scenario/judgement.js";
import {
  RESULT_VERSION,
  type Integrity,
  type OperationResult,
  type ResultDocument,
  type TrialResult,
} from "../../src/results/result-schema.js";
import { workloadResult } from "../../src/results/vocabulary.js";
import { workloadOf } from "../../src/workloads/registry.js";

/** The result's workload, which is Train Events. */
export const EXAMPLE_WORKLOAD: ResultDocument["workload"] = workloadResult(workloadOf({}));

export function exampleLatency(mean: number): LatencySummary {
  return {
    mean,
    p50: mean * 0.9,
    p90: mean * 1.5,
    p95: mean * 2,
    p99: mean * 3,
    p999: mean * 4,
    max: mean * 5,
  };
}

export function exampleOperation(meanMs: number, trials = 1): OperationResult {
  const transactions = 300 * trials;
  const windowSeconds = 30 * trials;
  return {
    transactions,
    events: transactions * 50,
    transactionsPerSecond: transactions / windowSeconds,
    eventsPerSecond: (transactions * 50) / windowSeconds,
    responseTimeMs: exampleLatency(meanMs),
    serviceTimeMs: exampleLatency(meanMs),
    poolWaitMs: exampleLatency(0.1),
    retries: 0,
    retriesBySqlstate: {},
    failures: {},
    emptyPolls: 0,
    emptyPollTotalMs: 0,
    clients: 8,
    threads: 1,
  };
}

/** Bounds that a scenario without `diagnosis` has. The check of the ceiling is off, since no ceiling is measured. */
export const EXAMPLE_BOUNDS: DiagnosisSettings = {
  ceiling: false,
  maxEventLoopDelayMs: 50,
  maxWorkerUtilization: 0.95,
  maxUnaccountedRatio: 0.02,
  maxDroppedRatio: 0.01,
  maxClockStepMs: 100,
  maxAgentClockErrorMs: 2,
  maxRetriesPerTransaction: 1,
  maxStealRatio: 0.05,
  maxOtherCpuRatio: 0.2,
  maxStalledRatio: 0.25,
  maxOtherIoRatio: 0.2,
  maxForeignSessions: 0.5,
  maxForeignTransactionRatio: 0.1,
};

const EXAMPLE_VALIDATED = { made: 150, claimed: 300, audited: 0 };
const EXAMPLE_CHECKS = { reads: { sampled: 0, verified: 0 }, claims: { sampled: 30, verified: 29 } };

export const EXAMPLE_INTEGRITY: Integrity = {
  ...{ verdict: "ok", published: 15000, pending: 0, processing: 0, complete: 0, failed: 0, archived: 15000 },
  ...{ lost: 0, duplicated: 0, inDoubt: 0, unexpected: 0, orphaned: 0, violations: [], drained: true },
  ...{ inDoubtFound: 0, torn: 0, changed: 0, illegal: 0, resurrected: 0, documentsChecked: 15000, named: [] },
  ...{ undone: 0, unexplained: 0, misread: 0, misclaimed: 0, checks: EXAMPLE_CHECKS },
  ...{ invalid: 0, validated: EXAMPLE_VALIDATED },
};

/** Facts of an audit of `published` events without violations. */
export function exampleFacts(published: number): AuditFacts {
  return {
    ...{ published, inDoubt: 0, inDoubtFound: 0, documentsChecked: published },
    ...{ named: [], notAudited: [], checks: EXAMPLE_CHECKS, validated: EXAMPLE_VALIDATED },
    ...{ losses: [], explained: { lost: 0, undone: 0 } },
    terms: { spans: [], isAllowed: false, windowStartMs: undefined },
    found: {
      ...{ lost: 0, unexpected: 0, torn: 0, duplicated: 0 },
      ...{ orphaned: 0, changed: 0, illegal: 0, resurrected: 0, undone: 0, unexplained: 0 },
      ...{ invalid: 0, misread: 0, misclaimed: 0 },
    },
  };
}

const VALID = { isValid: true, reasons: [] };
export const EXAMPLE_VERDICT: ResultDocument["verdict"] = {
  ...{ status: "complete", reasons: [], counts: VALID, timings: VALID },
};

/** Verdict on a run whose timings are not valid, for these reasons. */
export function exampleDisturbance(...reasons: string[]): ResultDocument["verdict"] {
  return { ...EXAMPLE_VERDICT, timings: { isValid: false, reasons } };
}

export function exampleTrial(index: number, number: number, meanMs: number): TrialResult {
  return {
    index,
    number,
    block: index,
    seed: 42 + index,
    startedAt: "2026-01-31T12:00:00.000Z",
    windowSeconds: 30,
    operations: { add: exampleOperation(meanMs), process: exampleOperation(meanMs * 2) },
    lifecycle: { completedMs: exampleLatency(100), archivedMs: null },
    integrity: EXAMPLE_INTEGRITY,
    database: { walBytes: 123_456 },
    client: { cpuSeconds: 3.5, eventLoopDelayP99Ms: 11.2 },
    status: "complete",
  };
}

/**
 * A result with trials of jsonb and text. In block b an add takes 10 + b ms with jsonb, and `slowdown` times as long with
 * text.
 */
export function exampleResult(trials = 3, slowdown = 2): ResultDocument {
  const blocks = Array.from({ length: trials }, (_, block) => block);
  const treatment = (id: string, factor: number, offset: number): ResultDocument["treatments"][number] => ({
    id,
    levels: { payload: id },
    trials: blocks.map((block) => exampleTrial(block, block * 2 + offset, (10 + block) * factor)),
    merged: {
      trials,
      windowSeconds: 30 * trials,
      operations: {
        add: exampleOperation(11 * factor, trials),
        process: exampleOperation(22 * factor, trials),
      },
      lifecycle: { completedMs: exampleLatency(100), archivedMs: null },
    },
  });
  return {
    version: RESULT_VERSION,
    scenario: {
      name: "payload-storage",
      seed: 42,
      trials: trials * 2,
      trialOrder: ["jsonb", "text"].flatMap((id) => Array<string>(trials).fill(id)),
      yaml: "name: payload-storage\n",
    },
    workload: structuredClone(EXAMPLE_WORKLOAD),
    environment: {
      versions: { trainSim: "0.1.0", database: "PostgreSQL 18.0" },
      settings: { shared_buffers: "256MB" },
      machine: { cpus: 2 },
    },
    verdict: structuredClone(EXAMPLE_VERDICT),
    treatments: [treatment("jsonb", 1, 1), treatment("text", slowdown, 2)],
    comparisons: [],
    diagnosis: [],
    faults: [],
  };
}
