// Derived from stored trials and the seed. Intervals and p-values are null if there are too few trials.
import * as z from "zod";
import {
  comparisonField,
  COMPARISON_METRICS,
  type ComparisonField,
  type ComparisonMetric,
} from "../metrics/metric-lists.js";
import { COMPARISON_VERDICTS } from "../metrics/names.js";
import { OPERATION_NAME, operationsIn } from "../metrics/operations.js";
import { LIFE_STAGES } from "../workloads/registry.js";

export { COMPARISON_METRICS, type ComparisonMetric };

const count = z.int().min(0);
const amount = z.number().min(0);

export const TreatmentId = z.string().min(1).max(200);

export const OperationName = z.string().regex(OPERATION_NAME, "no name of an operation");

const LIFECYCLE_SPANS = LIFE_STAGES.map(({ stage }) => `lifecycle.${stage}`);
export type ComparedOperation = string;

interface TreatmentTrials {
  readonly trials: readonly { readonly operations: Readonly<Record<string, unknown>> }[];
}

/** Compared things: the operations that any trial has, and the two spans of an event's life, which have no throughput. */
export function comparedOperations(treatments: readonly TreatmentTrials[]): ComparedOperation[] {
  return [
    ...operationsIn(treatments.flatMap(({ trials }) => trials.map(({ operations }) => operations))),
    ...LIFECYCLE_SPANS,
  ];
}

const measured = {
  operation: z.union([OperationName, z.enum(LIFECYCLE_SPANS)]),
  metric: z.enum(COMPARISON_METRICS).describe("Of the response time (of the span, in a lifecycle), in ms"),
};

/** A complete trial with 0 events/s, or with a rate beyond a factor of two of its treatment's median. */
export const OutlyingTrial = z.strictObject({
  treatment: TreatmentId,
  trial: z.int().min(1).describe("Its number"),
  operation: OperationName,
  eventsPerSecond: amount,
  median: amount.describe("Of events/s over the treatment's complete trials"),
});
export type OutlyingTrial = z.infer<typeof OutlyingTrial>;

const interval = {
  ciLow: amount.nullable().describe("95 % bootstrap interval; null with fewer than 5 trials"),
  ciHigh: amount.nullable(),
};

export const MetricSummary = z.strictObject({
  ...measured,
  trials: count.describe("Complete trials that have the metric"),
  median: amount.describe("Over these trials"),
  min: amount,
  max: amount,
  ...interval,
});
export type MetricSummary = z.infer<typeof MetricSummary>;

/** Reasons why an experiment that may end early has ended. */
const STOP_REASONS = ["decided", "all-blocks", "budget"] as const;

export type StopReason = (typeof STOP_REASONS)[number];

export const RaceResult = z
  .strictObject({
    objective: z.string().describe("As the scenario says it"),
    best: TreatmentId.optional().describe("At the last look; absent before the first"),
    running: z.array(TreatmentId).describe("Treatments that did not leave"),
    open: z
      .array(TreatmentId)
      .describe("Those of them that are neither surely worse than the best nor the same within the bound"),
    left: z.array(
      z.strictObject({
        treatment: TreatmentId,
        blocks: z.int().min(1).describe("After how many blocks it left"),
        best: TreatmentId.describe("What was best then"),
        ratio: amount.describe("Of the objective, to the best: median over these blocks"),
        ciLow: amount.describe("Interval at the level of that look"),
        ciHigh: amount,
      }),
    ),
  })
  .describe("What treatments left a race, in the order in which they left");
export type RaceResult = z.infer<typeof RaceResult>;

export const StoppingResult = z
  .strictObject({
    min: z.int().min(1).optional().describe("Blocks before the first look; absent without looks"),
    max: z.int().min(1).describe("Planned blocks"),
    within: amount.describe("How near to 1 a ratio is called the same: 0.05 is 5 %"),
    budgetSeconds: amount.optional(),
    looks: z.array(z.int().min(1)).describe("Blocks after which the comparisons were looked at"),
    level: amount
      .max(1)
      .describe("At which the claims of this result are made, so that all looks together stay within 5 %"),
    blocks: count.describe("Blocks with a complete trial"),
    reason: z.enum(STOP_REASONS).optional().describe("Absent where something else ended the run"),
    claims: count.describe("Comparisons that were to be decided").optional(),
    open: count.describe("Those of them that are not").optional(),
    race: RaceResult.optional(),
  })
  .describe("Of an experiment that may end before its last planned block");
