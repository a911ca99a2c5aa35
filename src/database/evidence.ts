import type { Endpoint } from "./endpoint.js";

/**
 * Values by their names in the catalogue of evidence: a gauge's present value, or a counter since any fixed start, so that
 * two readings have a difference. A value that could not be read is left out, never 0.
 */
export type EvidenceReading = Readonly<Record<string, number>>;

/**
 * Name of a value that is no metric: the time, in seconds, at which the server's statistics began, which a crash changes.
 * Counters from before and after that time are not compared.
 */
export const STATISTICS_BEGAN = "statistics.began";

/** A view, or a part of the evidence, that was not read, and the reason. */
export interface SkippedSource {
  readonly source: string;
  readonly reason: string;
  /** Present if a part of the evidence was read. */
  readonly isPartial?: true;
}

/** A workload as views of evidence see it. */
export interface WatchedWorkload {
  /** Qualified, quoted names of the tables, by the names that the workload's views use. */
  readonly tables: Readonly<Record<string, string>>;
  /** Application names of the load's sessions. */
  readonly loadNames: readonly string[];
}

export interface EvidenceGroup {
  readonly name: string;
}

export interface EvidenceOptions<Group extends EvidenceGroup = EvidenceGroup> {
  /** Endpoint of the server itself, never of a pooler. */
  readonly endpoint: Endpoint;
  readonly dialect: string;
  readonly workload: WatchedWorkload & { readonly groups: readonly Group[] };
  /** True if extensions may be added to the server's database, because train-sim started the server. */
  readonly isOurs: boolean;
}

export interface NamedStatement {
  readonly name: string;
  /** Text of the statement with placeholders for values. */
  readonly query: string;
  readonly calls: number;
  readonly rows: number;
  readonly totalMs: number;
  /** Left out, like `walBytes`, if the database does not count by statement. */
  readonly blocksDirtied?: number;
  readonly walBytes?: number;
}

export interface ScanCount {
  readonly name: string;
  readonly kind: "index" | "table";
  readonly scans: number;
}

/** A part of a table whose definition changed during the window; null if it did not exist at that end. */
export interface TableChange {
  readonly part: string;
  readonly table: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Differences between the two ends of a window; an unknown part is undefined. */
export interface WindowDifferences {
  readonly statements: NamedStatement[] | undefined;
  readonly scans: ScanCount[] | undefined;
  readonly tableChanges: TableChange[] | undefined;
}

/** Reads the evidence of one trial on a separate connection, which is opened when it is first needed and after a loss. */
export interface EvidenceReader {
  /** All sources that were not read, each once. */
  readonly skipped: readonly SkippedSource[];
  /** Processes of sessions other than the load's at the last sample. */
  readonly foreignPids: readonly number[];
  /** Connects ahead of the first sample, which then takes no longer than others. Rejects like `sample`. */
  open(): Promise<void>;
  /** Rejects if the server does not answer. */
  sample(): Promise<EvidenceReading>;
  /** Remembers statements, scans and definitions of tables at the start of the window. Never rejects. */
  openWindow(): Promise<void>;
  closeWindow(
    statements: readonly { readonly name: string; readonly text: string }[],
  ): Promise<WindowDifferences>;
  /** Never rejects. */
  close(): Promise<void>;
}

export interface Evidence {
  reader(options: EvidenceOptions): EvidenceReader;
  /** Names, in `skipped`, of the views that show foreign work: sessions, transactions, and the logins among these. */
  readonly foreignSources: {
    readonly sessions: string;
    readonly transactions: string;
    readonly logins: string;
  };
}
