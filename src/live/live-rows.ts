import { sumOfCounts } from "../metrics/figures.js";
import { meanMs, percentileMs, type Histogram } from "../metrics/histograms.js";
import type { Counts } from "../metrics/metric-lists.js";
import type { Operation } from "../metrics/operations.js";
import type { Totals } from "../metrics/totals.js";
import type { LiveRow, LiveTrialEnd } from "./page/live-data.js";
import { lossText } from "../results/losses.js";
import { METRIC_ASPECTS, type TrialResult } from "../results/result-schema.js";
import { unitOf, type Vocabulary } from "../workloads/vocabulary.js";

export function emptyRow(operation: Operation, unit: string): LiveRow {
  return {
    operation,
    unit,
    events: null,
    transactions: null,
    p99Ms: null,
    poolWaitMeanMs: null,
    poolWaitP99Ms: null,
    totalRetries: 0,
    totalFailures: 0,
    totalDropped: 0,
  };
}

function rowWithTotals(before: LiveRow, { retries, failures, dropped }: Counts): LiveRow {
  return {
    ...before,
    totalRetries: before.totalRetries + sumOfCounts(retries),
    totalFailures: before.totalFailures + sumOfCounts(failures),
    totalDropped: before.totalDropped + dropped,
  };
}

export function p99Ms(histogram: Histogram | undefined): number | null {
  return histogram ? percentileMs(histogram, 99) : null;
}

export function nextRow(before: LiveRow, totals: Totals): LiveRow {
  const { operation } = before;
  const counts = totals.countsOf(operation);
  const poolWait = totals.histograms.get(`${operation}.poolwait`);
  return {
    ...rowWithTotals(before, counts),
    events: counts.events,
    transactions: counts.transactions,
    p99Ms: p99Ms(totals.histograms.get(`${operation}.response`)),
    poolWaitMeanMs: poolWait ? meanMs(poolWait) : null,
    poolWaitP99Ms: p99Ms(poolWait),
  };
}

/** Adds a part of an earlier second that came late to the totals, and to the row if that second is the shown one. */
export function rowWithLatePart(before: LiveRow, totals: Totals, isShown: boolean): LiveRow {
  const counts = totals.countsOf(before.operation);
  const row = rowWithTotals(before, counts);
  if (!isShown) return row;
  const events = (before.events ?? 0) + counts.events;
  return { ...row, events, transactions: (before.transactions ?? 0) + counts.transactions };
}

export function trialEnd(result: TrialResult, treatment: string, vocabulary: Vocabulary): LiveTrialEnd {
  const { number, status, reason = null, integrity, diagnosis = [] } = result;
  return {
    number,
    treatment,
    status,
    reason,
    integrity: integrity?.verdict ?? null,
    lost: lossText([integrity]) ?? null,
    invalid: METRIC_ASPECTS.flatMap((aspect) => {
      const checks = diagnosis.filter(({ invalidates }) => invalidates.includes(aspect));
      return checks.length > 0 ? [`${aspect} not valid: ${checks.map(({ check }) => check).join(", ")}`] : [];
    }),
    operations: Object.fromEntries(
      Object.entries(result.operations).map(([operation, { eventsPerSecond, responseTimeMs }]) => [
        operation,
        { unit: unitOf(vocabulary, operation), eventsPerSecond, p99Ms: responseTimeMs?.p99 ?? null },
      ]),
    ),
  };
}
