// The contract of a store of one's own SQL: the part that differs between databases that speak SQL. Types only.
import type { AdminSession } from "../../database/contract.js";
import type { Endpoint } from "../../database/endpoint.js";
import type { Connection, SqlRow } from "../../database/sql.js";
import type { Store } from "../stores.js";
import type { Treatment } from "./settings.js";

/** How a transaction begins. */
export interface Begin {
  readonly begin: string;
  /** Statement in the same message as every beginning: it makes the connection find the tables. */
  readonly setUp: string | undefined;
  /** Whether even a transaction of a single statement has to begin so. */
  readonly isNeeded: boolean;
}

/** Transactions on connections of one treatment. Each rejects with an `InDoubtError` if a commit stayed without an answer. */
export interface Transactions {
  begin(isReadOnly: boolean): Begin;
  commit(connection: Connection, text: string): Promise<void>;
  /** Never rejects. */
  rollBack(connection: Connection): Promise<void>;
  /** The answer to a statement that commits by itself. */
  asTransaction<T>(answer: Promise<T>): Promise<T>;
  /** A transaction that only reads: its commit is never in doubt. */
  inReadTransaction<T>(connection: Connection, begin: string, body: () => Promise<T>): Promise<T>;
}

/** Queries that find the workload's tables by their names, all in one snapshot. */
export interface Ask {
  rows(sql: string): Promise<readonly SqlRow[]>;
  /** The first column, row by row. */
  values(sql: string): AsyncIterable<string>;
}

export interface OwnSqlStore extends Store<Treatment> {
  transactions(settings: Treatment, endpoints: readonly Endpoint[]): Transactions;
  /** See `Loading.tryOut`. */
  tryOut(admin: AdminSession, settings: Treatment): Promise<readonly string[]>;
  /** Runs the program's preload. */
  fill(admin: AdminSession, settings: Treatment, isWanted: () => boolean): Promise<void>;
  scan<T>(admin: AdminSession, settings: Treatment, read: (ask: Ask) => Promise<T>): Promise<T>;
}
