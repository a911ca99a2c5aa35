// The contract of a store of documents. Types only.
import type { AdminSession } from "../../database/contract.js";
import type { MadeTransaction } from "../../database/session.js";
import type { Store } from "../stores.js";
import type { Treatment } from "./settings.js";

export interface Document {
  readonly key: string;
  /** Values in the order of the shape. */
  readonly values: readonly string[];
  /** Key and values as JSON. */
  readonly json: string;
}

/** The operations of one treatment. Each gives one entry for each document that it found. */
export interface DocumentOperations {
  insert(document: Document): MadeTransaction<true>;
  read(key: string): MadeTransaction<readonly unknown[]>;
  slice(key: string): MadeTransaction<readonly unknown[]>;
  /** Replaces the document by another, or one value by a text, and counts the version up; gives the new versions. */
  update(key: string, change: Document | string): MadeTransaction<readonly number[]>;
  isThere(key: string): MadeTransaction<boolean>;
}

export interface StoredDocument {
  /** The key outside of the document; undefined if the store keeps none. */
  readonly id: string | undefined;
  readonly version: number;
  /** The document as JSON. */
  readonly text: string;
  readonly documentBytes: number;
  readonly rowBytes: number;
}

export interface DocumentStore extends Store<Treatment> {
  operations(settings: Treatment): DocumentOperations;
  /** Stores documents, given as JSON, portion by portion. */
  fill(admin: AdminSession, settings: Treatment, portions: Iterable<readonly string[]>): Promise<void>;
  /** Every stored document, in one snapshot. */
  scan(admin: AdminSession, settings: Treatment): AsyncIterable<StoredDocument>;
}
