// One finished second as those see it who watch an experiment.
// It only reads what the tally is about to use again, and keeps nothing of it.
import { countsWithin, meanMs, percentileMs, type Histogram } from "../../metrics/histograms.js";
import { BY_SQLSTATE, COUNTERS, LIVE_LATENCIES, recordOf } from "../../metrics/metric-lists.js";
import type { Operation } from "../../metrics/operations.js";
import type { Totals } from "../../metrics/totals.js";
import {
  LATENCY_BOUNDS_MS,
  type LiveLatency,
  type LiveOperation,
  type LiveSecond,
} from "../session/observer.js";

const BOUNDS_US = LATENCY_BOUNDS_MS.map((boundMs) => boundMs * 1000);

export function liveSecond(second: number, totals: Totals): LiveSecond {
  const operations: Record<Operation, LiveOperation> = {};
  for (const operation of totals.operations) {
    const counts = totals.countsOf(operation);
    operations[operation] = {
      ...recordOf(COUNTERS, ({ id }) => counts[id]),
      ...recordOf(BY_SQLSTATE, ({ id }) => Object.fromEntries(counts[id])),
      ...recordOf(LIVE_LATENCIES, ({ id }) => liveLatency(totals.histograms.get(`${operation}.${id}`))),
    };
  }
  return { second, operations };
}

function liveLatency(histogram: Histogram | undefined): LiveLatency | null {
  return histogram === undefined
    ? null
    : {
        samples: histogram.totalCount,
        meanMs: meanMs(histogram),
        p99Ms: percentileMs(histogram, 99),
        binned: countsWithin(histogram, BOUNDS_US),
      };
}
