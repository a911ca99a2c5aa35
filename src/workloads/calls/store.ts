import type { AdminSession } from "../../database/contract.js";
import type { PreparedTransaction } from "../../database/session.js";
import type { Store } from "../stores.js";
import type { BatchPlace, BatchChecksum } from "./batch.js";
import type { Probe, Treatment } from "./settings.js";

export interface CallsOperations {
  /**
   * Loads the batches; resolves to the number of rows. Only the first batch is made before the transaction starts, since a
   * day would not fit into memory.
   */
  load(batches: readonly [BatchPlace, ...BatchPlace[]]): PreparedTransaction<number>;
  isThere(batch: BatchPlace): PreparedTransaction<boolean>;
  probe(probe: Probe, values: readonly (string | number)[]): PreparedTransaction<unknown>;
}

/** A key of a small table whose rows are not those that the preload made. */
export interface Difference {
  readonly table: string;
  readonly column: string;
  readonly key: unknown;
  /** Number of the preload's rows that are missing. */
  readonly missing: number;
  readonly added: number;
}

export interface TableScan {
  /** Number of calls and their sum, by batch; `batch` is null for calls whose id names no batch. */
  readonly batches: readonly (BatchChecksum & { readonly batch: number | null })[];
  readonly differences: readonly Difference[];
  /** Bytes of the table of calls, with its indexes. */
  readonly bytes: number;
}

export interface CallsStore extends Store<Treatment> {
  operations(settings: Treatment, seed: number): CallsOperations;
  /** Fills the small tables and then the first batches, until `isWanted` returns false; resolves to what was filled. */
  fill(
    admin: AdminSession,
    settings: Treatment,
    seed: number,
    isWanted: () => boolean,
  ): Promise<{ readonly isReferenced: boolean; readonly batches: number }>;
  /**
   * Brings the calls into the order of their cluster columns, if they have any, and reads the tables in one snapshot. It also
   * compares the small tables if `isReferenced`.
   */
  scan(admin: AdminSession, settings: Treatment, isReferenced: boolean): Promise<TableScan>;
}
