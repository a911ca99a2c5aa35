// Reads the files of one trial line by line. A file that was cut short or changed is refused.
import { join } from "node:path";
import { UsageError } from "../../foundation/errors.js";
import { HistogramSet } from "../../metrics/histograms.js";
import { responseOperationOf, type Operation, type Tag } from "../../metrics/operations.js";
import { trialPath } from "../../results/directory.js";
import { readEvidence } from "../../results/evidence-file.js";
import { readHistogramLog } from "../../results/histogram-log.js";
import type { TrialResult } from "../../results/result-schema.js";
import { readTimeseries } from "../../results/timeseries.js";
import { HISTOGRAM_LOG_FILE, TIMESERIES_FILE } from "../../results/trial-files.js";
import { WindowBuckets } from "./buckets.js";
import type { TrialSeries } from "./report-data.js";

export interface StoredTrial {
  readonly series: TrialSeries;
  /** Histograms of the whole window: response times, and the spans of an event's life. */
  readonly histograms: HistogramSet;
}

const isWanted = (tag: Tag): boolean =>
  responseOperationOf(tag) !== undefined || tag.startsWith("lifecycle.");

async function addHistograms(path: string, buckets: WindowBuckets): Promise<HistogramSet> {
  const merged = new HistogramSet();
  for await (const { second, tag, histogram } of readHistogramLog(path, isWanted)) {
    merged.addTo(tag, histogram);
    const operation = responseOperationOf(tag);
    if (operation) buckets.addHistogram(second, operation, histogram);
  }
  return merged;
}

/** Adds the counts of a trial's time series to the buckets; resolves to the number of transactions by operation. */
async function addCounts(path: string, buckets: WindowBuckets): Promise<Map<Operation, number>> {
  const transactions = new Map<Operation, number>();
  for await (const row of readTimeseries(path)) {
    buckets.addCounts(row);
    transactions.set(row.operation, (transactions.get(row.operation) ?? 0) + row.transactions);
  }
  return transactions;
}

/**
 * Throws a UsageError if the histograms or the time series of a trial hold another number of transactions than its result.
 */
function requireMatchingCounts(
  trial: TrialResult,
  path: string,
  histograms: HistogramSet,
  transactions: ReadonlyMap<Operation, number>,
): void {
  const histogramOperations = histograms.entries().flatMap(([tag]) => responseOperationOf(tag) ?? []);
  for (const operation of new Set([
    ...Object.keys(trial.operations),
    ...histogramOperations,
    ...transactions.keys(),
  ])) {
    const counted = trial.operations[operation]?.transactions ?? 0;
    const held: [file: string, count: number][] = [
      [HISTOGRAM_LOG_FILE, histograms.get(`${operation}.response`)?.totalCount ?? 0],
      [TIMESERIES_FILE, transactions.get(operation) ?? 0],
    ];
    for (const [file, count] of held) {
      if (count === counted) continue;
      throw new UsageError(
        `${join(path, file)} holds ${count} ${operation} transactions, the result ${counted}`,
        "Was it cut short or changed?",
      );
    }
  }
}

/**
 * Reads a trial's files. Rejects with a UsageError if a file is missing or damaged, or differs from the counts of the
 * result.
 */
export async function readStoredTrial(
  directory: string,
  trial: TrialResult,
  treatment: string,
  bucketSeconds: number,
): Promise<StoredTrial> {
  const path = trialPath(directory, trial.number, treatment);
  const buckets = new WindowBuckets(trial.windowSeconds, bucketSeconds);
  const histograms = await addHistograms(join(path, HISTOGRAM_LOG_FILE), buckets);
  const transactions = await addCounts(join(path, TIMESERIES_FILE), buckets);
  for await (const { second, metric, value } of readEvidence(path)) buckets.addReading(second, metric, value);
  requireMatchingCounts(trial, path, histograms, transactions);
  return {
    series: {
      trial: trial.number,
      treatment,
      bucketSeconds,
      buckets: buckets.buckets,
      operations: buckets.operationSeries(),
      evidence: buckets.readingSeries(),
    },
    histograms,
  };
}
