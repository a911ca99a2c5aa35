// How one second changes the row of its operation, and how a finished trial is shown in one line.
// Pure: from what the engine tells to plain values, nothing kept between calls.
import type { LiveOperation } from "../engine/session/observer.js";
import { type Operation } from "../metrics/operations.js";
import { sumOfCounts } from "../metrics/figures.js";
import type { LiveRow, LiveTrialEnd } from "./page/live-data.js";
import { lossText } from "../results/losses.js";
import { ASPECTS, type TrialResult } from "../results/result-schema.js";
import { unitOf, type Vocabulary } from "../workloads/vocabulary.js";

export function noRow(operation: Operation, unit: string): LiveRow {
  const none = { p99Ms: null, poolWaitMeanMs: null, poolWaitP99Ms: null };
  return {
    operation,
    unit,
    events: null,
    transactions: null,
    ...none,
    totalRetries: 0,
    totalFailures: 0,
    totalDropped: 0,
  };
}

function totals(
  before: LiveRow,
  live: LiveOperation,
): Pick<LiveRow, "totalRetries" | "totalFailures" | "totalDropped"> {
  return {
    totalRetries: before.totalRetries + sumOfCounts(live.retries),
    totalFailures: before.totalFailures + sumOfCounts(live.failures),
    totalDropped: before.totalDropped + live.dropped,
  };
}

/** The row of a new second. */
export function nextRow(before: LiveRow, live: LiveOperation): LiveRow {
  return {
    operation: before.operation,
    unit: before.unit,
    events: live.events,
    transactions: live.transactions,
    p99Ms: live.response?.p99Ms ?? null,
    poolWaitMeanMs: live.poolwait?.meanMs ?? null,
    poolWaitP99Ms: live.poolwait?.p99Ms ?? null,
    ...totals(before, live),
  };
}

/** A part of an earlier second counts in the totals; in the row only where that second is the one shown. */
export function withLatePart(before: LiveRow, live: LiveOperation, isShown: boolean): LiveRow {
  if (!isShown) return { ...before, ...totals(before, live) };
  const events = (before.events ?? 0) + live.events;
  const transactions = (before.transactions ?? 0) + live.transactions;
  return { ...before, events, transactions, ...totals(before, live) };
}

export function trialEnd(result: TrialResult, treatment: string, vocabulary: Vocabulary): LiveTrialEnd {
  const { number, status, reason = null, integrity, diagnosis = [] } = result;
  return {
    ...{ number, treatment, status, reason },
    integrity: integrity?.verdict ?? null,
    lost: lossText([integrity]) ?? null,
    invalid: ASPECTS.flatMap((aspect) => {
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
