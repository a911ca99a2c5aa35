import type { PreparedEvent } from "../model/event.js";
import { bufferOf, uuidBytesArray } from "../../../database/postgres/wire/binary-arrays.js";
import { countPresentStatement, type StatementContext } from "./statements.js";
import { PAYLOAD_TRAITS } from "../settings.js";
import type { EventOperations } from "../store.js";
import type { ReadRunner } from "./questions.js";
import type { Connection, SqlValue } from "../../../database/sql.js";
import type { Isolation } from "../../../database/levels.js";
import type { Payload } from "../settings.js";

export interface ShapeContext extends StatementContext {
  readonly isolation: Isolation;
  /** See `ClientSettings.pipeline`. */
  readonly pipeline?: true;
}

/** Transactions that depend on the statement shape; other operations of a store are the same in all shapes. */
export interface ShapeOperations extends Omit<EventOperations, "ask" | "someLive" | "countPresent"> {
  readonly inRead: ReadRunner;
}

/** Implementation of a statement shape in SQL. A new one is a file and a line in `operations.ts`. */
export type Shape = (context: ShapeContext) => ShapeOperations;

export type ReadProbe = Pick<PreparedEvent, "eventType" | "authorityId" | "trainId">;

export function findValues(payload: Payload, { authorityId, trainId }: ReadProbe): SqlValue[] {
  return PAYLOAD_TRAITS[payload].hasDocumentIndex
    ? [JSON.stringify({ authorityId, train: { trainId } })]
    : [authorityId, trainId];
}

export function presenceCounter(context: StatementContext): Pick<EventOperations, "countPresent"> & {
  readonly statement: ReturnType<typeof countPresentStatement>;
} {
  const statement = countPresentStatement(context);
  return {
    statement,
    async countPresent(connection: Connection, keys: Buffer): Promise<number> {
      const [row] = await connection.execute(statement, [bufferOf(uuidBytesArray(keys))]);
      return Number(row?.[0]);
    },
  };
}
