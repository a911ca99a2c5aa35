import type { EvidenceGroup, EvidenceReading, WatchedWorkload } from "./evidence.js";
import type { Session } from "./session.js";

export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Present if the statement goes by the simple protocol: it has no parameters, or consists of several statements. */
  readonly isText?: true;
}

/** A value for a `$n` parameter; a Buffer goes in binary format. */
export type SqlValue = string | number | boolean | Date | Buffer | null;

/** Values that are already serialised in the message of a later call. */
export interface BoundValues {
  readonly message: Buffer;
  /** The same values for a session that has not prepared the statement. */
  readonly values: readonly SqlValue[];
}

export type StatementValues = readonly SqlValue[] | BoundValues;

export type StatementRow = readonly unknown[];

export type SqlRow = Readonly<Record<string, unknown>>;

/** A session of a database that speaks SQL. */
export interface Connection extends Session {
  /** Runs a statement of the workload, prepared by name if the treatment says so. */
  execute(statement: Statement, values: StatementValues): Promise<StatementRow[]>;
  /** Sends messages to a `COPY ... FROM STDIN` of the workload; resolves to the rows that the server took. */
  copyIn(statement: Statement, rows: { readonly messages: readonly Buffer[] }): Promise<number>;
  executeNamed(statement: Statement, values: readonly SqlValue[]): Promise<SqlRow[]>;
  /** Runs transaction control (`BEGIN ...`, `COMMIT`, `ROLLBACK`) by the simple protocol. */
  control(name: "begin" | "commit" | "rollback", text: string): Promise<void>;
  /** True if the last statement returned and changed no row, by its command tag; false for a tag without a count. */
  readonly foundNoRow?: boolean;
}

/** A view of evidence. `Watched` is the type of everything that its text depends on. */
export interface View<Watched extends WatchedWorkload = WatchedWorkload> {
  /** Name of the view in the list of evidence that could not be read. */
  readonly source: string;
  /** First and last major version that have the view in this form. */
  readonly from?: number;
  readonly until?: number;
  /** Extension that the view comes with. */
  readonly extension?: string;
  readonly gives: readonly string[];
  /** A SELECT of at most one row, whose columns are named by their metrics; undefined if there is nothing to ask. */
  text(watched: Watched): string | undefined;
  /** The reason why a column is null, by metric. */
  readonly ifNull?: Readonly<Record<string, string>>;
  decode?(row: SqlRow): EvidenceReading;
}

/** Views that are read together, in one statement. */
export interface ViewGroup<Watched extends WatchedWorkload = WatchedWorkload> extends EvidenceGroup {
  readonly views: readonly View<Watched>[];
  /** True if the sample is worth nothing without the group; a failed group that is not vital is left out for a second. */
  readonly isVital: boolean;
  /** Largest share of time, 0 .. 1, for reading the group: a group that takes longer is read less often. */
  readonly mostShare?: number;
}
