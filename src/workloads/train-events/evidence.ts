import { evidenceReason, gauge, spread, type EvidenceMetric } from "../../metrics/evidence-metric.js";

/** Title of the live chart of the queue. */
const QUEUE_CHART_TITLE = "Events in the queue";

export const EVIDENCE = [
  gauge("queue.pending", "events", "events that wait to be claimed: the backlog", {
    line: "Backlog",
    live: { word: "backlog", hasTrend: true, isInStatus: true, line: [QUEUE_CHART_TITLE, "pending"] },
    backlog: "pending",
    layer: "pending (the backlog)",
    window: spread("backlog", {
      reason: evidenceReason("queue", 50, "{now} events on average waited to be claimed against {then}", {
        explains: "queue",
      }),
    }),
  }),
  gauge(
    "queue.oldestPendingMs",
    "ms",
    "how long the first event of the backlog has waited since it was last touched",
    {
      line: "Age of its oldest event",
      live: { word: "oldest" },
      window: spread("backlogAgeMs", {
        reason: evidenceReason(
          "queue",
          20,
          "the oldest waiting event had waited {now} on average against {then}",
          {
            explains: "lifecycle",
          },
        ),
      }),
    },
  ),
  gauge("queue.processing", "events", "events in flight", {
    live: { word: "in flight", line: [QUEUE_CHART_TITLE, "processing"] },
    layer: "processing (in flight)",
  }),
  gauge("queue.complete", "events", "events complete and not archived", {
    live: { line: [QUEUE_CHART_TITLE, "complete"] },
    backlog: "complete",
    layer: "complete, not archived",
  }),
  gauge("queue.failed", "events", "events failed and not archived", { layer: "failed, not archived" }),
] as const satisfies readonly EvidenceMetric[];
