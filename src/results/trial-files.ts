// Files that grow while a trial runs. A second of which a part came late has two sets of lines: readers add them up.
import { join } from "node:path";
import type { TrainSimError } from "../foundation/errors.js";
import { storageError } from "../foundation/storage-error.js";
import { sumOfCounts } from "../metrics/figures.js";
import { meanMs, percentileMs, type Histogram } from "../metrics/histograms.js";
import { tagsOf, type Operation } from "../metrics/operations.js";
import { needsSchedule, SERIES_METRICS } from "../metrics/metric-lists.js";
import type { SecondSink } from "../metrics/tally.js";
import type { Totals } from "../metrics/totals.js";
import { EVIDENCE_FILE, EVIDENCE_HEADER, evidenceRows } from "./evidence-file.js";
import type { EvidenceValues } from "../metrics/evidence-metric.js";
import { histogramLogHeader, histogramLogLine } from "./histogram-log.js";
import { TrialResult } from "./result-schema.js";
import { AppendFile, writeFileAtomic } from "../foundation/storage.js";

export const HISTOGRAM_LOG_FILE = "histograms.hlog";
export const TIMESERIES_FILE = "timeseries.csv";
export const TRIAL_FILE = "trial.json";

export const TIMESERIES_COLUMNS = [
  "second",
  "operation",
  ...SERIES_METRICS.flatMap(({ id, field, series }) =>
    series.map((cell) => {
      const name = field.replace(/(Time)?Ms$/, "");
      return cell === "count" ? id : `${cell}${name[0]?.toUpperCase()}${name.slice(1)}Ms`;
    }),
  ),
];

const HISTOGRAM_STATISTICS = {
  mean: meanMs,
  p50: (histogram: Histogram) => percentileMs(histogram, 50),
  p95: (histogram: Histogram) => percentileMs(histogram, 95),
  p99: (histogram: Histogram) => percentileMs(histogram, 99),
  max: (histogram: Histogram) => percentileMs(histogram, 100),
};

/**
 * One row of the time series. Latency cells are empty without samples, arrival cells if no schedule starts the operation.
 */
export function timeseriesRow(
  second: number,
  operation: Operation,
  totals: Totals,
  isScheduled = false,
): string {
  const counts = totals.countsOf(operation);
  const cells = SERIES_METRICS.flatMap((metric): (string | number)[] => {
    if (metric.aggregate === "histogram") {
      const histogram = totals.histograms.get(`${operation}.${metric.id}`);
      return metric.series.map((cell) => (histogram ? HISTOGRAM_STATISTICS[cell](histogram).toFixed(3) : ""));
    }
    if (needsSchedule(metric) && !isScheduled) return [""];
    const count = counts[metric.id];
    return [typeof count === "number" ? count : sumOfCounts(count)];
  });
  return [second, operation, ...cells].join(",");
}

/** Lines that a second adds to the histogram log and to the time series. */
export function secondLines(
  second: number,
  totals: Totals,
  scheduled: readonly Operation[],
): { histograms: string; timeseries: string } {
  const histograms = tagsOf(totals.operations, totals.stages).flatMap((tag) => {
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

/** The files of a trial's measurements. Opened when the window begins, in an existing trial directory. */
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

  /** Writes a second of a `Tally`. Never throws: `failure` keeps the first error, after which nothing more is written. */
  readonly onSecond: SecondSink = (second, totals) => {
    this.attempt(() => {
      const lines = secondLines(second, totals, this.scheduled);
      this.histogramLog.append(lines.histograms);
      this.timeseries.append(lines.timeseries);
    });
  };

  /** Writes one sample of the evidence. Never throws, like `onSecond`. The first sample creates the file. */
  readonly onEvidence = (second: number, values: EvidenceValues): void => {
    this.attempt(() => {
      if (!this.evidence) {
        this.evidence = new AppendFile(join(this.directory, EVIDENCE_FILE));
        this.evidence.append(EVIDENCE_HEADER);
      }
      this.evidence.append(evidenceRows(second, values));
    });
  };

  /** The reason why the files are incomplete (for example a full disk), as soon as it is known. */
  get failure(): TrainSimError | undefined {
    return this.firstFailure;
  }

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

/** Writes the result of a trial. Throws if it breaks its schema, but only after writing it. */
export async function writeTrial(directory: string, trial: TrialResult): Promise<void> {
  await writeFileAtomic(join(directory, TRIAL_FILE), `${JSON.stringify(trial, null, 2)}\n`);
  TrialResult.parse(trial);
}
