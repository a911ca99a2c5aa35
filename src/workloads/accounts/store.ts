import type { AdminSession } from "../../database/contract.js";
import type { PreparedTransaction } from "../../database/session.js";
import type { Store } from "../stores.js";
import type { HistoryRow } from "./history.js";
import type { Treatment } from "./settings.js";
import type { Transfer } from "./transfer.js";

export interface AccountsOperations {
  transfer(transfer: Transfer): PreparedTransaction<true>;
  /** True if the history contains the transfer. */
  isMade(transfer: Transfer): PreparedTransaction<boolean>;
}

/** A row of a table of balances that is missing, unknown or duplicated, or whose balance is not the sum of its transfers. */
export interface WrongBalance {
  readonly id: number | null;
  /** True if the preload made the row. Null for a row that the preload did not make. */
  readonly isDue: boolean | null;
  /** Number of rows with this key; null if there is none. */
  readonly copies: number | null;
  readonly balance: unknown;
  readonly added: unknown;
}

/** Number of wrong rows of one table, and the first of them with their keys. */
export interface TableWrongBalances {
  readonly one: "account" | "teller" | "branch";
  readonly total: number;
  readonly named: readonly WrongBalance[];
}

export interface AccountsStore extends Store<Treatment> {
  operations(settings: Treatment): AccountsOperations;
  fill(admin: AdminSession, settings: Treatment, isWanted: () => boolean): Promise<void>;
  /** Reads the history row by row, and then the wrong balances, all in one snapshot. */
  scan(
    admin: AdminSession,
    settings: Treatment,
    onRow: (row: HistoryRow) => void,
  ): Promise<readonly TableWrongBalances[]>;
}
