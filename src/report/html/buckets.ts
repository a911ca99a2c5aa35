// A trial's window in equal buckets of whole seconds, few enough to draw and to keep the report small. Counts become
// rates over the time that a bucket really covers; histograms are merged, so that a bucket's percentile is that of all
// its samples; readings are averaged. A rest of less than half a bucket is left out: its rates would be noise.
import { percentileMs, type Histogram } from "../../metrics/histograms.js";
import type { Operation } from "../../metrics/operations.js";
import type { TimeseriesCounts } from "../../results/timeseries.js";
import type { OperationSeries } from "./report-data.js";

/** Four significant digits: more than a picture can show, and more than a histogram holds. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

const COUNTS = ["events", "transactions", "retries", "failures"] as const;
const PERCENTILES = { p50: 50, p95: 95, p99: 99, max: 100 } as const;

interface OperationBuckets {
  readonly counts: Readonly<Record<(typeof COUNTS)[number], number[]>>;
  readonly histograms: (Histogram | undefined)[];
}

interface Readings {
  readonly sums: number[];
  readonly counts: number[];
}

/** A wait event has a reading in the samples that saw it; in every other one of the sessions it is 0. */
const WAIT = "wait.";
const SESSIONS = "sessions.active";

/** How long a bucket must be for a window to have no more than so many. */
export function bucketSecondsOf(windowSeconds: number, bucketsMax: number): number {
  return Math.max(1, Math.ceil(Math.round(windowSeconds) / bucketsMax));
}

export class Buckets {
  readonly buckets: number;
  private readonly operations = new Map<Operation, OperationBuckets>();
  private readonly readings = new Map<string, Readings>();

  constructor(
    private readonly windowSeconds: number,
    private readonly bucketSeconds: number,
  ) {
    this.buckets = Math.max(1, Math.round(windowSeconds / bucketSeconds));
  }

  addCounts(row: TimeseriesCounts): void {
    const bucket = this.bucketOf(row.second);
    if (bucket === undefined) return;
    const { counts } = this.of(row.operation);
    for (const count of COUNTS) counts[count][bucket] = (counts[count][bucket] ?? 0) + row[count];
  }

  /** Response times. Takes the histogram over: it may be added to. */
  addHistogram(second: number, operation: Operation, histogram: Histogram): void {
    const bucket = this.bucketOf(second);
    if (bucket === undefined) return;
    const { histograms } = this.of(operation);
    const sum = histograms[bucket];
    if (sum) sum.add(histogram);
    else histograms[bucket] = histogram;
  }

  /** A reading of a metric, or a rate, in that second. */
  addReading(second: number, metric: string, value: number): void {
    const bucket = this.bucketOf(second);
    if (bucket === undefined) return;
    const readings = this.readings.get(metric) ?? { sums: this.zeros(), counts: this.zeros() };
    this.readings.set(metric, readings);
    readings.sums[bucket] = (readings.sums[bucket] ?? 0) + value;
    readings.counts[bucket] = (readings.counts[bucket] ?? 0) + 1;
  }

  operationSeries(): Partial<Record<Operation, OperationSeries>> {
    const perSecond = (counts: readonly number[]): number[] =>
      counts.map((count, bucket) => rounded(count / this.coveredSeconds(bucket)));
    const percentiles = (histograms: OperationBuckets["histograms"], percentile: number): (number | null)[] =>
      histograms.map((histogram) => (histogram ? rounded(percentileMs(histogram, percentile)) : null));
    return Object.fromEntries(
      [...this.operations].map(([operation, { counts, histograms }]): [Operation, OperationSeries] => [
        operation,
        {
          events: perSecond(counts.events),
          transactions: perSecond(counts.transactions),
          retries: perSecond(counts.retries),
          failures: perSecond(counts.failures),
          p50: percentiles(histograms, PERCENTILES.p50),
          p95: percentiles(histograms, PERCENTILES.p95),
          p99: percentiles(histograms, PERCENTILES.p99),
          max: percentiles(histograms, PERCENTILES.max),
        },
      ]),
    );
  }

  /** Means by metric; null where a bucket has no reading. */
  readingSeries(): Record<string, (number | null)[]> {
    const sessions = this.readings.get(SESSIONS)?.counts;
    const mean = (sum: number, samples = 0): number | null => (samples > 0 ? rounded(sum / samples) : null);
    return Object.fromEntries(
      [...this.readings].map(([metric, { sums, counts }]) => {
        const samples = metric.startsWith(WAIT) ? (sessions ?? counts) : counts;
        return [metric, sums.map((sum, bucket) => mean(sum, samples[bucket]))];
      }),
    );
  }

  private of(operation: Operation): OperationBuckets {
    const known = this.operations.get(operation);
    if (known) return known;
    const counts = {
      events: this.zeros(),
      transactions: this.zeros(),
      retries: this.zeros(),
      failures: this.zeros(),
    };
    const made = { counts, histograms: Array.from<undefined>({ length: this.buckets }) };
    this.operations.set(operation, made);
    return made;
  }

  private zeros(): number[] {
    return Array.from({ length: this.buckets }, () => 0);
  }

  private bucketOf(second: number): number | undefined {
    const bucket = Math.floor(second / this.bucketSeconds);
    return bucket >= 0 && bucket < this.buckets ? bucket : undefined;
  }

  private coveredSeconds(bucket: number): number {
    const start = bucket * this.bucketSeconds;
    return Math.min(this.windowSeconds, start + this.bucketSeconds) - start;
  }
}
