// Encoded histograms accompany the percentiles of a trial, so that readers can merge trials and regions.
import * as z from "zod";
import { LatencyOrNull } from "./latency-schema.js";
import { OperationName } from "./comparison-schema.js";

const count = z.int().min(0);

const EndpointOperationResult = z.strictObject({
  transactions: count.describe("Committed there in the measurement window"),
  events: count,
  retries: count.describe("Attempts that failed there and were tried again, there or at the next endpoint"),
  failures: count.describe("Failed transactions, by where the last attempt was made"),
  responseTimeMs: LatencyOrNull,
  responseHistogram: z
    .string()
    .optional()
    .describe("The response times in microseconds: an HdrHistogram, V2 encoding, compressed, base64"),
});

const shares = {
  clients: count.optional().describe("By the weights; not with a pg-pool"),
  connections: count.optional().describe("Of a pg-pool, by the weights"),
  connects: count.describe("Connections opened, over the whole trial"),
  refused: count.describe("Attempts to connect that failed, over the whole trial"),
  lost: count.describe("Open connections that the other side ended, over the whole trial"),
  operations: z.record(OperationName, EndpointOperationResult),
};

export const EndpointResult = z.strictObject({
  endpoint: z.string().describe("`host:port`"),
  region: z.string().optional(),
  weight: z.number().gt(0),
  ...shares,
});
export type EndpointResult = z.infer<typeof EndpointResult>;

export const RegionResult = z.strictObject({
  region: z.string().nullable().describe("Null for the endpoints that name none"),
  endpoints: count,
  ...shares,
});
export type RegionResult = z.infer<typeof RegionResult>;
