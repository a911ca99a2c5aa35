// Capabilities of a dialect, as data that needs no database: the loader refuses by them before anything is started. The
// workload says what a level means.

/** Why a level is not there, and what comes nearest to it. */
export interface Lack {
  /** Continues "... does not have payload: jsonb: ". */
  readonly reason: string;
  readonly nearest: string;
}

/** One thing that clients have to do again, and how they know. */
export interface RetryRule {
  readonly sqlstate: string;
  /** What the server says, as far as it is always the same. */
  readonly words: string;
  readonly meaning: string;
}

export interface DialectCapabilities {
  /** As people write it. */
  readonly label: string;
  /** Levels that it does not have, by factor; all others it has. */
  readonly lacks: Readonly<Record<string, Readonly<Record<string, Lack>>>>;
  /** What claims lock there, where it is not the rows that `locking` speaks of; one sentence. */
  readonly lockingCaveat?: string;
  /** What keys in order of time do to inserts there, with the way out, where rows are kept in ranges of keys; one sentence. */
  readonly orderedKeysCaveat?: string;
  /** Faults that train-sim cannot make there, and why. */
  readonly lacksFaults: Readonly<Record<string, string>>;
  /** Rows that one transaction may change, of all tables together; undefined where there is no such limit. */
  readonly rowsPerTransaction?: number;
  readonly documentIndex: "GIN" | "inverted" | "none";
  readonly generatedColumns: "stored" | "none";
  readonly foreignKeys: "enforced" | "declared, not enforced" | "none";
  /** What one transaction may change of the schema. */
  readonly ddl: "transactional" | "each statement by itself";
  readonly retries: readonly RetryRule[];
  /** Which keys suit it. */
  readonly ids: string;
  /** Where the evidence comes from. */
  readonly statistics: readonly string[];
  /** Pages on which this table rests. */
  readonly sources: readonly string[];
}
