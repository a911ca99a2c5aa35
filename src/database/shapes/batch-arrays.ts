// A batch of events as array parameters: one array for each column that an insert names. Shared by the shapes that
// send batches whole, and by the preload.
import type { PreparedEvent } from "../../model/event.js";
import type { Payload } from "../../scenario/settings.js";
import { jsonbArray, textArray, uuidArray } from "../binary-arrays.js";
import { insertColumns } from "../statements.js";
import { PAYLOAD_TRAITS } from "../tables.js";

/** Documents as the array type of that level's payload column. */
export function payloadArray(payload: Payload, documents: readonly string[]): Buffer {
  return PAYLOAD_TRAITS[payload].columnType === "jsonb" ? jsonbArray(documents) : textArray(documents);
}

/** Values for the parameters of `batchRows`. */
export function batchArrays(payload: Payload, batch: readonly PreparedEvent[]): Buffer[] {
  const own = [
    uuidArray(batch.map(({ id }) => id)),
    payloadArray(
      payload,
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
export function insertBatch(eventsTable: string, payload: Payload): string {
  const columns = insertColumns(payload);
  const arrays = columns.map(([, type], i) => `$${i + 1}::${type}[]`).join(", ");
  return `INSERT INTO ${eventsTable} (${columns.map(([column]) => column).join(", ")})
SELECT * FROM unnest(${arrays})`;
}
