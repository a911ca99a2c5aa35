// Transactions of several statements between BEGIN and COMMIT, with the business rules in the program. `set-based` and
// `row-by-row` say how a step is written.
import type { EventBatch } from "../model/event-batch.js";
import { bindAhead } from "../../../database/postgres/wire/bind-message.js";
import { outcomeOf } from "./process-pass.js";
import { archiveClaim, readFind, readRecent, RECENT_LIMIT } from "./statements.js";
import { inReadTransaction, inTransaction } from "../../../database/postgres/transaction.js";
import { questionsOf, type InRead } from "./questions.js";
import type { ClaimedPass, ProcessRequest, EventOperations } from "../store.js";
import { beginOf, findValues, presenceCounter, type ShapeContext } from "./shape.js";
import type { Connection, Statement, StatementRow } from "../../../database/sql.js";

/** Statements of an add, in the order in which they are sent. */
interface Inserts {
  insertEvents(connection: Connection): Promise<void>;
  insertStatuses(connection: Connection): Promise<void>;
}

interface Changes {
  readonly passes: readonly ClaimedPass[];
  advance(connection: Connection): Promise<void>;
  rewrite(connection: Connection): Promise<void>;
}

/** The writes of a shape. Events, passes and keys come in key order and are never empty. */
export interface WriteSteps {
  readonly statements: Readonly<Record<"add" | "process" | "archive", readonly Statement[]>>;
  /** Claims at most $1 events; `decide` gets its rows. */
  readonly claim: Statement;
  readonly documentRoom: number;
  /** Serialises a batch: its events, and their status rows. */
  prepareInserts(batch: EventBatch): Inserts;
  /** Decides the advance of the claimed events, and serialises the changes. */
  decide(rows: readonly StatementRow[], request: ProcessRequest): Changes;
  copyToArchive(connection: Connection, ids: readonly string[]): Promise<void>;
  /** Deletes status rows first, unless the foreign key deletes them: they refer to the events. */
  deleteLive(connection: Connection, ids: readonly string[]): Promise<void>;
}

export function multiStatement(context: ShapeContext, steps: WriteSteps): EventOperations {
  const begin = beginOf(context);
  const beginRead = beginOf(context, "READ ONLY");
  const { claim } = steps;
  const claimTerminal = archiveClaim(context);
  const recent = readRecent(context);
  const find = readFind(context);
  const inRead: InRead = (connection, ask) => inReadTransaction(connection, beginRead, ask);
  const questions = questionsOf(context, inRead);
  const presence = presenceCounter(context);
  return {
    statements: [
      ...steps.statements.add,
      claim,
      ...steps.statements.process,
      claimTerminal,
      ...steps.statements.archive,
      ...(context.reads.dispatcher > 0 ? [recent, find] : []),
      ...questions.statements,
      presence.statement,
    ],
    documentRoom: steps.documentRoom,
    add(batch) {
      if (batch.size === 0) return () => Promise.resolve();
      const inserts = steps.prepareInserts(batch);
      return (connection: Connection, appDelay) =>
        inTransaction(connection, begin, async () => {
          await inserts.insertEvents(connection);
          await appDelay?.();
          await inserts.insertStatuses(connection);
        });
    },
    process(request) {
      const limit = bindAhead(claim, [request.limit]);
      return (connection: Connection, appDelay) =>
        inTransaction(connection, begin, async () => {
          const rows = await connection.execute(claim, limit);
          if (rows.length === 0) return outcomeOf([]);
          const changes = steps.decide(rows, request);
          await changes.advance(connection);
          await appDelay?.();
          await changes.rewrite(connection);
          return outcomeOf(changes.passes);
        });
    },
    archive(most) {
      const limit = bindAhead(claimTerminal, [most]);
      return (connection: Connection, appDelay) =>
        inTransaction(connection, begin, async () => {
          const rows = await connection.execute(claimTerminal, limit);
          const archivedIds = rows.map((row) => row[0] as string).sort();
          if (archivedIds.length > 0) {
            await steps.copyToArchive(connection, archivedIds);
            await appDelay?.();
            await steps.deleteLive(connection, archivedIds);
          }
          return { archivedIds };
        });
    },
    read(probe) {
      const newestOf = bindAhead(recent, [probe.eventType, RECENT_LIMIT]);
      const foundBy = bindAhead(find, findValues(context.payload, probe));
      return (connection: Connection) =>
        inRead(connection, async () => {
          const newest = await connection.execute(recent, newestOf);
          const found = await connection.execute(find, foundBy);
          return { answers: [newest, found] };
        });
    },
    ask: questions.ask,
    someLive: questions.someLive,
    countPresent: presence.countPresent,
  };
}
