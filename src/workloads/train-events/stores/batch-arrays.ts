import type { EventBatch } from "../model/event-batch.js";
import {
  elementHeadBytes,
  stringArray,
  textBytesArray,
  uuidBytesArray,
  type BinaryParameter,
} from "../../../database/postgres/wire/binary-arrays.js";
import { documentSql, valuesArraySql } from "./document-sql.js";
import { insertColumns, type StatementContext } from "./statements.js";
import { PAYLOAD_TRAITS } from "../settings.js";

export type BatchContext = Pick<StatementContext, "dialect" | "tables" | "payload" | "documentPlace">;

/** True if the database makes the documents. */
export function makesDocuments({ documentPlace }: Pick<StatementContext, "documentPlace">): boolean {
  return documentPlace === "database";
}

/** Element type of the array parameter for documents, and the cast from an element to the column's type. */
export function documentElementType({ dialect, payload }: BatchContext): {
  type: "jsonb" | "text";
  cast: string;
} {
  const { columnType } = PAYLOAD_TRAITS[payload];
  if (columnType === "text" || dialect.supportsJsonbArrays) return { type: columnType, cast: "" };
  return { type: "text", cast: "::jsonb" };
}

export function payloadArray(context: BatchContext, documents: readonly string[]): BinaryParameter {
  return stringArray(documentElementType(context).type, documents);
}

/** Number of bytes to leave before each document, in which the header of the array element is then written. */
export function documentRoom(context: BatchContext): number {
  if (makesDocuments(context)) return 0;
  return elementHeadBytes(documentElementType(context).type);
}

/** Values of the parameters of `insertBatchSql`. */
export function batchArrays(context: BatchContext, batch: EventBatch): BinaryParameter[] {
  const storedArrays = [
    uuidBytesArray(batch.keys),
    makesDocuments(context)
      ? stringArray("text", batch.values())
      : textBytesArray(documentElementType(context).type, batch.documents),
  ];
  if (PAYLOAD_TRAITS[context.payload].areColumnsGenerated) return storedArrays;
  return [
    ...storedArrays,
    textBytesArray("text", batch.eventTypes),
    uuidBytesArray(batch.authorityIds),
    textBytesArray("text", batch.trainIds),
  ];
}

/** SQL that inserts a whole batch into events. $1 and following are arrays, one for each column. */
export function insertBatchSql(context: BatchContext): string {
  const { payload } = context;
  const document = makesDocuments(context) ? ({ type: "text" } as const) : documentElementType(context);
  const columns = insertColumns(payload);
  const names = columns.map(([column]) => column).join(", ");
  const arrays = columns
    .map(([column, type], i) => `$${i + 1}::${column === "payload" ? document.type : type}[]`)
    .join(", ");
  const insert = `INSERT INTO ${context.tables.events} (${names})`;
  if (!("cast" in document)) {
    const selected = names.replace("payload", documentSql(payload));
    return `${insert}\nSELECT ${selected}
FROM unnest(${arrays}) AS u (${names}) CROSS JOIN LATERAL ${valuesArraySql("payload")} AS d (v)`;
  }
  if (document.cast === "") return `${insert}\nSELECT * FROM unnest(${arrays})`;
  const values = names.replace("payload", `payload${document.cast}`);
  return `${insert}\nSELECT ${values} FROM unnest(${arrays}) AS u (${names})`;
}
