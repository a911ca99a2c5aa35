// One log line per second and operation of a worker, from the deltas that the coordinator gets: `train-sim logs` must agree.
import { encodeHistogram } from "../metrics/encoded-histogram.js";
import { createHistogram } from "../metrics/histograms.js";
import type { Operation } from "../metrics/operations.js";
import type { OperationDelta, RecorderDelta } from "../metrics/recorder-delta.js";
import type { EventLog } from "./event-log.js";
import type { SummaryFacts } from "./facts.js";

const scratchHistogram = createHistogram();

export function writeSummaryLines(eventLog: EventLog, phase: string, delta: RecorderDelta): void {
  eventLog.startNextSecond();
  if (!eventLog.logger.isLevelEnabled("info")) return;
  const leftOut = (): { suppressedLines?: number } => {
    const suppressedLines = eventLog.takeSuppressedCount();
    return suppressedLines > 0 ? { suppressedLines } : {};
  };
  for (const { second, operations } of delta.seconds) {
    for (const [operation, counts] of Object.entries(operations)) {
      const facts = factsOf(second, operation, counts);
      // Seconds of the warm-up write no line, and must not reset the count of lines left out.
      if (delta.isWarmUp) continue;
      eventLog.logger.info({ event: "summary", phase: "measure", ...facts, ...leftOut() }, "summary");
    }
  }
  const { outside } = delta;
  if (Object.values(outside).some((count) => count > 0)) {
    eventLog.logger.info(
      { event: "summary", operation: "*", phase, outside: true, ...outside, ...leftOut() },
      "summary outside the window",
    );
  }
}

function factsOf(second: number, operation: Operation, counts: OperationDelta): SummaryFacts {
  const { transactions, events, emptyPolls, offered, dropped, retries, failures, samplesUs, parts } = counts;
  const responseSamplesUs = samplesUs.response ?? new Float64Array();
  return {
    operation,
    second,
    transactions,
    events,
    emptyPolls,
    ...(offered + dropped > 0 ? { offered, dropped } : {}),
    retries,
    failures,
    meanResponseMs: round(
      responseSamplesUs.reduce((sum, us) => sum + us, 0) / Math.max(1, responseSamplesUs.length) / 1000,
    ),
    maxResponseMs: round(responseSamplesUs.reduce((max, us) => Math.max(max, us), 0) / 1000),
    ...(parts && { slowest: parts.slowest }),
    ...(responseSamplesUs.length > 0 && { responseHistogram: encodedSamples(responseSamplesUs) }),
  };
}

function encodedSamples(samplesUs: Float64Array): string {
  scratchHistogram.reset();
  for (const us of samplesUs) scratchHistogram.recordValue(us);
  return encodeHistogram(scratchHistogram);
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
