// The result document, `result.json`: everything numeric that an experiment found, in a versioned shape that
// other programs may rely on. One zod schema makes the TypeScript types, checks what is written and what is read
// back, and gives the JSON Schema. It is strict: a field that is not described here is an error, not an extra.
import { z } from "zod";
import type { Conservation } from "../model/conservation.js";
import { OPERATIONS } from "../metrics/operations.js";

/** Raised when a field changes its meaning or goes away; a new field alone does not raise it. */
export const RESULT_VERSION = 1;

const count = z.int().min(0);
const amount = z.number().min(0);

const TreatmentId = z.string().min(1).max(200);

export const LatencySummary = z
  .strictObject({
    mean: amount,
    p50: amount,
    p90: amount,
    p95: amount,
    p99: amount,
    p999: amount,
    max: amount,
  })
  .describe("Milliseconds, from the merged HdrHistogram of all clients");

const Latency = LatencySummary.nullable().describe("Null where there are no samples");

export const OperationResult = z.strictObject({
  transactions: count.describe("Committed in the measurement window"),
  events: count,
  transactionsPerSecond: amount,
  eventsPerSecond: amount,
  responseTimeMs: Latency,
  serviceTimeMs: Latency,
  poolWaitMs: Latency,
  failedTimeMs: LatencySummary.optional().describe("Service time of transactions that were given up"),
  startDelayMs: LatencySummary.optional().describe("Open loop only"),
  offered: amount.optional().describe("Open loop only: arrivals asked for"),
  dropped: count.optional().describe("Open loop only: arrivals that no client was free for"),
  retries: count.describe("Attempts that failed and were tried again"),
  retriesBySqlstate: z.record(z.string(), count),
  failures: z.record(z.string(), count).describe("Transactions given up, by SQLSTATE"),
  emptyPolls: count.describe("Transactions that found nothing to do; not counted above"),
  emptyPollTotalMs: amount,
  clients: count.optional(),
  threads: count.optional(),
});
export type OperationResult = z.infer<typeof OperationResult>;

export const OperationResults = z.partialRecord(z.enum(OPERATIONS), OperationResult);
export type OperationResults = z.infer<typeof OperationResults>;

export const LifecycleResult = z.strictObject({
  completedMs: Latency.describe("Publish commit to completion commit"),
  archivedMs: Latency.describe("Publish commit to archive commit"),
});
export type LifecycleResult = z.infer<typeof LifecycleResult>;

export const Integrity = z.strictObject({
  verdict: z.enum(["ok", "violated"]),
  published: count,
  pending: count,
  processing: count,
  complete: count,
  failed: count,
  archived: count,
  lost: count,
  duplicated: count,
  inDoubt: count,
  unexpected: count,
  orphaned: count,
  violations: z.array(z.string()),
  drained: z.boolean().describe("The queue was emptied within the bound before the tables were read"),
});
export type Integrity = z.infer<typeof Integrity>;

const Evidence = z.record(z.string(), z.json());

export const TrialResult = z.strictObject({
  index: count.describe("Position among the trials of its treatment, from 0"),
  number: z.int().min(1).describe("Position in the experiment, from 1"),
  block: count,
  seed: count,
  startedAt: z.iso
    .datetime()
    .describe("Start of the measurement window (of the trial, where it never began)"),
  windowSeconds: amount,
  operations: OperationResults,
  lifecycle: LifecycleResult,
  integrity: Integrity.nullable().describe("Null where the tables could not be read"),
  database: Evidence,
  client: z.strictObject({ cpuSeconds: amount, eventLoopDelayP99Ms: amount }).nullable(),
  clampedSamples: count.optional().describe("Samples below 0 or above 7 days, recorded at that bound"),
  status: z.enum(["complete", "partial", "failed"]),
  reason: z.string().optional().describe("Why it is not complete"),
});
export type TrialResult = z.infer<typeof TrialResult>;

export const MergedResult = z.strictObject({
  trials: count,
  windowSeconds: amount.describe("Of all these trials together"),
  operations: OperationResults,
  lifecycle: LifecycleResult,
});
export type MergedResult = z.infer<typeof MergedResult>;

export const TreatmentResult = z.strictObject({
  id: TreatmentId,
  levels: z.record(z.string(), z.string()),
  trials: z.array(TrialResult),
  merged: MergedResult.nullable().describe(
    "Complete trials taken together, percentiles from merged histograms",
  ),
});
export type TreatmentResult = z.infer<typeof TreatmentResult>;

export const COMPARISON_METRICS = ["mean", "p50", "p95", "p99", "eventsPerSecond"] as const;
export type ComparisonMetric = (typeof COMPARISON_METRICS)[number];

export const Comparison = z.strictObject({
  factor: z.string().describe("The factor whose level differs; several are joined with ' x '"),
  operation: z.enum(OPERATIONS),
  metric: z.enum(COMPARISON_METRICS),
  baseline: TreatmentId,
  treatment: TreatmentId,
  blocks: count.describe("Trials of each that were paired"),
  ratio: amount.describe("Treatment over baseline: median over blocks"),
  ciLow: amount.nullable().describe("95 % bootstrap interval of the ratio; null with fewer than 5 blocks"),
  ciHigh: amount.nullable(),
  pValue: amount.max(1).nullable(),
  pAdjusted: amount.max(1).nullable(),
  verdict: z.enum(["higher", "lower", "indistinguishable", "inconclusive"]),
});
export type Comparison = z.infer<typeof Comparison>;

export const Environment = z.strictObject({
  versions: z.record(z.string(), z.string()),
  settings: z.record(z.string(), z.string()),
  machine: z.record(z.string(), z.union([z.string(), z.number()])),
});
export type Environment = z.infer<typeof Environment>;

export const Verdict = z.strictObject({
  status: z.enum(["ok", "tainted", "aborted"]),
  reasons: z.array(z.string()),
});
export type Verdict = z.infer<typeof Verdict>;

export const ResultDocument = z
  .strictObject({
    version: z.literal(RESULT_VERSION),
    scenario: z.strictObject({
      name: z.string(),
      seed: count,
      trials: count.describe("Planned, over all treatments"),
      yaml: z.string().describe("As resolved: running it again repeats the experiment"),
    }),
    environment: Environment,
    verdict: Verdict,
    treatments: z.array(TreatmentResult),
    comparisons: z.array(Comparison),
    diagnosis: z.array(Evidence),
    faults: z.array(Evidence),
  })
  .describe("Result of a train-sim experiment");
export type ResultDocument = z.infer<typeof ResultDocument>;

export function resultJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(ResultDocument);
}

/** The audit's finding as the result document states it. */
export function integrityOf(conservation: Conservation, drained: boolean): Integrity {
  const { verdict, published, pending, processing, complete, failed, archived } = conservation;
  const { lost, duplicated, inDoubt, unexpected, orphaned, violations } = conservation;
  return {
    ...{ verdict, published, pending, processing, complete, failed, archived },
    ...{ lost, duplicated, inDoubt, unexpected, orphaned, violations: [...violations], drained },
  };
}
