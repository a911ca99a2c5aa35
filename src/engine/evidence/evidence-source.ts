// A source never ends a trial: a value that it cannot read is left out and named.
import type { EvidenceReading, SkippedSource } from "../../database/evidence.js";
import type { DatabaseEvidence } from "../../results/result-schema.js";

/** Key of the server's process id in a reading; it is no metric. A change marks a restart. */
export const SERVER_PID_KEY = "host.serverPid";

/** Key of the number of the connection to the poolers' consoles in a reading; it is no metric. A restart changes it. */
export const POOLER_SESSION_KEY = "pooler.session";

/** The reason why counters have no total of the window. */
export const COUNTER_RESTART_REASON =
  "the server's counters restarted from 0 in the window (a restart or a reset)";

export interface EvidenceSource {
  /** `database`, `pooler` or `host`, for messages about its failures. */
  readonly name: string;
  /** Connects ahead of the window; later samples try again to reach missing parts. Never rejects. */
  prepare?(): Promise<void>;
  /** Takes one reading within a few seconds. A rejection is a missed sample; the next call tries again. */
  sample(): Promise<EvidenceReading>;
  /** Queries for the ends of the window alone, before its first reading and after its last. A failure is skipped. */
  openWindow?(): Promise<void>;
  closeWindow?(): Promise<void>;
  /** Fields of the result besides the figures of the catalogue, once the window has ended. */
  summary?(window: WindowEvidence): Partial<DatabaseEvidence>;
  readonly skipped: readonly SkippedSource[];
  close(): Promise<void>;
}

export interface MeanAndMax {
  readonly mean: number;
  readonly max: number;
}

export interface WindowEvidence {
  gauge(name: string): MeanAndMax | undefined;
  sampleCount(name: string): number;
  /** The sum over samples of each gauge of a family such as `wait.`, by its name without the family. */
  family(prefix: string): ReadonlyMap<string, number>;
  /** The difference between the readings at the two ends; undefined also for a counter that restarted in between. */
  total(name: string): number | undefined;
  /** The gauge's value at the start of the window (`first`) or at its end (`last`). */
  first(name: string): number | undefined;
  last(name: string): number | undefined;
  readonly samples: number;
}
