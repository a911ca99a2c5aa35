import type { AdminSession } from "../../database/contract.js";
import type { PreparedTransaction } from "../../database/session.js";
import type { Store } from "../stores.js";
import type { BatchPlace, BatchSum } from "./batch.js";
import type { Probe, Treatment } from "./settings.js";

export interface CallsOperations {
  /** Loads the batches; resolves to their rows. Only the first is made ahead: a day would not fit into memory. */
  load(batches: readonly [BatchPlace, ...BatchPlace[]]): PreparedTransaction<number>;
  isThere(batch: BatchPlace): PreparedTransaction<boolean>;
  probe(probe: Probe, values: readonly (string | number)[]): PreparedTransaction<unknown>;
}

/** A key of a small table whose rows differ from the preload's. */
export interface Difference {
  readonly table: string;
  readonly column: string;
  readonly key: unknown;
  /** Rows of the preload that are missing. */
  readonly missing: number;
  readonly added: number;
}

export interface TableScan {
  /** Sums of the calls by batch; null for calls whose id names no batch. */
  readonly batches: readonly (BatchSum & { readonly batch: number | null })[];
  readonly differences: readonly Difference[];
}

export interface CallsStore extends Store<Treatment> {
  operations(settings: Treatment, seed: number): CallsOperations;
  /** Fills the small tables and then the first batches, while wanted; resolves to the filled contents. */
  fill(
    admin: AdminSession,
    settings: Treatment,
    seed: number,
    isWanted: () => boolean,
  ): Promise<{ readonly isReferenced: boolean; readonly batches: number }>;
  /** Reads the tables in one snapshot; compares the small tables if `isReferenced`. */
  scan(admin: AdminSession, settings: Treatment, isReferenced: boolean): Promise<TableScan>;
}
