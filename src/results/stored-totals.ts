// A finished trial's counts and histograms, back from its files as they were in memory, so that trials of an
// interrupted run merge with later ones exactly. Counts come from `trial.json`, samples from `histograms.hlog`; where
// the two contradict each other one of them was cut short or changed, and the trial is refused.
import { UsageError } from "../foundation/errors.js";
import type { HistogramSet } from "../metrics/histograms.js";
import { COUNTERS, recordOf } from "../metrics/metric-lists.js";
import { PartSums } from "../metrics/part-sums.js";
import { Totals, type OperationCounts } from "../metrics/totals.js";
import { trialPath } from "./directory.js";
import { readTrialHistograms } from "./reader.js";
import type { OperationResult, TrialResult } from "./result-schema.js";
import { HISTOGRAM_LOG_FILE, TRIAL_FILE } from "./trial-files.js";

function countsOf(result: OperationResult): OperationCounts {
  return {
    ...recordOf(COUNTERS, ({ field }) => result[field] ?? 0),
    retries: new Map(Object.entries(result.retriesBySqlstate)),
    failures: new Map(Object.entries(result.failures)),
    parts: partsOf(result),
  };
}

function partsOf({ parts, transactions, slowTransactions }: OperationResult): PartSums {
  const sums = new PartSums();
  if (parts && slowTransactions) sums.addSummary(parts, transactions, slowTransactions);
  return sums;
}

/** A trial's counts as its result states them, with these samples. */
export function totalsOf(trial: TrialResult, histograms: HistogramSet): Totals {
  const totals = Totals.ofTrials();
  totals.histograms.add(histograms);
  totals.clampedSamples = trial.clampedSamples ?? 0;
  for (const [operation, result] of Object.entries(trial.operations))
    Object.assign(totals.countsOf(operation), countsOf(result));
  return totals;
}

/** Rejects with a UsageError where the trial's files are missing, damaged or contradict each other. */
export async function readTrialTotals(
  directory: string,
  trial: TrialResult,
  treatmentId: string,
): Promise<Totals> {
  const totals = totalsOf(trial, await readTrialHistograms(directory, trial.number, treatmentId));
  for (const [operation, result] of Object.entries(trial.operations)) {
    const samples = totals.histograms.get(`${operation}.response`)?.totalCount ?? 0;
    if (samples === result.transactions) continue;
    throw new UsageError(
      `${trialPath(directory, trial.number, treatmentId)}: ${HISTOGRAM_LOG_FILE} holds ${samples} ${operation} transactions, ${TRIAL_FILE} ${result.transactions}`,
      "One of the two files was cut short or changed: remove the trial's directory to run it again.",
    );
  }
  return totals;
}
