// The part of an operation that one worker, or the clients of one endpoint, did.
import { encodeHistogram } from "./encoded-histogram.js";
import { summaryMs, type Histogram } from "./histograms.js";
import type { LatencySummary } from "./figures.js";
import type { SeriesCounts } from "./metric-lists.js";

export type ShareCounts = Pick<SeriesCounts, "transactions" | "events" | "retries" | "failures">;

export interface OperationShare extends Readonly<ShareCounts> {
  readonly responseTimeMs: LatencySummary | null;
  /** Encoded response times in microseconds; present if the shares of several workers or trials are to be added up. */
  readonly responseHistogram?: string | undefined;
}

export function zeroShareCounts(): ShareCounts {
  return { transactions: 0, events: 0, retries: 0, failures: 0 };
}

export function shareOf(
  counts: Readonly<ShareCounts>,
  responses: Histogram | undefined,
  histograms?: "with histogram",
): OperationShare {
  const responseTimeMs = summaryMs(responses);
  const isHistogramKept = histograms !== undefined && responses !== undefined && responseTimeMs !== null;
  return {
    ...counts,
    responseTimeMs,
    ...(isHistogramKept && { responseHistogram: encodeHistogram(responses) }),
  };
}
