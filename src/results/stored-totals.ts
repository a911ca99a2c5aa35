// Totals of a finished trial, read back to merge exactly. A trial whose files contradict each other is refused.
import { UsageError } from "../foundation/errors.js";
import type { HistogramSet } from "../metrics/histograms.js";
import { addCounts, COUNTERS, recordOf, type Counts } from "../metrics/metric-lists.js";
import { Totals } from "../metrics/totals.js";
import { trialPath } from "./directory.js";
import { readTrialHistograms } from "./reader.js";
import type { OperationResult, TrialResult } from "./result-schema.js";
import { HISTOGRAM_LOG_FILE, TRIAL_FILE } from "./trial-files.js";

function countsOf(result: OperationResult): Counts {
  return {
    ...recordOf(COUNTERS, ({ field }) => result[field] ?? 0),
    retries: result.retriesBySqlstate,
    failures: result.failures,
  };
}

/** Totals of a trial: the counts of its result, with these histograms. */
export function totalsOf(trial: TrialResult, histograms: HistogramSet): Totals {
  const totals = Totals.ofTrials();
  totals.histograms.add(histograms);
  totals.clampedSamples = trial.clampedSamples ?? 0;
  for (const [operation, result] of Object.entries(trial.operations)) {
    addCounts(totals.countsOf(operation), countsOf(result));
    const { parts, transactions, slowTransactions } = result;
    if (parts && slowTransactions)
      totals.partsOf(operation).addSummary(parts, transactions, slowTransactions);
  }
  return totals;
}

/**
 * Reads a trial's totals from its files. Rejects with a UsageError if they are missing, damaged or contradict each other.
 */
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
