// Where a failed attempt failed: the statement, and the table where somebody knows it. The server names the table in
// the error, its message or its context; else it is the statement's, where that touches one table only.
// Nothing is guessed: a claim locks rows of two tables, and without the server's word the table stays unknown.
import { InDoubtError, StatementError } from "./errors.js";

export interface FailurePlace {
  readonly statement?: string;
  /** Without its schema, as `event_status`. */
  readonly table?: string;
}

/** Statements that name a single table, in whatever shape. A test holds it against all of them. */
export const ONLY_TABLE: Readonly<Record<string, string>> = {
  "add.events": "events",
  "add.status": "event_status",
  "process.advance": "event_status",
  "process.payload": "events",
  "archive.claim": "event_status",
  "archive.delete-status": "event_status",
  "archive.delete-events": "events",
  read: "events",
  "read.recent": "events",
  "read.find": "events",
};

/** Of anything that a connection, a pool or a workload threw. */
export function placeOf(error: unknown): FailurePlace {
  if (error instanceof InDoubtError) return placeOf(error.cause);
  if (!(error instanceof StatementError)) return {};
  const { statement, cause } = error;
  const table = tableNamedIn(cause) ?? ONLY_TABLE[statement];
  return { statement, ...(table !== undefined && { table }) };
}

/** `could not obtain lock on row in relation "event_status"`, or the context `while updating tuple (0,1) in relation ...`. */
function tableNamedIn(cause: unknown): string | undefined {
  if (typeof cause !== "object" || cause === null) return undefined;
  const { table, message, where } = cause as { table?: unknown; message?: unknown; where?: unknown };
  if (typeof table === "string" && table !== "") return table;
  for (const text of [message, where]) {
    const named = typeof text === "string" ? /\brelation "([^"\n]{1,63})"/.exec(text)?.[1] : undefined;
    if (named !== undefined) return named;
  }
  return undefined;
}
