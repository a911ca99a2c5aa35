import * as z from "zod";

/** Longest window in seconds, a month: a larger number in a log line means that the line is damaged. */
export const WINDOW_SECONDS_MAX = 31 * 24 * 3600;

export const count = z.int().min(0);

export const ms = z.number().min(0);

export const second = z.int().min(0).max(WINDOW_SECONDS_MAX);

/** Milliseconds of each part of a transaction, in order: `poolWait`, `begin`, a statement's name and so on. */
export const PartsMs = z.record(z.string(), z.number());

export const TransactionFacts = z.object({
  operation: z.string(),
  client: count,
  attempt: count,
  serviceMs: ms,
  poolWaitMs: ms,
  second: second.optional().describe("Of the window; absent outside it, and then not in the totals"),
});

export type TransactionFacts = z.infer<typeof TransactionFacts>;

export const FailureFacts = z.object({
  sqlstate: z.string(),
  reason: z.string(),
  statement: z.string().optional(),
  table: z.string().optional(),
});

export type FailureFacts = z.infer<typeof FailureFacts>;

export const SummaryFacts = z.object({
  operation: z.string(),
  second,
  transactions: count,
  events: count,
  emptyPolls: count,
  offered: count.optional(),
  dropped: count.optional(),
  retries: z.record(z.string(), count),
  failures: z.record(z.string(), count),
  meanResponseMs: ms,
  maxResponseMs: ms,
  responseHistogram: z.string().optional().describe("HdrHistogram V2, compressed, base64; microseconds"),
  slowest: z.object({ responseMs: ms, client: count, parts: PartsMs.optional() }).optional(),
  suppressedLines: count.optional(),
});

export type SummaryFacts = z.infer<typeof SummaryFacts>;
