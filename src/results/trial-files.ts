// The files of one trial that grow while it runs: `histograms.hlog`, `timeseries.csv` and `evidence.csv`, appended to
// as seconds complete, so that neither memory nor a crash costs more than the last second. `trial.json` is written
// whole at the end. A second of which a part came late has a second set of lines: readers add them up.
import { join } from "node:path";
import type { TrainSimError } from "../foundation/errors.js";
import { storageError } from "../foundation/storage-error.js";
import { meanMs, percentileMs, type Histogram } from "../metrics/histograms.js";
import { tagsOf, type Operation } from "../metrics/operations.js";
import type { SecondSink } from "../metrics/tally.js";
import { sumOf, type Totals } from "../metrics/totals.js";
import { EVIDENCE_FILE, EVIDENCE_HEADER, evidenceRows } from "./evidence-file.js";
import type { EvidenceValues } from "./evidence-metrics.js";
import { histogramLogHeader, histogramLogLine } from "./histogram-log.js";
import { TrialResult } from "./result-schema.js";
import { AppendFile, writeFileAtomic } from "../foundation/storage.js";

export const HISTOGRAM_LOG_FILE = "histograms.hlog";
export const TIMESERIES_FILE = "timeseries.csv";
export const TRIAL_FILE = "trial.json";

export const TIMESERIES_COLUMNS = [
  "second",
  "operation",
  "transactions",
  "events",
  "failures",
  "retries",
  "emptyPolls",
  "meanResponseMs",
  "p50ResponseMs",
  "p95ResponseMs",
  "p99ResponseMs",
  "maxResponseMs",
  "meanServiceMs",
  "meanPoolWaitMs",
  "offered",
  "dropped",
  "meanStartDelayMs",
] as const;

function meanCell(histogram: Histogram | undefined): string {
  return histogram ? meanMs(histogram).toFixed(3) : "";
}

/**
 * One row; cells of latencies are empty where there are no samples, those of arrivals where the operation is not started
 * by a schedule.
 */
export function timeseriesRow(
  second: number,
  operation: Operation,
  totals: Totals,
  isScheduled = false,
): string {
  const counts = totals.countsOf(operation);
  const response = totals.histograms.get(`${operation}.response`);
  const percentile = (p: number): string => (response ? percentileMs(response, p).toFixed(3) : "");
  return [
    second,
    operation,
    counts.transactions,
    counts.events,
    sumOf(counts.failures),
    sumOf(counts.retries),
    counts.emptyPolls,
    meanCell(response),
    percentile(50),
    percentile(95),
    percentile(99),
    percentile(100),
    meanCell(totals.histograms.get(`${operation}.service`)),
    meanCell(totals.histograms.get(`${operation}.poolwait`)),
    isScheduled ? counts.offered : "",
    isScheduled ? counts.dropped : "",
    meanCell(totals.histograms.get(`${operation}.startdelay`)),
  ].join(",");
}

/** What a second adds to the histogram log and to the time series. */
export function secondLines(
  second: number,
  totals: Totals,
  scheduled: readonly Operation[],
): { histograms: string; timeseries: string } {
  const histograms = tagsOf(totals.operations).flatMap((tag) => {
    const histogram = totals.histograms.get(tag);
    return histogram ? [histogramLogLine(second, tag, histogram)] : [];
  });
  const rows = totals.operations.map(
    (operation) => `${timeseriesRow(second, operation, totals, scheduled.includes(operation))}\n`,
  );
  return {
    histograms: histograms.join(""),
    timeseries: rows.join(""),
  };
}

/** Opened when the measurement window begins, in a trial directory that exists. */
export class TrialFiles {
  private readonly histogramLog: AppendFile;
  private readonly timeseries: AppendFile;
  private evidence: AppendFile | undefined;
  private firstFailure: TrainSimError | undefined;

  /** `windowStartedAtMs` is wall-clock time; `scheduled` are the operations that an open loop starts. */
  constructor(
    private readonly directory: string,
    windowStartedAtMs: number,
    private readonly scheduled: readonly Operation[] = [],
  ) {
    this.histogramLog = new AppendFile(join(directory, HISTOGRAM_LOG_FILE));
    this.timeseries = new AppendFile(join(directory, TIMESERIES_FILE));
    this.attempt(() => {
      this.histogramLog.append(histogramLogHeader(windowStartedAtMs));
      this.timeseries.append(`${TIMESERIES_COLUMNS.join(",")}\n`);
    });
  }

  /**
   * To be given to a `Tally`. Never throws, since it is called between messages of worker threads: the first
   * failure is kept for `failure` and thrown by `close`, and nothing more is written.
   */
  readonly onSecond: SecondSink = (second, totals) => {
    this.attempt(() => {
      const lines = secondLines(second, totals, this.scheduled);
      this.histogramLog.append(lines.histograms);
      this.timeseries.append(lines.timeseries);
    });
  };

  /** One sample, as `onSecond`. The file is made by the first. */
  readonly onEvidence = (second: number, values: EvidenceValues): void => {
    this.attempt(() => {
      if (!this.evidence) {
        this.evidence = new AppendFile(join(this.directory, EVIDENCE_FILE));
        this.evidence.append(EVIDENCE_HEADER);
      }
      this.evidence.append(evidenceRows(second, values));
    });
  };

  /** Why the files are incomplete, as soon as it is known (a full disk). */
  get failure(): TrainSimError | undefined {
    return this.firstFailure;
  }

  /** Flushes and closes; throws the first failure of any write. */
  close(): void {
    for (const file of [this.histogramLog, this.timeseries, this.evidence]) {
      try {
        file?.close();
      } catch (error) {
        this.firstFailure ??= storageError(error, file?.path ?? this.directory);
      }
    }
    if (this.firstFailure) throw this.firstFailure;
  }

  private attempt(write: () => void): void {
    if (this.firstFailure) return;
    try {
      write();
    } catch (error) {
      this.firstFailure = storageError(error, this.directory);
    }
  }
}

/** Throws when the trial breaks its own schema, but only after writing it. */
export async function writeTrial(directory: string, trial: TrialResult): Promise<void> {
  await writeFileAtomic(join(directory, TRIAL_FILE), `${JSON.stringify(trial, null, 2)}\n`);
  TrialResult.parse(trial);
}