export type StoppingResult = z.infer<typeof StoppingResult>;

const finding = {
  blocks: count.describe("Blocks of trials that hold all that is compared"),
  ratio: amount.describe("Median over blocks, without the effect of the trials' places"),
  ...interval,
  test: z
    .enum(["paired", "unpaired"])
    .nullable()
    .optional()
    .describe(
      "Paired: a t-test over blocks; unpaired, of two runs: a permutation test over the trials of both",
    ),
  pValue: amount.max(1).nullable(),
  pAdjusted: amount
    .max(1)
    .nullable()
    .describe("Holm's correction over the same question's alternatives, and for looks"),
  verdict: z
    .enum(COMPARISON_VERDICTS)
    .describe(
      "finding: different, at 5 % over all that is asked of the experiment; exploratory: different by this comparison alone; " +
        "indistinguishable: the same within the margin; inconclusive: no claim. `ratio` says in which direction",
    ),
  objection: z
    .string()
    .optional()
    .describe("Why no measured difference can be a finding: timings or counts of its trials are not valid"),
  familyP: amount
    .max(1)
    .nullable()
    .optional()
    .describe(
      "Corrected over all that is asked of the experiment; null with fewer than 5 blocks, and of p50 and p95",
    ),
};
export const RatioFinding = z.strictObject(finding);
export type RatioFinding = z.infer<typeof RatioFinding>;

export const Comparison = z.strictObject({
  factor: z
    .string()
    .describe("The factor whose level differs; several are joined with ' x '; 'none' for an A/A pair"),
  ...measured,
  baseline: TreatmentId,
  treatment: TreatmentId,
  ...finding,
  zeroAs: z
    .number()
    .positive()
    .optional()
    .describe("The number that the ratio takes for a value of 0; left out if no trial has one"),
  because: z
    .array(z.string())
    .optional()
    .describe("Where it is a difference: the evidence that moved most with it, in sentences"),
});
export type Comparison = z.infer<typeof Comparison>;

export const Effect = z
  .strictObject({
    factor: z.string(),
    baselineLevel: z.string(),
    level: z.string(),
    combinations: count.describe("Of the other factors' levels, over which the geometric mean is taken"),
    ...measured,
    ...finding,
  })
  .describe("Marginal effect of a factor's level");
export type Effect = z.infer<typeof Effect>;

export const Interaction = z
  .strictObject({
    factor: z.string(),
    baselineLevel: z.string(),
    level: z.string(),
    otherFactor: z.string(),
    otherBaselineLevel: z.string(),
    otherLevel: z.string(),
    combinations: count,
    ...measured,
    ...finding,
  })
  .describe("By which factor a level's ratio to its baseline level differs between two levels of another");
export type Interaction = z.infer<typeof Interaction>;

const Spread = z.strictObject({ median: amount, ...interval }).nullable();
/** Schemas of the spreads of metrics that not every operation has. */
const spreadSchemas = Object.fromEntries(
  COMPARISON_METRICS.map((metric) => [comparisonField(metric), Spread.optional()]),
) as Record<ComparisonField, z.ZodOptional<typeof Spread>>;
const Estimate = z.strictObject({ value: amount, low: amount, high: amount });
export type Estimate = z.infer<typeof Estimate>;

export const UslFit = z
  .discriminatedUnion("status", [
    z.strictObject({
      status: z.literal("fitted"),
      lambda: Estimate.describe("Events per second of one client alone"),
      sigma: Estimate.describe("Contention"),
      kappa: Estimate.describe("Coherency"),
      peakClients: Estimate.nullable().describe("Clients at which throughput is highest"),
      peakReason: z.string().optional().describe("Why there is no peak"),
      rSquared: z.number().max(1),
    }),
    z.strictObject({ status: z.literal("refused"), reason: z.string() }),
  ])
  .describe(
    "X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)), with 95 % bootstrap intervals over blocks",
  );
export type UslFit = z.infer<typeof UslFit>;

export const Sweep = z.strictObject({
  factor: z.string().describe("The factor that gives the number of clients"),
  levels: z.record(z.string(), z.string()).describe("Of the other factors, the same at every point"),
  operation: OperationName,
  points: z.array(
    z.strictObject({
      clients: z.int().min(1),
      treatment: TreatmentId,
      trials: count,
      ...spreadSchemas,
    }),
  ),
  usl: UslFit,
});
export type Sweep = z.infer<typeof Sweep>;
