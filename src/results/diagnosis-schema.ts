// Evidence on how far a result can be believed.
import * as z from "zod";
import { METRIC_ASPECTS } from "../metrics/catalogue.js";
import { OperationName } from "./comparison-schema.js";

const amount = z.number().min(0);
const ratio = amount.describe("0 .. 1");

export const ThresholdResult = z.strictObject({
  metric: z.string().describe("With its selector, as written"),
  expression: z.string(),
  treatment: z.string(),
  seen: z.number().nullable().describe("On the merged complete trials; null without samples"),
  ok: z
    .boolean()
    .nullable()
    .describe("null: not assessed, for the reason given; the exit code counts it as failed"),
  against: z
    .string()
    .optional()
    .describe("Of a ratio: the treatment below the line; seen is the median over blocks"),
  blocks: z.int().min(0).optional().describe("Of a ratio: blocks of trials with both sides"),
  ciLow: amount
    .nullable()
    .optional()
    .describe("Of a ratio: 95 % bootstrap interval; null with fewer than 5 blocks"),
  ciHigh: amount.nullable().optional(),
  share: z
    .strictObject({
      count: z.int().min(0),
      all: z.int().min(1),
      unit: z
        .enum(["trial", "transaction", "acknowledgement"])
        .describe("What `all` counts: audited trials, transactions that ended, acknowledged units of work"),
      low: amount.max(1),
      high: amount.max(1),
    })
    .optional()
    .describe(
      "Of a rare count (failures, lost, what an audit finds): its share with the 95 % interval of Clopper and Pearson, " +
        "exact for independent events; of 0 the upper end alone",
    ),
  reason: z.string().optional().describe("Why it was not judged, met by chance, or ended the experiment"),
});
export type ThresholdResult = z.infer<typeof ThresholdResult>;

export const Validity = z.strictObject({
  isValid: z.boolean(),
  reasons: z
    .array(z.string())
    .describe("Why it is not: the worst trial of each finding, and the others by number"),
});
export type Validity = z.infer<typeof Validity>;

export const DIAGNOSIS_CHECKS = [
  "event-loop-delay",
  "worker-utilization",
  "closure",
  "dropped",
  "clock-step",
  "agent-clock",
  "failures",
  "retries",
  "without-rows",
  "steal",
  "other-cpu",
  "load-before",
  "ceiling",
  "outlasted",
  "pending-index-work",
  "new-log-files",
  "stall",
  "late-fault",
  "server-change",
  "table-change",
  "foreign-sessions",
  "foreign-transactions",
  "other-io",
] as const;

export const Finding = z.strictObject({
  check: z.enum(DIAGNOSIS_CHECKS),
  invalidates: z
    .array(z.enum(METRIC_ASPECTS))
    .describe("Aspects of the trial that are not valid; a warning has none"),
  seen: z.number(),
  bound: z.number(),
  words: z.string(),
});
export type Finding = z.infer<typeof Finding>;

export const SteadyState = z.strictObject({
  isSteady: z.boolean().nullable().describe("Null where not assessed"),
  reason: z.string(),
  settledAfterSeconds: amount
    .optional()
    .describe("Where the window is not steady: from this second on it is (MSER-5)"),
});
export type SteadyState = z.infer<typeof SteadyState>;

export const Stall = z.strictObject({
  operation: OperationName,
  seconds: z
    .int()
    .min(1)
    .describe("Whole seconds of the window in which none of it ended, empty polls included"),
  longestSeconds: z.int().min(1).describe("The longest run of them"),
  fromSecond: z.int().min(0).describe("Where that run begins"),
  usualPerSecond: amount.describe("What ended in the median of the other seconds"),
});
export type Stall = z.infer<typeof Stall>;

/** Parts of the clients' time, in milliseconds over all clients, clipped to the window. */
export const AccountedTime = z.strictObject({
  service: amount,
  waiting: amount.describe("Thinking, or waiting for the intended start"),
  idle: amount.describe("After an empty poll"),
  preparing: amount,
  finished: amount.describe("Iteration budget used up"),
});
export type AccountedTime = z.infer<typeof AccountedTime>;

export const ClientEvidence = z.strictObject({
  cpuSeconds: amount,
  eventLoopDelayP99Ms: amount,
  workerUtilization: ratio.optional().describe("Busy share of the busiest worker thread"),
  accountedMs: AccountedTime.optional(),
  accountedRatio: amount.optional().describe("Accounted time over clients x window"),
  clockStepMs: amount.optional().describe("Movement of the wall clock against the monotonic one"),
});

export const MachineEvidence = z.strictObject({
  stealRatio: ratio.describe("Of the CPU time of this program's cores"),
  otherCpuRatio: ratio
    .nullable()
    .describe("Used by programs that are neither train-sim's nor the server; null where not assessed"),
  ioPressureRatio: ratio.optional().describe("Of the window, in which some process waited for storage (PSI)"),
  ioWaitRatio: ratio.optional().describe("Of the CPU time, idle while storage was waited for"),
  ownIoBytes: amount.optional().describe("Moved to and from storage by train-sim and the server"),
  diskIoBytes: amount.optional().describe("Moved by the machine's disks, for all programs"),
  otherIoBytes: amount.optional().describe("Moved by other programs, as far as they can be read"),
});
export type MachineEvidence = z.infer<typeof MachineEvidence>;

export const GeneratorCeiling = z.strictObject({
  clients: z.int().min(1),
  transactionsPerSecond: amount.describe("`select 1` through the same pool, closed loop, no think time"),
});
export type GeneratorCeiling = z.infer<typeof GeneratorCeiling>;
