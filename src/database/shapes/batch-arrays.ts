// A batch of events as array parameters: one array for each column that an insert names. Shared by the shapes that
// send batches whole, and by the preload.
import type { PreparedEvent } from "../../model/event.js";
import { jsonbArray, textArray, uuidArray } from "../binary-arrays.js";
import { insertColumns, type StatementContext } from "../statements.js";
import { PAYLOAD_TRAITS } from "../tables.js";

/** What a batch is made for. */
export type BatchContext = Pick<StatementContext, "dialect" | "tables" | "payload">;

/** Element type of the array that carries documents, and how an element becomes the column's type. */
export function documentArray({ dialect, payload }: BatchContext): { type: "jsonb" | "text"; cast: string } {
  const { columnType } = PAYLOAD_TRAITS[payload];
  if (columnType === "text" || dialect.supportsJsonbArrays) return { type: columnType, cast: "" };
  return { type: "text", cast: "::jsonb" };
}

/** Documents as such an array. */
export function payloadArray(context: BatchContext, documents: readonly string[]): Buffer {
  return documentArray(context).type === "jsonb" ? jsonbArray(documents) : textArray(documents);
}

/** Values for the parameters of `insertBatch`. */
export function batchArrays(context: BatchContext, batch: readonly PreparedEvent[]): Buffer[] {
  const { payload } = context;
  const own = [
    uuidArray(batch.map(({ id }) => id)),
    payloadArray(
      context,
      batch.map((event) => event.payload),
    ),
  ];
  if (PAYLOAD_TRAITS[payload].areColumnsGenerated) return own;
  return [
    ...own,
    textArray(batch.map(({ eventType }) => eventType)),
    uuidArray(batch.map(({ authorityId }) => authorityId)),
    textArray(batch.map(({ trainId }) => trainId)),
  ];
}

/** `INSERT INTO events ...` of a whole batch, $1 .. one array for each column. */
export function insertBatch(context: BatchContext): string {
  const document = documentArray(context);
  const columns = insertColumns(context.payload);
  const names = columns.map(([column]) => column).join(", ");
  const arrays = columns
    .map(([column, type], i) => `$${i + 1}::${column === "payload" ? document.type : type}[]`)
    .join(", ");
  const insert = `INSERT INTO ${context.tables.events} (${names})`;
  if (document.cast === "") return `${insert}\nSELECT * FROM unnest(${arrays})`;
  const values = names.replace("payload", `payload${document.cast}`);
  return `${insert}\nSELECT ${values} FROM unnest(${arrays}) AS u (${names})`;
}
