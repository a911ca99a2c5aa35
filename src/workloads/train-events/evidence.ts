// What the queue of Train Events shows of itself, sampled by `sql/queue-depth.ts`.
import { because, gauge, spread, type EvidenceMetric } from "../../metrics/evidence-metric.js";

export const EVIDENCE = [
  gauge("queue.pending", "events", "events that wait to be claimed: the backlog", {
    line: "Backlog",
    window: spread("backlog", {
      reason: because("queue", 50, "{now} events on average waited to be claimed against {then}", {
        explains: "queue",
      }),
    }),
  }),
  gauge("queue.processing", "events", "events in flight"),
  gauge("queue.complete", "events", "events complete and not archived"),
  gauge("queue.failed", "events", "events failed and not archived"),
  gauge(
    "queue.oldestPendingMs",
    "ms",
    "how long the first event of the backlog has waited since it was last touched",
    {
      line: "Age of its oldest event",
      window: spread("backlogAgeMs", {
        reason: because("queue", 20, "the oldest waiting event had waited {now} on average against {then}", {
          explains: "lifecycle",
        }),
      }),
    },
  ),
] as const satisfies readonly EvidenceMetric[];
