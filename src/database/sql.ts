// Statements, values and views of databases that speak SQL, and the session that runs them.
import type { EvidenceGroup, EvidenceReading, WatchedWorkload } from "./evidence.js";
import type { Session } from "./session.js";

/** A SQL statement of the workload. Errors, logs and latency parts show `name`, as `process.claim`. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Present if the statement is sent by the simple protocol: it has no parameters, or is several statements. */
  readonly isText?: true;
}

/** A value for a `$n` parameter. A Buffer goes in binary format. */
export type SqlValue = string | number | boolean | Date | Buffer | null;

/** Values that are already written into the message of a later call. */
export interface BoundValues {
  readonly message: Buffer;
  /** The same values for a session that has not prepared the statement. */
  readonly values: readonly SqlValue[];
}

export type StatementValues = readonly SqlValue[] | BoundValues;

/** A row of a workload's statement: the values of its columns in their order. */
export type StatementRow = readonly unknown[];

/** A row by column name, of a question outside the measured statements. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** A session of a database that speaks SQL. */
export interface Connection extends Session {
  /** Runs a statement of the workload, prepared by name if the treatment says so. */
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

/** A view of evidence. `Watched` is everything that its text is written for. */
export interface View<Watched extends WatchedWorkload = WatchedWorkload> {
  /** Its name in the list of evidence that could not be read. */
  readonly source: string;
  /** First and last major version that have it in this form. */
  readonly from?: number;
  readonly until?: number;
  /** Extension that it comes with. */
  readonly extension?: string;
  readonly gives: readonly string[];
  /** A SELECT of at most one row, whose columns are named by their metrics; undefined if there is nothing to ask. */
  text(watched: Watched): string | undefined;
  /** Why a column is null, by metric, in words. */
  readonly ifNull?: Readonly<Record<string, string>>;
  /** Decodes a row that holds more than numbers. */
  decode?(row: SqlRow): EvidenceReading;
}

/** Views that are asked together, in one statement. */
export interface ViewGroup<Watched extends WatchedWorkload = WatchedWorkload> extends EvidenceGroup {
  readonly views: readonly View<Watched>[];
  /** Whether the sample is worth nothing without it; another group is left out for a second when it fails. */
  readonly isVital: boolean;
  /** Most of the time that may go into asking it, 0 .. 1: asked less often if it takes longer. */
  readonly mostShare?: number;
}
