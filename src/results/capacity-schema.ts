// A rate that is not confirmed is null, never a guess.
import * as z from "zod";
import { OperationName, TreatmentId } from "./comparison-schema.js";

/** Precision of a search whose probes agree: the ratio of the two rates between which it ends, minus 1. */
export const CAPACITY_PRECISION = 0.05;

const amount = z.number().min(0);
const count = z.int().min(0);

export const PROBE_PURPOSES = ["bracket", "bisect", "confirm", "recover"] as const;

export const CapacityProbe = z.strictObject({
  trial: z.int().min(1).describe("Number of the trial's directory"),
  purpose: z
    .enum(PROBE_PURPOSES)
    .describe("recover: after an overload, waits for a rate that held; the interval leaves it out"),
  discarded: z
    .literal(true)
    .optional()
    .describe("The first probe of a search, which meets a cold server: it decides nothing"),
  ratePerSecond: amount.describe("Arrivals that were asked for"),
  offeredPerSecond: amount.describe("Arrivals that became due in the window"),
  achievedPerSecond: amount.describe(
    "Transactions that were committed in it; rounds of a cycle of which no part was given up",
  ),
  dropped: count,
  seen: z.number().nullable().describe("What the threshold was held against; null without samples"),
  p99Ms: amount.nullable().describe("Response time of what is started by the rate"),
  held: z.boolean(),
  reason: z.string().optional().describe("Why it does not hold"),
  doubts: z
    .array(z.strictObject({ check: z.string(), words: z.string() }))
    .optional()
    .describe("What speaks against the probe itself: too few samples, or the generator was the limit"),
});
export type CapacityProbe = z.infer<typeof CapacityProbe>;

export const CapacityDrift = z
  .strictObject({
    firstPerSecond: amount.describe("Capacity at the first probe that counts"),
    lastPerSecond: amount.describe("Capacity at the last probe"),
  })
  .describe("The change of the capacity during the search that fits its probes");
export type CapacityDrift = z.infer<typeof CapacityDrift>;

export const Capacity = z
  .strictObject({
    treatment: TreatmentId,
    metric: z.string(),
    expression: z.string(),
    operation: OperationName.describe("What arrivals start"),
    clients: count.describe("Most arrivals that were worked on at once"),
    ratePerSecond: amount
      .nullable()
      .describe("Highest rate that held, also when repeated; null where none did"),
    ciLow: amount.nullable().optional().describe("95 % interval of the capacity, by all probes that count"),
    ciHigh: amount.nullable().optional().describe("Null where the probes leave that end open"),
    resolution: amount
      .nullable()
      .optional()
      .describe(
        "Ratio of the interval's ends less 1, at least 0.05: how exactly the probes show the capacity",
      ),
    outcome: z
      .enum(["found", "at-least", "none", "inconclusive", "stopped"])
      .describe(
        "at-least: the search ended at its upper limit; none: not even its lower limit held; inconclusive: its probes contradict each other",
      ),
    drift: CapacityDrift.optional().describe("Why it is inconclusive: the machine drifted"),
    failsAtPerSecond: amount.nullable().describe("Lowest rate above it that failed 2 of 3 probes"),
    confirmations: count,
    windowSeconds: amount.optional().describe("Length of each probe's window, at least 2"),
    probes: z.array(CapacityProbe).describe("In the order in which they ran"),
  })
  .describe("Highest arrival rate at which a threshold holds");
export type Capacity = z.infer<typeof Capacity>;
