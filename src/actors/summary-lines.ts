// One log line a second and operation from each worker: the counts of that second of the measurement window, from
// which `train-sim logs` rebuilds the totals. Lines are cut from the deltas that go to the coordinator, so the two
// cannot disagree.
import type { RecorderDelta } from "../metrics/recorder.js";
import type { EventLog } from "./event-log.js";

export function writeSummaryLines(eventLog: EventLog, phase: string, delta: RecorderDelta): void {
  const suppressedLines = eventLog.nextSecond();
  for (const { second, operations } of delta.seconds) {
    for (const [operation, counts] of Object.entries(operations)) {
      const { transactions, events, emptyPolls, offered, dropped, retries, failures, samplesUs } = counts;
      const response = samplesUs.response ?? new Float64Array();
      eventLog.logger.info(
        {
          event: "summary",
          phase: "measure",
          second,
          operation,
          transactions,
          events,
          emptyPolls,
          ...(offered + dropped > 0 ? { offered, dropped } : {}),
          retries,
          failures,
          meanResponseMs: round(
            response.reduce((sum, us) => sum + us, 0) / Math.max(1, response.length) / 1000,
          ),
          maxResponseMs: round(response.reduce((max, us) => Math.max(max, us), 0) / 1000),
          ...(suppressedLines > 0 ? { suppressedLines } : {}),
        },
        "summary",
      );
    }
  }
  const { outside } = delta;
  if (Object.values(outside).some((count) => count > 0)) {
    eventLog.logger.info(
      { event: "summary", operation: "*", phase, outside: true, ...outside },
      "summary outside the window",
    );
  }
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
