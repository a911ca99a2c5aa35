// `result.json`. One strict zod schema makes the types, checks documents, and gives the JSON Schema.
import * as z from "zod";
import {
  AUDITED_METRICS,
  COUNTERS,
  DEVIATIONS,
  LATENCIES,
  type AuditedField,
  type CounterField,
  type DeviationField,
  type LatencyField,
  type ConditionalField,
} from "../metrics/metric-lists.js";
import type { Metric } from "../metrics/catalogue.js";
import { Capacity } from "./capacity-schema.js";
import {
  OperationName,
  Comparison,
  Effect,
  Interaction,
  MetricSummary,
  OutlyingTrial,
  Sweep,
  TreatmentId,
  StoppingResult,
} from "./comparison-schema.js";
import {
  GeneratorCeiling,
  ClientEvidence,
  Finding,
  MachineEvidence,
  Stall,
  SteadyState,
  ThresholdResult,
  Validity,
} from "./diagnosis-schema.js";

import { EndpointResult, RegionResult } from "./endpoint-schema.js";
import { DatabaseEvidence, LatencyPart, StatementPlan } from "./evidence-schema.js";
import { FaultRecord } from "./fault-schema.js";
import { Integrity } from "./integrity-schema.js";
import { LatencyOrNull, LatencySummary } from "./latency-schema.js";
import { PublishedResult } from "./published-schema.js";
import { LIFE_STAGES } from "../workloads/registry.js";
import { NotAssessed, TrialServer } from "./server-schema.js";
import { WorkloadResult } from "./vocabulary.js";
import { WorkerResult } from "./worker-schema.js";

export { METRIC_ASPECTS, type Aspect } from "../metrics/catalogue.js";
export * from "./comparison-schema.js";
export * from "./diagnosis-schema.js";
export * from "./endpoint-schema.js";
export * from "./evidence-schema.js";
export * from "./fault-schema.js";
export * from "./integrity-schema.js";
export * from "./published-schema.js";
export * from "./server-schema.js";

/** Raised when a field changes its meaning or goes away; a new field alone does not raise it. */
export const RESULT_VERSION = 2;

const count = z.int().min(0);
const amount = z.number().min(0);

function fieldOf({ presence, help = "" }: Metric, value: z.ZodType): z.ZodType {
  return (presence ? value.optional() : value).describe(help);
}

const counters = Object.fromEntries(
  COUNTERS.map((metric) => [metric.field, fieldOf(metric, metric.unit === "ms" ? amount : count)]),
) as Record<Exclude<CounterField, ConditionalField>, typeof amount> &
  Record<Extract<CounterField, ConditionalField>, z.ZodOptional<typeof amount>>;

const latencies = Object.fromEntries(
  LATENCIES.map((metric) => [
    metric.field,
    fieldOf(metric, "presence" in metric ? LatencySummary : LatencyOrNull),
  ]),
) as Record<Exclude<LatencyField, ConditionalField>, typeof LatencyOrNull> &
  Record<Extract<LatencyField, ConditionalField>, z.ZodOptional<typeof LatencySummary>>;

const deviations = Object.fromEntries(
  DEVIATIONS.map((metric) => [metric.field, fieldOf(metric, amount)]),
) as Record<DeviationField, z.ZodOptional<typeof amount>>;

const audited = Object.fromEntries(
  AUDITED_METRICS.map((metric) => [metric.field, fieldOf(metric, count)]),
) as Record<AuditedField, z.ZodOptional<typeof count>>;

export const OperationResult = z.strictObject({
  ...counters,
  transactionsPerSecond: amount,
  eventsPerSecond: amount,
  ...latencies,
  ...deviations,
  ...audited,
  retries: count.describe("Attempts that failed and were tried again"),
  retriesBySqlstate: z.record(z.string(), count),
  failures: z.record(z.string(), count).describe("Failed transactions, by SQLSTATE"),
  parts: z.array(LatencyPart).optional().describe("Where the response time went, in order"),
  slowTransactions: count
    .optional()
    .describe("The slowest of each second and worker: `slowMeanMs` is over these"),
  clients: count.optional(),
  threads: count.optional(),
});
export type OperationResult = z.infer<typeof OperationResult>;

export const OperationResults = z.record(OperationName, OperationResult);
export type OperationResults = z.infer<typeof OperationResults>;

const SPAN_SCHEMAS = Object.fromEntries(
  LIFE_STAGES.map(({ stage, span }) => [`${stage}Ms`, LatencyOrNull.optional().describe(span)]),
) as Record<`${(typeof LIFE_STAGES)[number]["stage"]}Ms`, z.ZodOptional<typeof LatencyOrNull>>;

export const LifecycleResult = z.strictObject({
  ...SPAN_SCHEMAS,
  passesPerEvent: amount.optional().describe("Process passes of an event that reached its end"),
  drainSeconds: amount.optional().describe("From the end of the load until the queue was empty"),
});
export type LifecycleResult = z.infer<typeof LifecycleResult>;
/** Spans of a result in which nothing reached any stage: all null. */
export const NULL_SPANS = Object.fromEntries(Object.keys(SPAN_SCHEMAS).map((field) => [field, null])) as {
  [Field in keyof typeof SPAN_SCHEMAS]: null;
};

const split = {
  endpoints: z
    .array(EndpointResult)
    .optional()
    .describe("Where clients connect to more than one, or to one with a region; in the order of the list"),
  regions: z.array(RegionResult).optional().describe("The endpoints of each region, where one is named"),
};

