// Transactions of several statements between BEGIN and COMMIT, with the business rules in the program. `set-based` and
// `row-by-row` say how a step is written.
import type { EventBatch } from "../model/event-batch.js";
import { bindAhead } from "../../../database/postgres/wire/bind-message.js";
import { outcomeOf } from "./process-pass.js";
import { archiveClaim, readByTrainStatement, readRecentStatement, RECENT_LIMIT } from "./statements.js";
import { inReadTransaction, inTransaction } from "../../../database/postgres/transaction.js";
import type { ReadRunner } from "./questions.js";
import type { ClaimedPass, ProcessRequest } from "../store.js";
import { findValues, type ShapeContext, type ShapeOperations } from "./shape.js";
import type { Connection, Statement, StatementRow, StatementValues } from "../../../database/sql.js";

/**
 * Values for the statements of a transaction, in the order of sending. A statement with several rows of values is sent once
 * for each.
 */
type ValueLists = readonly (readonly StatementValues[])[];

/** Statements and values with which a shape writes. Events, passes and keys come in key order and are never empty. */
export interface WriteSteps {
  /** Statements of each transaction after its claim, in the order of sending. An app delay comes after the first of them. */
  readonly statements: Readonly<Record<"add" | "process" | "archive", readonly Statement[]>>;
  /** Statement that claims at most $1 events. `decide` gets its rows. */
  readonly claim: Statement;
  readonly documentRoom: number;
  /** Values for the statements of an add: first events, then status rows. */
  valuesToAdd(batch: EventBatch): ValueLists;
  /**
   * Decides the advance of the claimed events. Returns the passes and the values for the statements: first statuses, then
   * documents.
   */
  decide(
    rows: readonly StatementRow[],
    request: ProcessRequest,
  ): { readonly passes: readonly ClaimedPass[]; readonly values: ValueLists };
  /** Values for every statement of an archive. */
  archiveValues(ids: readonly string[]): readonly StatementValues[];
}

type Run = (
  connection: Connection,
  statement: Statement,
  values: StatementValues,
  onRows?: (rows: readonly StatementRow[]) => void,
) => Promise<void> | undefined;

/** Holds a statement until the commit or the app delay, which sends all that is held in one message. */
const runHeld: Run = (connection, statement, values, onRows) => connection.hold(statement, values, onRows);
const runAlone: Run = (connection, statement, values, onRows) =>
  connection.execute(statement, values).then(onRows);

interface Sending {
  readonly statements: readonly Statement[];
  readonly values: ValueLists;
  readonly appDelay?: (() => Promise<void>) | undefined;
  readonly run: Run;
}

async function send(connection: Connection, { statements, values, appDelay, run }: Sending): Promise<void> {
  for (const [i, statement] of statements.entries()) {
    for (const each of values[i] ?? []) await run(connection, statement, each);
    if (i > 0 || !appDelay) continue;
    await connection.flush();
    await appDelay();
  }
}

export function multiStatement(context: ShapeContext, steps: WriteSteps): ShapeOperations {
  const begin = context.dialect.begin(context.isolation, "READ WRITE");
  const beginRead = context.dialect.begin(context.isolation, "READ ONLY");
  const { claim, documentRoom, statements } = steps;
  const claimTerminal = archiveClaim(context);
  const recent = readRecentStatement(context);
  const find = readByTrainStatement(context);
  const isPipelined = context.pipeline === true;
  const run = isPipelined ? runHeld : runAlone;
  const inWrite = <T>(connection: Connection, body: () => Promise<T>): Promise<T> =>
    inTransaction(connection, begin, body, isPipelined);
  const inRead: ReadRunner = (connection, ask) => inReadTransaction(connection, beginRead, ask, isPipelined);
  return {
    statements: [
      ...statements.add,
      claim,
      ...statements.process,
      claimTerminal,
      ...statements.archive,
      ...(context.reads.dispatcher > 0 ? [recent, find] : []),
    ],
    documentRoom,
    inRead,
    add(batch) {
      if (batch.size === 0) return () => Promise.resolve();
      const values = steps.valuesToAdd(batch);
      return (connection: Connection, appDelay) =>
        inWrite(connection, () => send(connection, { statements: statements.add, values, appDelay, run }));
    },
    process(request) {
      const limit = bindAhead(claim, [request.limit]);
      return (connection: Connection, appDelay) =>
        inWrite(connection, async () => {
          const rows = await connection.execute(claim, limit);
          if (rows.length === 0) return outcomeOf([]);
          const { passes, values } = steps.decide(rows, request);
          await send(connection, { statements: statements.process, values, appDelay, run });
          return outcomeOf(passes);
        });
    },
    archive(most) {
      const limit = bindAhead(claimTerminal, [most]);
      return (connection: Connection, appDelay) =>
        inWrite(connection, async () => {
          const rows = await connection.execute(claimTerminal, limit);
          const archivedIds = rows.map((row) => row[0] as string).sort();
          if (archivedIds.length > 0) {
            const values = steps.archiveValues(archivedIds);
            const lists = statements.archive.map(() => values);
            await send(connection, { statements: statements.archive, values: lists, appDelay, run });
          }
          return { archivedIds };
        });
    },
    read(probe) {
      const recentParameters = bindAhead(recent, [probe.eventType, RECENT_LIMIT]);
      const findParameters = bindAhead(find, findValues(context.payload, probe));
      return (connection: Connection) =>
        inRead(connection, async () => {
          const answers: (readonly StatementRow[])[] = [];
          const take = (rows: readonly StatementRow[]): void => void answers.push(rows);
          await run(connection, recent, recentParameters, take);
          await run(connection, find, findParameters, take);
          return { answers };
        });
    },
  };
}
