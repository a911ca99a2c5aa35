// What evidence is made of: sources that are asked about once a second while a window lasts, and what they say of it
// afterwards. A source asks the database, the pooler or the machine and knows nothing of files, seconds or rates; the
// engine's `evidence.ts` asks all of them at once, makes rates of what they counted and keeps only sums.
// A source never ends a trial: what it cannot tell it leaves out and names.
import type { DatabaseEvidence } from "../../results/result-schema.js";

/**
 * Values by the names of the catalogue: a gauge as it is now, a counter as what was counted since any fixed start,
 * so that two readings make a difference. What could not be read is left out, never 0. A server's also says since when it counts
 * (`STATISTICS_BEGAN`), this machine's, of which process (`SERVER_PROCESS`), a pooler's, on which connection (`POOLER_SESSION`).
 */
export type EvidenceReading = Readonly<Record<string, number>>;

/** The server's process whose processor time a reading holds: a server that was restarted has another. */
export const SERVER_PROCESS = "host.serverPid";

/** Which connection to the poolers' consoles a reading is from: a pooler that restarted has ended the one before. */
export const POOLER_SESSION = "pooler.session";

/** Why counters have no total of the window. */
export const COUNTED_AGAIN = "the server counted from 0 again in the window (a restart, a reset)";

/** A view, or a part of the evidence, that is not there, and why. */
export interface SkippedSource {
  readonly source: string;
  readonly reason: string;
  /** Whether a part of the evidence was read. */
  readonly isPartial?: true;
}

export interface EvidenceSource {
  /** As `database`, `pooler`, `host`: for what is told about its failures. */
  readonly name: string;
  /** Connects ahead of the window; what cannot be reached is tried again by the samples. Never rejects. */
  prepare?(): Promise<void>;
  /**
   * One reading; within a few seconds, whatever happens. A rejection is a missed sample; the next call tries again. Never called
   * while one is under way.
   */
  sample(): Promise<EvidenceReading>;
  /** What only the ends of the window are asked for, before its first reading and after its last. A failure is skipped. */
  opened?(): Promise<void>;
  closed?(): Promise<void>;
  /** Fields of the result besides the figures of the catalogue, once the window has ended. */
  summary?(window: WindowEvidence): Partial<DatabaseEvidence>;
  /** Known so far; each named once. */
  readonly skipped: readonly SkippedSource[];
  /** Never rejects. */
  close(): Promise<void>;
}

export interface MeanAndMax {
  readonly mean: number;
  readonly max: number;
}

/** What the readings of a window come to, by metric; undefined where there were none. */
export interface WindowEvidence {
  /** A gauge over the samples of the window. */
  gauge(name: string): MeanAndMax | undefined;
  /** In how many samples that gauge was. */
  seen(name: string): number;
  /** Gauges of a family, as `wait.`, by the name without it, and how often it was seen at what: the sum over samples. */
  family(prefix: string): ReadonlyMap<string, number>;
  /** What was counted between the readings at its two ends; undefined also where a counter began anew in between. */
  total(name: string): number | undefined;
  /** A gauge at either end of the window. */
  first(name: string): number | undefined;
  last(name: string): number | undefined;
  /** Number of samples. */
  readonly samples: number;
}
