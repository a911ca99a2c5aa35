// Statements and values of databases that speak SQL, and the session that runs them. Types only.
import type { Session } from "./session.js";

/** One SQL statement of the workload; `name` is how errors, logs and latency parts call it (`process.claim`). */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Sent by the simple protocol, never prepared: it takes no parameters, or is several in one message. */
  readonly isText?: true;
}

/** A value for a `$n` parameter. A Buffer goes in binary format. */
export type SqlValue = string | number | boolean | Date | Buffer | null;

/** Values that lie in the message of a later call already. */
export interface BoundValues {
  readonly message: Buffer;
  /** One by one, for a session that has not prepared the statement. */
  readonly values: readonly SqlValue[];
}

export type StatementValues = readonly SqlValue[] | BoundValues;

/** What a statement of the workload gives for a row: its columns, in their order. */
export type StatementRow = readonly unknown[];

/** A row by the names of its columns, of what is asked beside the workload. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** One open connection in the hands of one client. */
export interface Connection extends Session {
  /** Runs a statement of the workload, prepared by name where the treatment says so. */
  execute(statement: Statement, values: StatementValues): Promise<StatementRow[]>;
  /** Sends messages to a `COPY ... FROM STDIN` of the workload; resolves to the rows that the server took. */
  copyIn(statement: Statement, rows: { readonly messages: readonly Buffer[] }): Promise<number>;
  /** Runs a statement whose rows have the names of their columns, which takes longer. */
  executeNamed(statement: Statement, values: readonly SqlValue[]): Promise<SqlRow[]>;
  /** Runs transaction control (`BEGIN ...`, `COMMIT`, `ROLLBACK`) by the simple protocol. */
  control(name: "begin" | "commit" | "rollback", text: string): Promise<void>;
  /** Whether the last statement returned and changed no row, by its command tag; false for a tag without a count. */
  readonly foundNoRow?: boolean;
}