/** An agent: a process that ran workers of the trial for the coordinator, which wrote this document. */
export const TrialAgent = z.strictObject({
  name: z.string(),
  workers: count,
  cpuSeconds: amount.optional().describe("Of its process within the window"),
  accountedRatio: amount.optional().describe("Accounted time of its clients over clients x window"),
  clock: z.strictObject({
    offsetMs: z.number().describe("What its monotonic clock lacks to the coordinator's, at the end"),
    errorMs: amount.describe("Bound of the error with which it followed the coordinator's, at worst"),
    driftPpm: z.number().describe("By how much its clock is slower than the coordinator's"),
  }),
});
export type TrialAgent = z.infer<typeof TrialAgent>;

const Entry = z.record(z.string(), z.json());

export const TrialResult = z.strictObject({
  index: count.describe("Position among the trials of its treatment, from 0"),
  number: z.int().min(1).describe("Position in the experiment, from 1"),
  block: count,
  seed: count,
  duet: z
    .strictObject({
      server: z.union([z.literal(1), z.literal(2)]).describe("Which of the two servers it ran on"),
      beside: TreatmentId.describe("The treatment on the other one, in the same seconds"),
    })
    .optional(),
  startedAt: z.iso
    .datetime()
    .describe("Start of the measurement window (of the trial, where it never began)"),
  windowSeconds: amount,
  operations: OperationResults,
  lifecycle: LifecycleResult,
  integrity: Integrity.nullable().describe("Null where the tables could not be read"),
  database: DatabaseEvidence,
  plans: z.array(StatementPlan).optional().describe("Of the statements that ran in the window"),
  client: ClientEvidence.nullable(),
  machine: MachineEvidence.optional().describe("Where the platform tells"),
  servers: z.array(TrialServer).optional().describe("What clients connected to, one for each endpoint"),
  serverClockStepMs: amount
    .optional()
    .describe("By how much the server's clock was set during the trial; left out if it was not"),
  notAssessed: z.array(NotAssessed).optional().describe("Disturbances that could not be looked for, and why"),
  steadyState: SteadyState.optional(),
  stall: Stall.optional().describe("The operation that stood still the longest; absent where none did"),
  diagnosis: z.array(Finding).optional().describe("Why its numbers must not be used, or only with care"),
  workers: z
    .array(WorkerResult)
    .optional()
    .describe("What each worker thread did; it adds up to `operations`"),
  agents: z.array(TrialAgent).optional().describe("Where the workers ran, unless in the coordinator itself"),
  ...split,
  clampedSamples: count.optional().describe("Samples below 0 or above 7 days, recorded at that bound"),
  faults: z
    .array(FaultRecord)
    .optional()
    .describe("What was broken in it, in the order in which it happened"),
  status: z.enum(["complete", "partial", "failed"]),
  reason: z.string().optional().describe("Why it is not complete"),
});
export type TrialResult = z.infer<typeof TrialResult>;

export const MergedResult = z.strictObject({
  trials: count,
  windowSeconds: amount.describe("Of all these trials together"),
  operations: OperationResults,
  lifecycle: LifecycleResult,
  ...split,
});
export type MergedResult = z.infer<typeof MergedResult>;

export const TreatmentResult = z.strictObject({
  id: TreatmentId,
  levels: z.record(z.string(), z.string()),
  trials: z.array(TrialResult),
  merged: MergedResult.nullable().describe(
    "Complete trials taken together, percentiles from merged histograms",
  ),
  ceiling: GeneratorCeiling.optional(),
  summary: z.array(MetricSummary).optional().describe("What its trials show one by one"),
  sameAs: TreatmentId.optional().describe("The first treatment with the same settings: an A/A pair"),
});
export type TreatmentResult = z.infer<typeof TreatmentResult>;

export const Environment = z.strictObject({
  versions: z.record(z.string(), z.string()),
  settings: z.record(z.string(), z.string()),
  machine: z.record(z.string(), z.union([z.string(), z.number()])),
});
export type Environment = z.infer<typeof Environment>;

export const Verdict = z.strictObject({
  status: z.enum(["complete", "aborted"]),
  reasons: z.array(z.string()).describe("Why it was aborted"),
  counts: Validity.describe("Of what was counted: transactions, events, failures, what the audit found"),
  timings: Validity.describe("Of latencies and rates"),
});
export type Verdict = z.infer<typeof Verdict>;

export const ResultDocument = z
  .strictObject({
    version: z.literal(RESULT_VERSION),
    scenario: z.strictObject({
      name: z.string(),
      seed: count,
      trials: count.describe("Planned, over all treatments"),
      trialOrder: z.array(TreatmentId).describe("Treatment of each planned trial, in their order"),
      yaml: z.string().describe("As resolved: running it again repeats the experiment"),
    }),
    workload: WorkloadResult,
    environment: Environment,
    verdict: Verdict,
    stopping: StoppingResult.optional(),
    thresholds: z.array(ThresholdResult).optional(),
    published: z.array(PublishedResult).optional().describe("Figures of others beside ours"),
    treatments: z.array(TreatmentResult),
    comparisons: z.array(Comparison),
    effects: z.array(Effect).optional(),
    interactions: z.array(Interaction).optional(),
    sweeps: z.array(Sweep).optional(),
    outlyingTrials: z.array(OutlyingTrial).optional(),
    capacity: z
      .array(Capacity)
      .optional()
      .describe("Of a search for capacity, whose trials confirm its rate"),
    diagnosis: z.array(Entry),
    faults: z.array(FaultRecord).describe("Those of all trials"),
  })
  .describe("Result of a train-sim experiment");
export type ResultDocument = z.infer<typeof ResultDocument>;

export function resultJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(ResultDocument);
}
