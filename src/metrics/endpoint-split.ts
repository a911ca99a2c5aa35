// What a worker measured in the window, split by the endpoint at which it happened: counts and a histogram of response times
// for each endpoint and operation. It is shipped once, when the worker stops, with histograms in HdrHistogram's own
// encoding, so that its memory is bounded by the endpoints however long the window is. Made only where there is
// something to split; the recorder decides what is of the window.
import { encodeHistogram } from "./encoded-histogram.js";
import { createHistogram, recordableUs, type Histogram } from "./histograms.js";
import type { Operation } from "./operations.js";

/** Of one operation at one endpoint. */
export interface EndpointOperation {
  transactions: number;
  events: number;
  /** Attempts that failed there and were tried again, there or elsewhere. */
  retries: number;
  /** Transactions whose last attempt was there and that were given up. */
  failures: number;
}

/** As shipped: with its response times, encoded; undefined without any. */
export type EndpointOperationDelta = Readonly<EndpointOperation> & {
  readonly responses?: string | undefined;
};

/** What one worker saw of one endpoint. */
export interface EndpointDelta {
  readonly connects: number;
  readonly refused: number;
  readonly lost: number;
  readonly operations: Readonly<Record<Operation, EndpointOperationDelta>>;
}

interface Part extends EndpointOperation {
  responses: Histogram | undefined;
}

export class EndpointSplit {
  private readonly parts: Map<Operation, Part>[];

  constructor(endpoints: number) {
    this.parts = Array.from({ length: endpoints }, () => new Map<Operation, Part>());
  }

  transaction(endpoint: number, operation: Operation, events: number, responseMs: number): void {
    const part = this.partOf(endpoint, operation);
    part.transactions++;
    part.events += events;
    (part.responses ??= createHistogram()).recordValue(recordableUs(responseMs));
  }

  retry(endpoint: number, operation: Operation): void {
    this.partOf(endpoint, operation).retries++;
  }

  failure(endpoint: number, operation: Operation): void {
    this.partOf(endpoint, operation).failures++;
  }

  /** Forgets everything. */
  clear(): void {
    for (const byOperation of this.parts) byOperation.clear();
  }

  /** By endpoint. */
  operations(): EndpointDelta["operations"][] {
    return this.parts.map((byOperation) =>
      Object.fromEntries(
        Array.from(byOperation, ([operation, { responses, ...counts }]) => [
          operation,
          { ...counts, ...(responses && { responses: encodeHistogram(responses) }) },
        ]),
      ),
    );
  }

  private partOf(endpoint: number, operation: Operation): Part {
    const byOperation = this.parts[endpoint];
    if (!byOperation) throw new RangeError(`there is no endpoint ${endpoint}`);
    let part = byOperation.get(operation);
    if (!part) {
      part = { transactions: 0, events: 0, retries: 0, failures: 0, responses: undefined };
      byOperation.set(operation, part);
    }
    return part;
  }
}
