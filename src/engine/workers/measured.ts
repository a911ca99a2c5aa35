import * as z from "zod";
import type { EndpointContacts } from "../../database/session.js";
import type { EndpointDelta } from "../../metrics/endpoint-split.js";
import { HIGHEST_TRACKABLE_US } from "../../metrics/histograms.js";
import { BY_SQLSTATE, COUNTERS, LATENCIES, recordOf, SERIES_COUNTS } from "../../metrics/metric-lists.js";
import type { PartsDelta } from "../../metrics/part-sums.js";
import type { RecorderDelta } from "../../metrics/recorder-delta.js";
import { EndpointResult } from "../../results/endpoint-schema.js";

const Count = z.int().nonnegative();
const Amount = z.number().nonnegative();
const Samples = z
  .instanceof(Float64Array<ArrayBuffer>)
  .refine((samplesUs) => samplesUs.every((us) => us >= 0 && us <= HIGHEST_TRACKABLE_US), {
    error: "a sample is no duration of up to 7 days",
  });
const byName = <T extends z.ZodType>(value: T) => z.record(z.string(), value);

const counters = recordOf(COUNTERS, ({ unit }) => (unit === "ms" ? Amount : Count));

const Parts: z.ZodType<PartsDelta> = z.object({
  transactions: Count,
  sums: byName(z.object({ ns: Count, calls: Count, slowNs: Count })),
  slowest: z.object({ responseMs: Amount, client: Count, parts: byName(Amount) }),
});

const Operation = z.object({
  ...counters,
  ...recordOf(BY_SQLSTATE, () => byName(Count)),
  errorsUs: byName(Samples),
  samplesUs: z.object(recordOf(LATENCIES, () => Samples.exactOptional())),
  parts: Parts.exactOptional(),
});

export const Measured: z.ZodType<RecorderDelta> = z.object({
  isWarmUp: z.boolean(),
  seconds: z.array(z.object({ second: Count, operations: byName(Operation), lifecycleUs: byName(Samples) })),
  closedBefore: z.union([Count, z.literal(Number.POSITIVE_INFINITY)]),
  outside: z.object(recordOf(SERIES_COUNTS, () => Count)),
  clampedSamples: Count,
  serverTransactions: Count,
  underWay: byName(z.object(counters)),
});

const contacts = { connects: Count, refused: Count, lost: Count };

export const Contacts: z.ZodType<EndpointContacts> = z.object({
  ...contacts,
  refusal: z.string().exactOptional(),
});

export const EndpointMeasured: z.ZodType<EndpointDelta> = z.object({
  ...contacts,
  operations: EndpointResult.shape.operations,
});
