// A trial's window in equal buckets of whole seconds. Histograms are merged, so that a bucket's percentile comes from all
// its samples. A rest of less than half a bucket is left out: its rates would be noise.
import { percentileMs, type Histogram } from "../../metrics/histograms.js";
import type { Operation } from "../../metrics/operations.js";
import type { TimeseriesCounts } from "../../results/timeseries.js";
import { BRIDGE_QUARTILE_MULTIPLE, bridgeGapsIf } from "./page/charts/readings.js";
import type { OperationSeries } from "./report-data.js";

/** Rounds to four significant digits: a picture cannot show more, and a histogram does not hold more. */
export function toFourDigits(value: number): number {
  return Number(value.toPrecision(4));
}

const COUNT_FIELDS = ["events", "transactions", "retries", "failures"] as const;
const PERCENTILES = { p50: 50, p95: 95, p99: 99, max: 100 } as const;

interface OperationBuckets {
  readonly counts: Readonly<Record<(typeof COUNT_FIELDS)[number], number[]>>;
  readonly histograms: (Histogram | undefined)[];
}

/** Readings of one metric: sum, count and seconds of the end readings by bucket, and distances over the whole window. */
interface MetricReadings {
  readonly sums: number[];
  readonly counts: number[];
  /** Second of the first reading in each bucket; `last` has the second of the last one. */
  readonly first: number[];
  readonly last: number[];
  /** Counts of the distances in seconds between successive readings. */
  readonly distances: DistanceCounts;
  latestSecond: number | undefined;
}

/** Number of occurrences by distance in seconds. A list of all distances would be long, since a window may last for days. */
type DistanceCounts = Map<number, number>;

/** Prefix of the names of wait events. A wait event that a sample of sessions does not name has 0 sessions in it. */
const WAIT_PREFIX = "wait.";
const SESSIONS_METRIC = "sessions.active";

export function bucketSecondsOf(windowSeconds: number, bucketsMax: number): number {
  return Math.max(1, Math.ceil(Math.round(windowSeconds) / bucketsMax));
}

function joinUsualGaps(
  means: readonly (number | null)[],
  { first, last, distances }: MetricReadings,
): (number | null)[] {
  const most = BRIDGE_QUARTILE_MULTIPLE * upperQuartile(distances);
  const whole = bridgeGapsIf(means, (from, to) => (first[to] ?? 0) - (last[from] ?? 0) <= most);
  return whole.map((value) => (value === null ? null : toFourDigits(value)));
}

function upperQuartile(distances: DistanceCounts): number {
  const ascending = [...distances].sort(([a], [b]) => a - b);
  const all = ascending.reduce((sum, [, times]) => sum + times, 0);
  let seen = 0;
  return ascending.find(([, times]) => (seen += times) >= 0.75 * all)?.[0] ?? 0;
}

export class WindowBuckets {
  readonly buckets: number;
  private readonly operations = new Map<Operation, OperationBuckets>();
  private readonly readings = new Map<string, MetricReadings>();

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
    for (const count of COUNT_FIELDS) counts[count][bucket] = (counts[count][bucket] ?? 0) + row[count];
  }

  addHistogram(second: number, operation: Operation, histogram: Histogram): void {
    const bucket = this.bucketOf(second);
    if (bucket === undefined) return;
    const { histograms } = this.of(operation);
    const sum = histograms[bucket];
    if (sum) sum.add(histogram);
    else histograms[bucket] = histogram;
  }

  addReading(second: number, metric: string, value: number): void {
    const bucket = this.bucketOf(second);
    if (bucket === undefined) return;
    const readings = this.readingsOf(metric);
    const { sums, counts, first, last, distances, latestSecond } = readings;
    if (counts[bucket] === 0) first[bucket] = second;
    sums[bucket] = (sums[bucket] ?? 0) + value;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    last[bucket] = second;
    readings.latestSecond = second;
    if (latestSecond === undefined) return;
    distances.set(second - latestSecond, (distances.get(second - latestSecond) ?? 0) + 1);
  }

  operationSeries(): Record<Operation, OperationSeries> {
    const perSecond = (counts: readonly number[]): number[] =>
      counts.map((count, bucket) => toFourDigits(count / this.coveredSeconds(bucket)));
    const percentileSeries = (
      histograms: OperationBuckets["histograms"],
      percentile: number,
    ): (number | null)[] =>
      histograms.map((histogram) => (histogram ? toFourDigits(percentileMs(histogram, percentile)) : null));
    return Object.fromEntries(
      [...this.operations].map(([operation, { counts, histograms }]): [Operation, OperationSeries] => [
        operation,
        {
          events: perSecond(counts.events),
          transactions: perSecond(counts.transactions),
          retries: perSecond(counts.retries),
          failures: perSecond(counts.failures),
          p50: percentileSeries(histograms, PERCENTILES.p50),
          p95: percentileSeries(histograms, PERCENTILES.p95),
          p99: percentileSeries(histograms, PERCENTILES.p99),
          max: percentileSeries(histograms, PERCENTILES.max),
        },
      ]),
    );
  }

  /**
   * Mean readings of each bucket by metric; null if a bucket has no reading. An empty bucket gets a value between its
   * neighbours if the distance between their readings is usual.
   */
  readingSeries(): Record<string, (number | null)[]> {
    const sessions = this.readings.get(SESSIONS_METRIC);
    const mean = (sum: number, samples = 0): number | null =>
      samples > 0 ? toFourDigits(sum / samples) : null;
    return Object.fromEntries(
      [...this.readings].map(([metric, readings]) => {
        const sampledReadings = metric.startsWith(WAIT_PREFIX) ? (sessions ?? readings) : readings;
        const means = readings.sums.map((sum, bucket) => mean(sum, sampledReadings.counts[bucket]));
        return [metric, this.bucketSeconds > 1 ? joinUsualGaps(means, sampledReadings) : means];
      }),
    );
  }

  private readingsOf(metric: string): MetricReadings {
    const existingReadings = this.readings.get(metric);
    if (existingReadings) return existingReadings;
    const [sums, counts, first, last] = [
      this.zeroPerBucket(),
      this.zeroPerBucket(),
      this.zeroPerBucket(),
      this.zeroPerBucket(),
    ];
    const newReadings = {
      sums,
      counts,
      first,
      last,
      distances: new Map<number, number>(),
      latestSecond: undefined,
    };
    this.readings.set(metric, newReadings);
    return newReadings;
  }

  private of(operation: Operation): OperationBuckets {
    const existingBuckets = this.operations.get(operation);
    if (existingBuckets) return existingBuckets;
    const counts = {
      events: this.zeroPerBucket(),
      transactions: this.zeroPerBucket(),
      retries: this.zeroPerBucket(),
      failures: this.zeroPerBucket(),
    };
    const newBuckets = { counts, histograms: Array.from<undefined>({ length: this.buckets }) };
    this.operations.set(operation, newBuckets);
    return newBuckets;
  }

  private zeroPerBucket(): number[] {
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
