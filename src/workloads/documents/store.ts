import type { AdminSession } from "../../database/contract.js";
import type { DialectCapabilities } from "../../database/capabilities.js";
import type { DialectName } from "../../database/registry.js";
import type { PreparedTransaction } from "../../database/session.js";
import type { Finding } from "../../syntax/problems.js";
import type { Store } from "../stores.js";
import type { Treatment } from "./settings.js";

export interface Document {
  readonly key: string;
  readonly values: readonly string[];
  /** Text of the document, key and values, as JSON. */
  readonly json: string;
}

export interface DocumentOperations {
  insert(document: Document): PreparedTransaction<true>;
  read(key: string): PreparedTransaction<readonly unknown[]>;
  slice(key: string): PreparedTransaction<readonly unknown[]>;
  /** Resolves to a row for each member of the document, or for each element of its array. */
  unwrap(key: string): PreparedTransaction<readonly unknown[]>;
  /** Reads at most `length` documents in the order of ids, from `key` on. */
  scan(key: string, length: number): PreparedTransaction<readonly unknown[]>;
  /**
   * Replaces the document, or one value if `change` is a text, and increments the version. Resolves to the new version of
   * each changed row.
   */
  update(key: string, change: Document | string): PreparedTransaction<readonly number[]>;
  /** Reads the document, then does what `update` does. */
  modify(key: string, change: Document | string): PreparedTransaction<readonly number[]>;
  isThere(key: string): PreparedTransaction<boolean>;
}

export interface StoredDocument {
  /** Key from a separate column; undefined if the table has no such column. */
  readonly id: string | undefined;
  readonly version: number;
  /** Text of the document as JSON. */
  readonly text: string;
  readonly documentBytes: number;
  readonly rowBytes: number;
}

export interface DocumentStore extends Store<Treatment> {
  /** Settings that fit together, yet not on this database. */
  problems?(settings: Treatment): readonly Finding[];
  /** Levels that the dialect lacks, by key of the scenario. */
  unsupportedLevels?(dialect: DialectName): DialectCapabilities["unsupportedLevels"];
  /** True if the table keeps the text of a document byte by byte, so that texts can be compared. Default: never. */
  preservesText?(settings: Treatment): boolean;
  operations(settings: Treatment): DocumentOperations;
  /** Inserts documents. Each portion is a list of JSON texts. */
  fill(admin: AdminSession, settings: Treatment, portions: Iterable<readonly string[]>): Promise<void>;
  /** All stored documents, in one snapshot. */
  scan(admin: AdminSession, settings: Treatment): AsyncIterable<StoredDocument>;
}
