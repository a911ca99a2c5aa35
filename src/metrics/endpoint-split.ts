// Shares of a worker's operations by the endpoint at which they happened, for workers with several endpoints. They are
// shipped once, when the worker stops, so that memory is bounded by the endpoints however long the window is.
import { createHistogram, recordableUs, type Histogram } from "./histograms.js";
import { zeroShareCounts, shareOf, type OperationShare, type ShareCounts } from "./operation-share.js";
import type { Operation } from "./operations.js";

/** What one worker measured at one endpoint. */
export interface EndpointDelta {
  readonly connects: number;
  readonly refused: number;
  readonly lost: number;
  readonly operations: Readonly<Record<Operation, OperationShare>>;
}

interface Part {
  readonly counts: ShareCounts;
  responseTimes: Histogram | undefined;
}

export class EndpointSplit {
  private readonly parts: Map<Operation, Part>[];

  constructor(endpoints: number) {
    this.parts = Array.from({ length: endpoints }, () => new Map<Operation, Part>());
  }

  transaction(endpoint: number, operation: Operation, events: number, responseMs: number): void {
    const part = this.partOf(endpoint, operation);
    part.counts.transactions++;
    part.counts.events += events;
    (part.responseTimes ??= createHistogram()).recordValue(recordableUs(responseMs));
  }

  /** Counts an attempt that failed at the endpoint and is tried again, at the same or another endpoint. */
  retry(endpoint: number, operation: Operation): void {
    this.partOf(endpoint, operation).counts.retries++;
  }

  /** Counts a transaction that failed finally, after a last attempt at the endpoint. */
  failure(endpoint: number, operation: Operation): void {
    this.partOf(endpoint, operation).counts.failures++;
  }

  clear(): void {
    for (const byOperation of this.parts) byOperation.clear();
  }

  /** What was measured at each endpoint by operation, with histograms. */
  operations(): EndpointDelta["operations"][] {
    return this.parts.map((byOperation) =>
      Object.fromEntries(
        Array.from(byOperation, ([operation, { counts, responseTimes }]) => [
          operation,
          shareOf(counts, responseTimes, "with histogram"),
        ]),
      ),
    );
  }

  private partOf(endpoint: number, operation: Operation): Part {
    const byOperation = this.parts[endpoint];
    if (!byOperation) throw new RangeError(`there is no endpoint ${endpoint}`);
    let part = byOperation.get(operation);
    if (!part) byOperation.set(operation, (part = { counts: zeroShareCounts(), responseTimes: undefined }));
    return part;
  }
}
