import type { AdminSession } from "../../database/contract.js";
import type { PreparedTransaction } from "../../database/session.js";
import type { Store } from "../stores.js";
import type { Treatment } from "./settings.js";

export interface Document {
  readonly key: string;
  readonly values: readonly string[];
  /** Key and values as JSON. */
  readonly json: string;
}

export interface DocumentOperations {
  insert(document: Document): PreparedTransaction<true>;
  read(key: string): PreparedTransaction<readonly unknown[]>;
  slice(key: string): PreparedTransaction<readonly unknown[]>;
  /** Replaces the document, or one value by a text, and increments the version; resolves to the new versions. */
  update(key: string, change: Document | string): PreparedTransaction<readonly number[]>;
  isThere(key: string): PreparedTransaction<boolean>;
}

export interface StoredDocument {
  /** Key in a separate column; undefined if the store has none. */
  readonly id: string | undefined;
  readonly version: number;
  /** The document as JSON. */
  readonly text: string;
  readonly documentBytes: number;
  readonly rowBytes: number;
}

export interface DocumentStore extends Store<Treatment> {
  operations(settings: Treatment): DocumentOperations;
  /** Stores documents, given as JSON in portions. */
  fill(admin: AdminSession, settings: Treatment, portions: Iterable<readonly string[]>): Promise<void>;
  /** All stored documents, in one snapshot. */
  scan(admin: AdminSession, settings: Treatment): AsyncIterable<StoredDocument>;
}
