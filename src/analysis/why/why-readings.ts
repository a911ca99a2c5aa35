// Readings are per event, transaction or minute, since a faster treatment does more of everything. Undefined if a trial lacks one, never 0.
import { failuresOf, retriesPerTransaction } from "../../metrics/figures.js";
import type { ComparedOperation, OperationResult, TrialResult } from "../../results/result-schema.js";
import type { EvidenceReason } from "../../metrics/evidence-metric.js";
import { isCycleOperation } from "../../metrics/operations.js";
import { evidenceValue } from "../../results/evidence-values.js";
import type { Evidence } from "../../workloads/evidence.js";
import { hasEnded } from "../diagnosis/load-checks.js";

/** Reads a value of one trial; undefined if the trial does not have it. `operation` is the compared operation. */
export type Reading = (trial: TrialResult, operation: ComparedOperation) => number | undefined;

function quotient(amount: number | undefined, divisor: number | undefined): number | undefined {
  return amount === undefined || !divisor ? undefined : amount / divisor;
}

/** Number of transactions over all operations; a cycle counts as the transactions of its operations. */
function transactionsOf({ operations }: TrialResult): number {
  const partOperations = Object.entries(operations).filter(([operation]) => !isCycleOperation(operation));
  return partOperations.reduce((sum, [, { transactions }]) => sum + transactions, 0);
}

const FIGURE_DIVISORS: Readonly<
  Record<NonNullable<EvidenceReason["per"]>, (trial: TrialResult) => number | undefined>
> = {
  event: ({ database }) => database.perEvent?.events,
  transaction: transactionsOf,
  minute: ({ windowSeconds }) => windowSeconds / 60,
  fsync: ({ database }) => database.walFsyncs,
};

/** Reads a figure of the evidence catalogue, in the unit of its metric. */
export function readingOf(figure: Evidence): Reading {
  const { isSeconds, reason } = figure;
  const per = reason?.per;
  return (trial) => {
    const value = evidenceValue(figure, trial.database);
    const amount = value !== undefined && isSeconds ? value * 1000 : value;
    return per ? quotient(amount, FIGURE_DIVISORS[per](trial)) : amount;
  };
}

/** Reads a value of the compared operation; undefined if a span of an event's life is compared. */
const readingOfOperation =
  (read: (result: OperationResult) => number | undefined): Reading =>
  ({ operations }, operation) => {
    const result = operations[operation];
    return result && read(result);
  };

/** Reads the share of a wait event: 0 if no session was seen in it, undefined if waits were not sampled. */
export const waitShare =
  (event: string): Reading =>
  ({ database: { waits } }) =>
    waits && (waits.find((each) => each.event === event)?.share ?? 0);

/** Reads the mean wait for a pool in ms; undefined if the operation's parts are known, since they state it exactly. */
export const poolWaitMs = readingOfOperation(({ parts, poolWaitMs: waits }) =>
  parts ? undefined : waits?.mean,
);

/**
 * Reads the retries of a transaction, counted like the threshold of that name: a transaction that failed in the end was
 * tried again, too.
 */
export const retriesReading = readingOfOperation((result) =>
  hasEnded(result) ? retriesPerTransaction(result) : undefined,
);
export const failuresReading = readingOfOperation((result) => {
  const failed = failuresOf(result);
  return quotient(failed, failed + result.transactions);
});
export const eventsPerTransaction = readingOfOperation(({ events, transactions }) =>
  quotient(events, transactions),
);
export const emptyPolls = readingOfOperation((result) =>
  quotient(result.emptyPolls, result.emptyPolls + result.transactions),
);

/** Reads a value of the first of the named operations that the trial has. */
const readingOfFirst =
  (read: (result: OperationResult) => number | undefined) =>
  (names: readonly string[]): Reading =>
  ({ operations }) => {
    const result = names.flatMap((name) => operations[name] ?? [])[0];
    return result && read(result);
  };
export const eventsPerSecondOf = readingOfFirst(({ eventsPerSecond }) => eventsPerSecond);
export const meanMsOf = readingOfFirst(({ responseTimeMs }) => responseTimeMs?.mean);
export const passesPerEvent: Reading = ({ lifecycle }) => lifecycle.passesPerEvent;

export const eventLoopDelayMs: Reading = ({ client }) => client?.eventLoopDelayP99Ms;
export const stealRatio: Reading = ({ machine }) => machine?.stealRatio;
export const otherCpuRatio: Reading = ({ machine }) => machine?.otherCpuRatio ?? undefined;
