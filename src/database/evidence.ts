import type { Endpoint } from "./endpoint.js";

/**
 * Values by their names in the catalogue of evidence: the present value of a gauge; the count of a counter since any fixed
 * start, so that two readings have a difference. A value that could not be read is left out, never 0.
 */
export type EvidenceReading = Readonly<Record<string, number>>;

/**
 * Name of a value that is no metric: the time in seconds at which the server's statistics began, which changes with a
 * crash. Counters from before and after such a change are not compared.
 */
export const STATISTICS_BEGAN = "statistics.began";

/** A view, or another source of evidence, that was not read, with the reason. */
export interface SkippedSource {
  readonly source: string;
  readonly reason: string;
  /** True if only a part of the source was not read. */
  readonly isPartial?: true;
}

/** The parts of a workload that views of evidence refer to. */
export interface WatchedWorkload {
  /** Qualified, quoted names of the tables, by the names that the workload's views use. */
  readonly tables: Readonly<Record<string, string>>;
  /** Application names of the load's sessions. */
  readonly loadNames: readonly string[];
  /** Schema all of whose tables are watched, with all statements of the database; left out if the workload names them. */
  readonly schema?: string;
}

export interface EvidenceGroup {
  readonly name: string;
}

export interface EvidenceOptions<Group extends EvidenceGroup = EvidenceGroup> {
  /** Endpoint of the server itself, never of a pooler. */
  readonly endpoint: Endpoint;
  readonly dialect: string;
  readonly workload: WatchedWorkload & { readonly groups: readonly Group[] };
  /** True if train-sim started the server, so that extensions may be added to its database. */
  readonly isOwnServer: boolean;
}

export interface NamedStatement {
  readonly name: string;
  /** Text of the statement with placeholders for values. */
  readonly query: string;
  readonly calls: number;
  readonly rows: number;
  readonly totalMs: number;
  /** Blocks dirtied by the statement; left out, like `walBytes`, if the database does not count them by statement. */
  readonly blocksDirtied?: number;
  readonly walBytes?: number;
}

export interface ScanCount {
  readonly name: string;
  readonly kind: "index" | "table";
  readonly scans: number;
}

/**
 * A part of a table whose definition changed during the window. `before` or `after` is null if the part did not exist then.
 */
export interface TableChange {
  readonly part: string;
  readonly table: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Differences between the start and the end of a window; a difference that is not known is undefined. */
export interface WindowDifferences {
  readonly statements: NamedStatement[] | undefined;
  readonly scans: ScanCount[] | undefined;
  readonly tableChanges: TableChange[] | undefined;
}

/**
 * Reads the evidence of one trial on a separate connection. The first use opens it, and the first use after a loss opens
 * another.
 */
export interface EvidenceReader {
  /** All sources that were not read, each once. */
  readonly skipped: readonly SkippedSource[];
  /** Processes, at the last sample, of sessions that do not belong to the load. */
  readonly foreignPids: readonly number[];
  /** Opens the connection before the first sample, which then takes no longer than others. Rejects like `sample`. */
  open(): Promise<void>;
  /** Reads the present values. Rejects if the server does not answer. */
  sample(): Promise<EvidenceReading>;
  /** Remembers the counts of statements and scans and the tables' definitions at the start of the window. Never rejects. */
  openWindow(): Promise<void>;
  closeWindow(
    statements: readonly { readonly name: string; readonly text: string }[],
  ): Promise<WindowDifferences>;
  /** Closes the connection. Never rejects. */
  close(): Promise<void>;
}

export interface Evidence {
  reader(options: EvidenceOptions): EvidenceReader;
  /**
   * Names, in `skipped`, of the views that show foreign work. Logins are transactions, too, and a separate view counts
   * them.
   */
  readonly foreignSources: {
    readonly sessions: string;
    readonly transactions: string;
    readonly logins: string;
  };
}
