// Where a trial shows a piece of evidence, made comparable: per event, per transaction, per minute, since a faster
// treatment does more of everything. A reading is undefined where the trial does not tell it, never 0.
import { failuresOf, retriesPerTransaction } from "../../metrics/figures.js";
import type {
  ComparedOperation,
  DatabaseEvidence,
  OperationResult,
  PerEvent,
  TrialResult,
} from "../../results/result-schema.js";
import { isRound } from "../../metrics/operations.js";
import { hasEnded } from "../diagnosis/retries.js";

/** A value of one trial; undefined where the trial does not tell it. `operation` is what is compared. */
export type Reading = (trial: TrialResult, operation: ComparedOperation) => number | undefined;

/** Undefined where the amount is not told, or there is nothing to divide by. */
function quotient(amount: number | undefined, by: number | undefined): number | undefined {
  return amount === undefined || !by ? undefined : amount / by;
}

type MeanMaxField = "blocked" | "sessionsIdleInTransaction" | "backlog" | "backlogAgeMs" | "deadTuples";

export const meanOf =
  (field: MeanMaxField): Reading =>
  ({ database }) =>
    database[field]?.mean;

export const perEvent =
  (field: Exclude<keyof PerEvent, "events">): Reading =>
  ({ database }) =>
    database.perEvent?.[field];

/** Of a total that is not divided by events yet. */
export const perEventOf =
  (field: "blocksRead" | "temporaryBytes"): Reading =>
  ({ database }) =>
    quotient(database[field], database.perEvent?.events);

const ofDatabase =
  (read: (database: DatabaseEvidence) => number | undefined): Reading =>
  ({ database }) =>
    read(database);

/** Of the operation that is compared, which a span of an event's life is not. */
const ofOperation =
  (read: (result: OperationResult) => number | undefined): Reading =>
  ({ operations }, operation) => {
    const result = operations[operation];
    return result && read(result);
  };

/** A wait event that no session was seen in is 0 where waits were sampled at all. */
export const waitShare = (event: string): Reading =>
  ofDatabase(({ waits }) => waits && (waits.find((each) => each.event === event)?.share ?? 0));

export const checkpointsPerMinute: Reading = ({ database, windowSeconds }) =>
  quotient(database.checkpoints, windowSeconds / 60);
export const fsyncMs = ofDatabase(({ walFsyncMs, walFsyncs }) => quotient(walFsyncMs, walFsyncs));
/** Per transaction of any kind; a round's are those of its parts. */
export const fsyncs: Reading = ({ database, operations }) => {
  const own = Object.entries(operations).filter(([operation]) => !isRound(operation));
  return quotient(
    database.walFsyncs,
    own.reduce((sum, [, { transactions }]) => sum + transactions, 0),
  );
};

export const hotRatio = ofDatabase((database) => database.hotRatio);
export const oldestTransactionMs = ofDatabase((database) => database.oldestTransactionMs);
export const oldestXminAge = ofDatabase((database) => database.oldestXminAge);
export const ginPendingPages = ofDatabase((database) => database.ginPendingPages);

/** Only where there are no parts: they tell it exactly. */
export const poolWaitMs = ofOperation(({ parts, poolWaitMs: waits }) => (parts ? undefined : waits?.mean));
export const poolerWaitMs = ofDatabase(({ pooler }) => pooler?.waitMsPerTransaction);
export const poolerClientsWaiting = ofDatabase(({ pooler }) => pooler?.clientsWaiting?.mean);
export const poolerCpuMs: Reading = ({ database: { poolerCpuSeconds, perEvent: per } }) =>
  quotient(poolerCpuSeconds === undefined ? undefined : poolerCpuSeconds * 1000, per?.events);

/** As in the threshold of that name: a transaction that failed in the end was tried again too. */
export const retries = ofOperation((result) =>
  hasEnded(result) ? retriesPerTransaction(result) : undefined,
);
export const failures = ofOperation((result) => {
  const failed = failuresOf(result);
  return quotient(failed, failed + result.transactions);
});
export const eventsPerTransaction = ofOperation(({ events, transactions }) => quotient(events, transactions));
export const emptyPolls = ofOperation((result) =>
  quotient(result.emptyPolls, result.emptyPolls + result.transactions),
);

/** Of the first of these operations that the trial has. */
const ofFirst =
  (read: (result: OperationResult) => number | undefined) =>
  (names: readonly string[]): Reading =>
  ({ operations }) => {
    const result = names.flatMap((name) => operations[name] ?? [])[0];
    return result && read(result);
  };
export const eventsPerSecondOf = ofFirst(({ eventsPerSecond }) => eventsPerSecond);
export const meanMsOf = ofFirst(({ responseTimeMs }) => responseTimeMs?.mean);
export const passesPerEvent: Reading = ({ lifecycle }) => lifecycle.passesPerEvent;

export const eventLoopDelayMs: Reading = ({ client }) => client?.eventLoopDelayP99Ms;
export const stealRatio: Reading = ({ machine }) => machine?.stealRatio;
export const otherCpuRatio: Reading = ({ machine }) => machine?.otherCpuRatio ?? undefined;
