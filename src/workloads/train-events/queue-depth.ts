// The depth of the queue by status, and how long its head has waited: counted in the status table itself, so it costs a read of
// that table. A long queue waits, so its PENDING events are what is left of all of them: comparing each row's status takes four
// times as long. Plain SQL, the same for every dialect.
import type { View, ViewGroup } from "../../database/sql.js";

const QUEUE_DEPTH: View = {
  source: "queue depth",
  gives: ["queue.pending", "queue.processing", "queue.complete", "queue.failed", "queue.oldestPendingMs"],
  // OFFSET 0, or each count would be made once for each place that it stands in.
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

/** Little of the server's time, or events would cost it more the longer the queue is, for being watched. */
export const QUEUE: ViewGroup = {
  name: "queue depth",
  views: [QUEUE_DEPTH],
  isVital: false,
  mostShare: 0.003,
};
