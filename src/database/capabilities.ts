// Capabilities of a dialect, as data that needs no database: the loader refuses by them before anything is started. The
// workload says what a level means.

/** The reason why a level is missing, and the nearest level. */
export interface Lack {
  /** Continues "... does not have payload: jsonb: ". */
  readonly reason: string;
  readonly nearest: string;
}

/** A failure after which clients try again. */
export interface RetryRule {
  readonly sqlstate: string;
  /** The part of the server's message that is always the same. */
  readonly words: string;
  readonly meaning: string;
}

export interface DialectCapabilities {
  /** The usual spelling of the product. */
  readonly label: string;
  /** Missing levels, by factor. */
  readonly lacks: Readonly<Record<string, Readonly<Record<string, Lack>>>>;
  /** A sentence about the locks of claims, if they lock anything but the rows that `locking` speaks of. */
  readonly lockingCaveat?: string;
  /** A sentence about inserts with keys in order of time, and the way out, if rows are kept in ranges of keys. */
  readonly orderedKeysCaveat?: string;
  /** Faults that train-sim cannot make, each with the reason. */
  readonly lacksFaults: Readonly<Record<string, string>>;
  /** Rows that one transaction may change, of all tables together; undefined if there is no such limit. */
  readonly rowsPerTransaction?: number;
  readonly documentIndex: "GIN" | "inverted" | "none";
  readonly generatedColumns: "stored" | "none";
  readonly foreignKeys: "enforced" | "declared, not enforced" | "none";
  /** The extent of a transaction over changes of the schema. */
  readonly ddl: "transactional" | "each statement by itself";
  readonly retries: readonly RetryRule[];
  /** The keys that suit it. */
  readonly ids: string;
  /** Sources of evidence. */
  readonly statistics: readonly string[];
  /** Pages on which this table rests. */
  readonly sources: readonly string[];
}
