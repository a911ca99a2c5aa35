import type { AdminSession } from "../../database/contract.js";
import type { Endpoint } from "../../database/endpoint.js";
import type { SqlRow, SqlSession } from "../../database/sql.js";
import type { Store } from "../stores.js";
import type { PreloadInputs } from "../workload.js";
import type { Treatment } from "./settings.js";

/** How transactions of a treatment begin. */
export interface TransactionBegin {
  readonly begin: string;
  /** SQL that is sent with every BEGIN, so that the connection finds the tables; undefined if it finds them anyway. */
  readonly setUp: string | undefined;
  /** True if a transaction of a single statement needs a BEGIN, too. */
  readonly isNeeded: boolean;
}

export interface Transactions {
  begin(isReadOnly: boolean): TransactionBegin;
  commit(session: SqlSession, text: string): Promise<void>;
  /** Rolls the transaction back. Never rejects. */
  rollBack(session: SqlSession): Promise<void>;
  /** Resolves to the answer of a statement that commits by itself. A lost answer leaves the commit in doubt. */
  asTransaction<T>(answer: Promise<T>): Promise<T>;
  /** Runs a read-only transaction, whose commit is never in doubt. */
  inReadTransaction<T>(session: SqlSession, begin: string, body: () => Promise<T>): Promise<T>;
}

/** Queries in one snapshot, which find the workload's tables without their schema. */
export interface SnapshotQueries {
  rows(sql: string): Promise<readonly SqlRow[]>;
  /** Yields the values of the query's first column. */
  values(sql: string): AsyncIterable<string>;
}

export interface OwnSqlStore extends Store<Treatment> {
  transactions(settings: Treatment, endpoints: readonly Endpoint[]): Transactions;
  /** See `Loading.tryOut`. */
  tryOut(admin: AdminSession, settings: Treatment): Promise<readonly string[]>;
  /** Runs the migrations and the preload of the program. */
  fill(
    admin: AdminSession,
    settings: Treatment,
    inputs: Pick<PreloadInputs<Treatment>, "directory" | "mayContinue">,
  ): Promise<void>;
  /** Number of advisory locks that sessions of the load still hold. Left out if the database has no such locks. */
  heldLocks?(admin: AdminSession, settings: Treatment): Promise<number>;
  scan<T>(admin: AdminSession, settings: Treatment, read: (ask: SnapshotQueries) => Promise<T>): Promise<T>;
}
