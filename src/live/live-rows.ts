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
    totalEvents: 0,
    totalEnded: 0,
    meanEvents: null,
    totalRetries: 0,
    totalFailures: 0,
    totalDropped: 0,
  };
}

/** Adds counts to the totals of a trial whose window has `seconds` reported seconds. */
function rowWithTotals(before: LiveRow, counts: Counts, seconds: number): LiveRow {
  const { retries, failures, dropped, transactions, emptyPolls } = counts;
  const totalEvents = before.totalEvents + counts.events;
  return {
    ...before,
    totalEvents,
    totalEnded: before.totalEnded + transactions + emptyPolls + sumOfCounts(failures),
    meanEvents: totalEvents / seconds,
    totalRetries: before.totalRetries + sumOfCounts(retries),
    totalFailures: before.totalFailures + sumOfCounts(failures),
    totalDropped: before.totalDropped + dropped,
  };
}

export function p99Ms(histogram: Histogram | undefined): number | null {
  return histogram ? percentileMs(histogram, 99) : null;
}

export function nextRow(before: LiveRow, totals: Totals, seconds: number): LiveRow {
  const { operation } = before;
  const counts = totals.countsOf(operation);
  const poolWait = totals.histograms.get(`${operation}.poolwait`);
  return {
    ...rowWithTotals(before, counts, seconds),
    events: counts.events,
    transactions: counts.transactions,
    p99Ms: p99Ms(totals.histograms.get(`${operation}.response`)),
    poolWaitMeanMs: poolWait ? meanMs(poolWait) : null,
    poolWaitP99Ms: p99Ms(poolWait),
  };
}

/** Adds a part of an earlier second that came late to the totals, and to the row if that second is the shown one. */
export function rowWithLatePart(
  before: LiveRow,
  totals: Totals,
  second: number,
  shownSecond: number,
): LiveRow {
  const counts = totals.countsOf(before.operation);
  const row = rowWithTotals(before, counts, shownSecond + 1);
  if (second !== shownSecond) return row;
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
