// Percentiles of single trials: the histograms of workers are not stored.
import * as z from "zod";
import { OperationName } from "./comparison-schema.js";
import { LatencyOrNull } from "./latency-schema.js";

const count = z.int().min(0);

export const WorkerResult = z.strictObject({
  worker: z.string().describe("Its role and its number there, from 0, as in the log: `consumers/0`"),
  clients: count,
  endpoint: z
    .string()
    .optional()
    .describe("`host:port` that the clients of the worker use, if each worker has an endpoint"),
  operations: z.record(
    OperationName,
    z.strictObject({
      transactions: count,
      events: count,
      retries: count,
      failures: count,
      responseTimeMs: LatencyOrNull,
    }),
  ),
});
export type WorkerResult = z.infer<typeof WorkerResult>;
