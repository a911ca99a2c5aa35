import type { Connection } from "../../database/sql.js";
import type { Prng } from "../../foundation/prng.js";
import type { ClientContext } from "../workload.js";
import type { Value } from "./program.js";
import type { Treatment } from "./settings.js";
import type { Transactions } from "./store.js";

/** Pauses within a transaction, for that many milliseconds. */
export type PauseFor = (ms: number) => Promise<void>;

export interface Run {
  readonly transaction: { readonly name: string; readonly isReadOnly: boolean };
  attempt(connection: Connection, rest: PauseFor): Promise<true>;
  /** Units of work of the last attempt; 0 is an empty poll. */
  readonly work: number;
  /** True if no statement of the last attempt returned or changed a row. */
  readonly foundNoRow: boolean;
  /** Value of a parameter that an invariant uses. */
  valueOf(variable: string): Value;
  /** Resolves to true if a commit in doubt happened; left out if an invariant's query shows it, or nothing does. */
  resolve?(connection: Connection): Promise<boolean>;
}

export interface DrawSource {
  /** Number of the client in its role. */
  readonly client: number;
  readonly prng: Prng;
}

/** Draws a transaction of that name. */
export type Draw = (name: string, by: DrawSource) => Run;
export type DrawOf = (context: ClientContext<Treatment>, transactions: Transactions) => Draw;
