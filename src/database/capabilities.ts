// Capabilities of a dialect as data: the loader refuses by them before anything is started.

export interface MissingCapability {
  /** Why the dialect lacks the level, as text that continues "... does not have payload: jsonb: ". */
  readonly reason: string;
  readonly nearest: string;
}

/** The same lack for each of these levels. */
export const lacking = (
  reason: string,
  nearest: string,
  levels: readonly string[],
): Readonly<Record<string, MissingCapability>> =>
  Object.fromEntries(levels.map((level) => [level, { reason, nearest }]));

export interface RetryRule {
  readonly sqlstate: string;
  /** The part of the server's message that is always the same. */
  readonly words: string;
  readonly meaning: string;
}

export interface DialectCapabilities {
  readonly label: string;
  readonly unsupportedLevels: Readonly<Record<string, Readonly<Record<string, MissingCapability>>>>;
  /** A sentence about the locks of claims, if claims lock more than the rows that `locking` refers to. */
  readonly lockingCaveat?: string;
  /** A sentence about inserts with time-ordered keys, and the way out, if the database keeps rows in ranges of keys. */
  readonly orderedKeysCaveat?: string;
  /** Faults that train-sim cannot make in this dialect, each with the reason. */
  readonly unsupportedFaults: Readonly<Record<string, string>>;
  /** Maximum number of rows of all tables that one transaction may change; undefined if there is no such limit. */
  readonly rowsPerTransaction?: number;
  readonly documentIndex: "GIN" | "inverted" | "none";
  readonly generatedColumns: "stored" | "none";
  readonly foreignKeys: "enforced" | "declared, not enforced" | "none";
  readonly ddl: "transactional" | "each statement alone";
  readonly retries: readonly RetryRule[];
  readonly ids: string;
  readonly statistics: readonly string[];
  /** URLs of the pages from which this table was made. */
  readonly sources: readonly string[];
}
