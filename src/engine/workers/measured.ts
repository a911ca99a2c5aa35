import * as z from "zod";
import type { EndpointContacts } from "../../database/session.js";
import type { EndpointDelta } from "../../metrics/endpoint-split.js";
import { HIGHEST_TRACKABLE_US } from "../../metrics/histograms.js";
import {
  SQLSTATE_METRICS,
  COUNTERS,
  LATENCIES,
  recordOf,
  SERIES_COUNTS,
} from "../../metrics/metric-lists.js";
import type { PartsDelta } from "../../metrics/part-sums.js";
import type { RecorderDelta } from "../../metrics/recorder-delta.js";
import { EndpointResult } from "../../results/endpoint-schema.js";

const Count = z.int().nonnegative();
const NonnegativeNumber = z.number().nonnegative();
const SamplesInput = z
  .instanceof(Float64Array<ArrayBuffer>)
  .refine((samplesUs) => samplesUs.every((us) => us >= 0 && us <= HIGHEST_TRACKABLE_US), {
    error: "a sample is no duration of up to 7 days",
  });
const byName = <T extends z.ZodType>(value: T) => z.record(z.string(), value);

const counters = recordOf(COUNTERS, ({ unit }) => (unit === "ms" ? NonnegativeNumber : Count));

const PartsDeltaInput: z.ZodType<PartsDelta> = z.object({
  transactions: Count,
  sums: byName(z.object({ ns: Count, calls: Count, slowNs: Count })),
  slowest: z.object({ responseMs: NonnegativeNumber, client: Count, parts: byName(NonnegativeNumber) }),
});

const Operation = z.object({
  ...counters,
  ...recordOf(SQLSTATE_METRICS, () => byName(Count)),
  errorsUs: byName(SamplesInput),
  samplesUs: z.object(recordOf(LATENCIES, () => SamplesInput.exactOptional())),
  parts: PartsDeltaInput.exactOptional(),
});

export const RecorderDeltaInput: z.ZodType<RecorderDelta> = z.object({
  isWarmUp: z.boolean(),
  seconds: z.array(
    z.object({ second: Count, operations: byName(Operation), lifecycleUs: byName(SamplesInput) }),
  ),
  closedBefore: z.union([Count, z.literal(Number.POSITIVE_INFINITY)]),
  outside: z.object(recordOf(SERIES_COUNTS, () => Count)),
  clampedSamples: Count,
  serverTransactions: Count,
  underWay: byName(z.object(counters)),
});

const contacts = { connects: Count, refused: Count, lost: Count };

export const EndpointContactsInput: z.ZodType<EndpointContacts> = z.object({
  ...contacts,
  refusal: z.string().exactOptional(),
});

export const EndpointDeltaInput: z.ZodType<EndpointDelta> = z.object({
  ...contacts,
  operations: EndpointResult.shape.operations,
});
