// The record of one fault. Only faults whose injection began are listed; docs/reference/faults.md describes the kinds.
import * as z from "zod";
import { FAULT_KINDS } from "../faults/registry.js";
import { BACKLOG_METRICS, type BacklogName } from "../workloads/evidence.js";

const seconds = z.number().min(0);
const events = z.int().min(0);

const BacklogRecovery = z.strictObject({
  before: events.optional().describe("The most that were open in the last ten undisturbed samples before it"),
  most: events.optional().describe("The most that were open since its injection, until they were back"),
  recoverySeconds: seconds
    .nullable()
    .describe(
      "From its clearing until no more were open than before, as precise as the samples; 0 if there never were; null " +
        "where not assessed",
    ),
  recoveryReason: z.string().optional().describe("Why it was not assessed"),
});
export type BacklogRecovery = z.infer<typeof BacklogRecovery>;

const backlogs = Object.fromEntries(
  BACKLOG_METRICS.map(({ backlog, meaning }) => [backlog, BacklogRecovery.describe(meaning)]),
) as Record<BacklogName, typeof BacklogRecovery>;

export const FaultRecord = z.strictObject({
  trial: z.int().min(1).describe("Its number in the experiment"),
  treatment: z.string(),
  kind: z.enum(FAULT_KINDS),
  atSeconds: seconds.describe("As the scenario asks, from the start of the window, as all of these"),
  forSeconds: seconds.describe("As the scenario asks; 0 for as long as it takes"),
  injectedAtSeconds: seconds.describe("Its injection began"),
  clearedAtSeconds: seconds.nullable().describe("It was gone; null where that failed"),
  recoverySeconds: seconds
    .nullable()
    .describe(
      "From its clearing until throughput was back to 90 % of before, with a second's precision; null where not " +
        "assessed",
    ),
  recoveryReason: z.string().optional().describe("Why it was not assessed"),
  backlog: z
    .strictObject(backlogs)
    .partial()
    .optional()
    .describe("Open events by where they wait; absent where not sampled"),
  errors: z
    .record(z.string(), z.int().min(0))
    .describe(
      "Failed attempts of the load by SQLSTATE while it was there and until the load had recovered, or the next one " +
        "began; what two faults share is counted in both",
    ),
  words: z.string().describe("What was done, as `ended 8 sessions of the load`"),
  mayLose: z
    .strictObject({
      sinceSeconds: seconds,
      untilSeconds: seconds,
      endpoint: z
        .int()
        .min(0)
        .optional()
        .describe("Place in `endpoints` of the only one that this is true of; absent where it is of all"),
    })
    .optional()
    .describe(
      "What the server acknowledged within it may be lost by this fault; absent where nothing may be",
    ),
});
export type FaultRecord = z.infer<typeof FaultRecord>;
