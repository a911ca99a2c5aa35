import type { AdminSession } from "../../database/contract.js";
import type { PreparedTransaction } from "../../database/session.js";
import type { Store } from "../stores.js";
import type { Treatment } from "./settings.js";

export interface ConnectionsOperations {
  account(aid: number): PreparedTransaction<unknown>;
  select(): PreparedTransaction<unknown>;
  /** Inserts a row. If the commit is in doubt, the row cannot be looked up. */
  insert(id: number): PreparedTransaction<unknown>;
}

export interface ConnectionsStore extends Store<Treatment> {
  operations(settings: Treatment): ConnectionsOperations;
  fill(admin: AdminSession, settings: Treatment, isWanted: () => boolean): Promise<void>;
  /** Reads all inserted rows, in one snapshot. */
  scan(
    admin: AdminSession,
    settings: Treatment,
    onRow: (row: { readonly id: unknown; readonly name: unknown }) => void,
  ): Promise<void>;
}
