import type { EvidenceGroup, EvidenceReading, WatchedWorkload } from "./evidence.js";
import type { Session } from "./session.js";

export interface Statement {
  readonly name: string;
  readonly text: string;
  /** True if the statement goes by the simple protocol, because it has no parameters or consists of several statements. */
  readonly isText?: true;
}

/** Value of a parameter (`$n`, `?`). PostgreSQL gets a Buffer in binary format, all others as text. */
export type SqlValue = string | number | boolean | Date | Buffer | null;

/** Values of a call that are already serialised in its message. */
export interface BoundValues {
  readonly message: Buffer;
  /** The same values, for a session that has not prepared the statement and cannot use the message. */
  readonly values: readonly SqlValue[];
}

export type StatementValues = readonly SqlValue[] | BoundValues;

export type StatementRow = readonly unknown[];

export type SqlRow = Readonly<Record<string, unknown>>;

/** A session of a database that speaks SQL. */
export interface SqlSession extends Session {
  /** Runs a statement of the workload; it is prepared if the treatment says so. */
  execute(statement: Statement, values: readonly SqlValue[]): Promise<StatementRow[]>;
  executeNamed(statement: Statement, values: readonly SqlValue[]): Promise<SqlRow[]>;
  /** Runs transaction control (`BEGIN ...`, `COMMIT`, `ROLLBACK`). */
  control(name: "begin" | "commit" | "rollback", text: string): Promise<void>;
  /** True if the last statement returned and changed no row; false if the server's answer has no count. */
  readonly foundNoRow?: boolean;
  /** Number of rows that the last statement without result rows found to change, if the session keeps it. */
  readonly affectedRows?: number;
}

/** A session of PostgreSQL. It runs transaction control by the simple protocol, unless calls are held. */
export interface Connection extends SqlSession {
  execute(statement: Statement, values: StatementValues): Promise<StatementRow[]>;
  /** Sends rows to a `COPY ... FROM STDIN` of the workload; resolves to the number of rows that the server took. */
  copyIn(statement: Statement, rows: { readonly messages: readonly Buffer[] }): Promise<number>;
  /**
   * Holds a statement back until the next call that is not held: both are then sent in one message, under one Sync, and
   * `onRows` gets the rows. Returns a promise if the session has to parse the statement first.
   */
  hold(
    statement: Statement,
    values: StatementValues,
    onRows?: (rows: readonly StatementRow[]) => void,
  ): Promise<void> | undefined;
  /** Holds `BEGIN ...` back; `texts` are statements without parameters, which are sent in this order. */
  holdBegin(texts: readonly string[]): void;
  /**
   * Sends the calls that are held. Rejects with the error of the first call that fails, since the server skips all behind it,
   * or with what an `onRows` throws.
   */
  flush(): Promise<void>;
  /** Forgets the calls that are held, for an attempt that failed before they were sent. */
  dropHeld(): void;
}

/** A query for evidence. `Watched` is the type of all facts that its text depends on. */
export interface View<Watched extends WatchedWorkload = WatchedWorkload> {
  /** Name under which the view is listed if it could not be read. */
  readonly source: string;
  /** First and last major version of the server that has the view in this form. */
  readonly fromVersion?: number;
  readonly untilVersion?: number;
  /** Extension of the database that brings the view. */
  readonly extension?: string;
  readonly metricNames: readonly string[];
  /** A SELECT of at most one row whose columns are named by metrics; undefined if there is nothing to read. */
  text(watched: Watched): string | undefined;
  /** Reasons why columns can be null, by metric. */
  readonly ifNull?: Readonly<Record<string, string>>;
  decode?(row: SqlRow): EvidenceReading;
}

/** Views that are read together, in one statement. */
export interface ViewGroup<Watched extends WatchedWorkload = WatchedWorkload> extends EvidenceGroup {
  readonly views: readonly View<Watched>[];
  /** True if a sample is useless without the group. A failed group that is not vital is left out of the sample. */
  readonly isVital: boolean;
  /** Largest share of time, 0 .. 1, that reading the group may take: a group that takes longer is read less often. */
  readonly mostShare?: number;
}
