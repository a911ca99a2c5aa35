import type { AdminSession } from "../../database/contract.js";
import type { Endpoint } from "../../database/endpoint.js";
import type { Connection, SqlRow } from "../../database/sql.js";
import type { Store } from "../stores.js";
import type { Treatment } from "./settings.js";

/** The beginning of a transaction. */
export interface Begin {
  readonly begin: string;
  /** Statement in the same message as every beginning, so that the connection finds the tables. */
  readonly setUp: string | undefined;
  /** True if even a transaction of a single statement needs this beginning. */
  readonly isNeeded: boolean;
}

export interface Transactions {
  begin(isReadOnly: boolean): Begin;
  commit(connection: Connection, text: string): Promise<void>;
  /** Never rejects. */
  rollBack(connection: Connection): Promise<void>;
  /** Resolves to the answer of a statement that commits by itself. */
  asTransaction<T>(answer: Promise<T>): Promise<T>;
  /** Runs a transaction that only reads: its commit is never in doubt. */
  inReadTransaction<T>(connection: Connection, begin: string, body: () => Promise<T>): Promise<T>;
}

/** Queries in one snapshot that find the workload's tables by their names. */
export interface SnapshotQueries {
  rows(sql: string): Promise<readonly SqlRow[]>;
  /** Values of the first column, row by row. */
  values(sql: string): AsyncIterable<string>;
}

export interface OwnSqlStore extends Store<Treatment> {
  transactions(settings: Treatment, endpoints: readonly Endpoint[]): Transactions;
  /** See `Loading.tryOut`. */
  tryOut(admin: AdminSession, settings: Treatment): Promise<readonly string[]>;
  /** Runs the program's preload. */
  fill(admin: AdminSession, settings: Treatment, isWanted: () => boolean): Promise<void>;
  scan<T>(admin: AdminSession, settings: Treatment, read: (ask: SnapshotQueries) => Promise<T>): Promise<T>;
}
