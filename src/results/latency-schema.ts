// Percentiles come from a merged histogram, never from other percentiles.
import * as z from "zod";

const amount = z.number().min(0);

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

export const LatencyOrNull = LatencySummary.nullable().describe("Null where there are no samples");
