// The contract between the program, which collects the data of a report, and the page, which draws it in a browser.
import type { Operation } from "../../metrics/operations.js";
import type { InvalidTrials } from "../../analysis/diagnosis/validity.js";
import type { Vocabulary } from "../../workloads/vocabulary.js";
import type { KeyFinding } from "../findings/key-findings.js";
import type { ResultDocument } from "../../results/result-schema.js";

export interface ReportData {
  readonly programVersion: string;
  readonly result: ResultDocument;
  readonly vocabulary: Vocabulary;
  /** Sentences at the top of the report, the most important one first. */
  readonly findings: readonly KeyFinding[];
  /** Notes of the linter and of the diagnosis about the experiment as a whole. */
  readonly notes: readonly string[];
  /** Numbers of the trials with invalid counts or timings, by aspect. */
  readonly invalidTrials: InvalidTrials;
  /** Series of each trial that was measured for at least a second, in the order in which the trials ran. */
  readonly series: readonly TrialSeries[];
  readonly curves: readonly PercentileCurve[];
}

/**
 * A trial over time, in equal buckets of whole seconds; every list has one entry for each bucket. The last bucket may end
 * with the window; a rest of less than half a bucket is left out.
 */
export interface TrialSeries {
  readonly trial: number;
  readonly treatment: string;
  /** Length of a bucket in seconds, the same in all trials of a report. */
  readonly bucketSeconds: number;
  readonly buckets: number;
  readonly operations: Readonly<Record<Operation, OperationSeries>>;
  /** Means over a bucket by evidence name; null without a sample, 0 for a wait event that no sample saw. */
  readonly evidence: Readonly<Record<string, readonly (number | null)[]>>;
}

export interface OperationSeries {
  readonly events: readonly number[];
  readonly transactions: readonly number[];
  readonly retries: readonly number[];
  readonly failures: readonly number[];
  readonly p50: readonly (number | null)[];
  readonly p95: readonly (number | null)[];
  readonly p99: readonly (number | null)[];
  readonly max: readonly (number | null)[];
}

export interface PercentileCurve {
  readonly treatment: string;
  readonly operation: Operation;
  readonly count: number;
  /** Percentile (0 .. 100) and milliseconds, ascending, denser towards 100 like in HdrHistogram's plots. */
  readonly points: readonly (readonly [number, number])[];
}
