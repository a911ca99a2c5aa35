// What the workers of a trial hold against the database: which events it acknowledged, which it refused for good,
// and of which nobody knows. The audit compares it with the tables; nothing else the workload says of itself counts.
import { z } from "zod";

const Count = z.int().nonnegative();

/** One worker's ledger, over all phases of a trial. Numbers are events. */
export const Ledger = z.object({
  published: Count,
  /** Keys of events whose add was in doubt to the end: the audit looks them up. */
  inDoubtIds: z.array(z.string()),
  /** Events of add transactions that failed for good. */
  failed: Count,
  /** Completions and archivings whose publish moment was not known, missing from the lifecycle's latencies. */
  unmatchedLifecycles: Count,
});
export type Ledger = z.infer<typeof Ledger>;
