import type { SqlSession } from "../../database/sql.js";
import type { Prng } from "../../foundation/prng.js";
import type { ClientContext } from "../workload.js";
import type { Value } from "./program.js";
import type { Treatment } from "./settings.js";
import type { Transactions } from "./store.js";

/** Pauses inside a transaction for `ms` milliseconds. */
export type PauseFor = (ms: number) => Promise<void>;

export interface Run {
  readonly transaction: { readonly name: string; readonly isReadOnly: boolean };
  attempt(session: SqlSession, rest: PauseFor): Promise<true>;
  /** Number of units of work in the last attempt; 0 is an empty poll. */
  readonly work: number;
  /** True if no statement of the last attempt returned or changed a row. */
  readonly foundNoRow: boolean;
  /** True if the run has committed a part of its statements, which a failure later does not undo. */
  readonly isPartlyCommitted?: boolean;
  /** False if no statement has set the variable: a failure came first. Left out if variables are drawn alone. */
  hasValue?(variable: string): boolean;
  /** Value of a variable that an invariant uses, after the transaction. */
  valueOf(variable: string): Value;
  /** Finds out whether a commit in doubt happened. Left out unless the workload is a module with its own `resolve`. */
  resolve?(session: SqlSession): Promise<boolean>;
}

export interface DrawSource {
  /** Number of the client in its role. */
  readonly client: number;
  readonly prng: Prng;
}

/** Draws a run of the transaction with that name. */
export type Draw = (name: string, by: DrawSource) => Run;
export type DrawFactory = (context: ClientContext<Treatment>, transactions: Transactions) => Draw;
