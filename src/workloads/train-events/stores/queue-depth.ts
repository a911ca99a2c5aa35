// The queue by status. PENDING events are all less the others: comparing each row's status takes four times as long.
import type { View, ViewGroup } from "../../../database/sql.js";

const QUEUE_DEPTH: View = {
  source: "queue depth",
  metricNames: [
    "queue.pending",
    "queue.processing",
    "queue.complete",
    "queue.failed",
    "queue.oldestPendingMs",
  ],
  // OFFSET 0 keeps the planner from computing each count once for every place that uses it.
  text: ({
    tables: { event_status: status },
  }) => `SELECT events - processing - complete - failed AS "queue.pending",
      processing AS "queue.processing", complete AS "queue.complete", failed AS "queue.failed",
      greatest(0, extract(epoch FROM clock_timestamp() - oldest) * 1000) AS "queue.oldestPendingMs"
    FROM (SELECT (SELECT count(*) FROM ${status}) AS events,
        (SELECT count(*) FROM ${status} WHERE status = 'PROCESSING') AS processing,
        (SELECT count(*) FROM ${status} WHERE status = 'COMPLETE') AS complete,
        (SELECT count(*) FROM ${status} WHERE status = 'FAILED') AS failed,
        (SELECT min(updated_at) FROM ${status} WHERE status = 'PENDING') AS oldest OFFSET 0) AS counted`,
};

/**
 * Queries for the queue's depth. They take a small share of the server's time even if the queue is long, so as not to
 * change the cost of events.
 */
export const QUEUE_VIEWS: ViewGroup = {
  name: "queue depth",
  views: [QUEUE_DEPTH],
  isVital: false,
  mostShare: 0.003,
};
