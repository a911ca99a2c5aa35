// The depth of the queue by status, and how long its head has waited: counted in the status table itself, so it costs a read of
// that table. Plain SQL, the same for every dialect.
import type { View } from "./view.js";

export const QUEUE_DEPTH: View = {
  source: "queue depth",
  gives: ["queue.pending", "queue.processing", "queue.complete", "queue.failed", "queue.oldestPendingMs"],
  text: ({ tables }) => `SELECT count(*) FILTER (WHERE status = 'PENDING') AS "queue.pending",
      count(*) FILTER (WHERE status = 'PROCESSING') AS "queue.processing",
      count(*) FILTER (WHERE status = 'COMPLETE') AS "queue.complete",
      count(*) FILTER (WHERE status = 'FAILED') AS "queue.failed",
      greatest(0, extract(epoch FROM clock_timestamp() - min(updated_at) FILTER (WHERE status = 'PENDING')) * 1000)
        AS "queue.oldestPendingMs"
    FROM ${tables.status}`,
};
