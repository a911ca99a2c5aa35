// Evidence of a database's server and of a workload's tables, read apart from the load.
import type { Endpoint } from "./endpoint.js";

/**
 * Values by the names of the catalogue of evidence: a gauge as it is now, a counter since any fixed start, so that two readings
 * make a difference. A value that could not be read is left out, never 0.
 */
export type EvidenceReading = Readonly<Record<string, number>>;

/**
 * No metric, but a value of readings: the moment, in seconds, when the server began its statistics, which a crash changes.
 * Counters of before and after it are not compared.
 */
export const STATISTICS_BEGAN = "statistics.began";

/** A view, or a part of the evidence, that was not read, and why. */
export interface SkippedSource {
  readonly source: string;
  readonly reason: string;
  /** Whether a part of the evidence was read. */
  readonly isPartial?: true;
}

/** A workload as views of evidence see it. */
export interface WatchedWorkload {
  /** Full names of its tables, quoted, by the names that the workload's own views use. */
  readonly tables: Readonly<Record<string, string>>;
  /** Application names of the load's sessions. */
  readonly loadNames: readonly string[];
}

/** Views of a workload's own tables, of the type of its store's database. */
export interface EvidenceGroup {
  readonly name: string;
}

export interface EvidenceOptions<Group extends EvidenceGroup = EvidenceGroup> {
  /** The server itself, and no pooler. */
  readonly endpoint: Endpoint;
  readonly dialect: string;
  readonly workload: WatchedWorkload & { readonly groups: readonly Group[] };
  /** Whether extensions may be added to the server's database: train-sim started the server. */
  readonly isOurs: boolean;
}

/** Calls of a statement of the workload in a window. */
export interface NamedStatement {
  readonly name: string;
  /** The text with placeholders for values. */
  readonly query: string;
  readonly calls: number;
  readonly rows: number;
  readonly totalMs: number;
  /** Left out, as `walBytes`, if the database does not count them by statement. */
  readonly blocksDirtied?: number;
  readonly walBytes?: number;
}

/** Reads of an index, or of a table from end to end. */
export interface ScanCount {
  readonly name: string;
  readonly kind: "index" | "table";
  readonly scans: number;
}

/** A part of a table that was another at the end of the window; null if it was not there. */
export interface TableChange {
  readonly part: string;
  readonly table: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Differences between the ends of a window; a part that is not known is undefined. */
export interface WindowDifferences {
  readonly statements: NamedStatement[] | undefined;
  readonly scans: ScanCount[] | undefined;
  readonly tableChanges: TableChange[] | undefined;
}

/** Reads the evidence of one trial on a connection of its own, which is opened when it is first needed and after a loss. */
export interface EvidenceReader {
  /** Everything that was not read, once each. */
  readonly skipped: readonly SkippedSource[];
  /** Processes of sessions other than the load's at the last sample. */
  readonly foreignPids: readonly number[];
  /** Connects, so that the first sample does not pay for it. Rejects as `sample`. */
  open(): Promise<void>;
  /** Rejects if the server does not answer. */
  sample(): Promise<EvidenceReading>;
  /** Remembers statements, scans and definitions of tables at the start of the window. Never rejects. */
  opened(): Promise<void>;
  /** Compares them with the end of the window. Never rejects. */
  closed(statements: readonly { readonly name: string; readonly text: string }[]): Promise<WindowDifferences>;
  /** Never rejects. */
  close(): Promise<void>;
}

export interface Evidence {
  reader(options: EvidenceOptions): EvidenceReader;
  /** Names, in `skipped`, of the views that show the work of others: sessions, transactions, and logins among these. */
  readonly foreignSources: {
    readonly sessions: string;
    readonly transactions: string;
    readonly logins: string;
  };
}
