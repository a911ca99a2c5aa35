// Microseconds, 1 us to 7 days, 3 significant digits, 32-bit counts. One fixed shape: any two histograms add up exactly and
// no range grows in mid-run. Percentiles are never averaged, only histograms are merged.
import hdr from "hdr-histogram-js";
import type { Histogram } from "hdr-histogram-js";
import { stageOf, tagsOf, type LifecycleStage, type Tag } from "./operations.js";
import type { LatencySummary } from "./figures.js";

export type { Histogram } from "hdr-histogram-js";
export type { LatencySummary } from "./figures.js";

/**
 * The largest value that a histogram holds: 7 days, in microseconds. The recorder counts the samples that it reduces to
 * this.
 */
export const HIGHEST_TRACKABLE_US = 7 * 24 * 3600 * 1_000_000;

const HISTOGRAM_SHAPE = {
  bitBucketSize: 32,
  lowestDiscernibleValue: 1,
  numberOfSignificantValueDigits: 3,
  useWebAssembly: false,
} as const;
/** Largest value in the first bucket, in microseconds. */
const FIRST_BUCKET_MAX_US = 2047;

export function createHistogram(): Histogram {
  return hdr.build({ ...HISTOGRAM_SHAPE, autoResize: false, highestTrackableValue: HIGHEST_TRACKABLE_US });
}

/** A histogram to be kept: it has the same buckets, but only up to its largest sample (45 kB for a second). */
export function createGrowingHistogram(): Histogram {
  return hdr.build({ ...HISTOGRAM_SHAPE, autoResize: true, highestTrackableValue: FIRST_BUCKET_MAX_US });
}

/** Milliseconds as whole microseconds, limited to the range of a histogram. */
export function recordableUs(ms: number): number {
  const us = Math.round(ms * 1000);
  return us > 0 ? Math.min(us, HIGHEST_TRACKABLE_US) : 0;
}

/** Microseconds to milliseconds, to the nanosecond, so that 1234.5 us is 1.2345 and not 1.2345000000000002. */
function toMs(us: number): number {
  return Math.round(us * 1000) / 1e6;
}

/** The value in milliseconds that `percentile` (0 .. 100) of the samples do not exceed; 0 without samples. */
export function percentileMs(histogram: Histogram, percentile: number): number {
  return toMs(histogram.getValueAtPercentile(percentile));
}

/**
 * HdrHistogram's mean (each sample counted at the middle of its bucket) in milliseconds; 0 without samples. Its own
 * `mean` walks an iterator for 1.3 ms; this takes 8 us, and a second of a trial needs about ten of them.
 */
export function meanMs(histogram: Histogram): number {
  if (!(histogram instanceof hdr.JsHistogram)) return toMs(histogram.mean);
  if (histogram.totalCount === 0) return 0;
  const last = histogram.countsArrayIndex(histogram.maxValue);
  let sumUs = 0;
  // The first bucket holds single values; each later bucket has half as many slots, twice as wide as in the bucket
  // before.
  for (let from = 0, to = histogram.subBucketCount, width = 1; from <= last; width *= 2) {
    const firstUs = from === 0 ? 0 : histogram.subBucketHalfCount * width;
    const end = Math.min(to, last + 1);
    for (let index = from; index < end; index++) {
      const count = histogram.getCountAtIndex(index);
      if (count > 0) sumUs += count * (firstUs + (index - from) * width + (width >>> 1));
    }
    from = to;
    to += histogram.subBucketHalfCount;
  }
  return toMs(sumUs / histogram.totalCount);
}

/** Records samples (microseconds). Equal neighbours are recorded at once, because events of a batch have the same age. */
export function recordAll(histogram: Histogram, samplesUs: Float64Array): void {
  for (let i = 0; i < samplesUs.length;) {
    const sample = samplesUs[i] as number;
    const first = i++;
    while (i < samplesUs.length && samplesUs[i] === sample) i++;
    histogram.recordValueWithCount(sample, i - first);
  }
}

/**
 * Adds a histogram like HdrHistogram's `add`, but visits buckets only up to the largest sample instead of all 7 days. Both
 * must have these buckets.
 */
function addHistogram(into: Histogram, from: Histogram): void {
  if (!(from instanceof hdr.JsHistogram) || !(into instanceof hdr.JsHistogram)) {
    into.add(from);
    return;
  }
  if (from.totalCount === 0) return;
  const last = from.countsArrayIndex(from.maxValue);
  if (last >= into.countsArrayLength) into.resize(from.maxValue);
  for (let index = 0; index <= last; index++) {
    const count = from.getCountAtIndex(index);
    if (count > 0) into.addToCountAtIndex(index, count);
  }
  into.setTotalCount(into.totalCount + from.totalCount);
  into.maxValue = Math.max(into.maxValue, from.maxValue);
  into.minNonZeroValue = Math.min(into.minNonZeroValue, from.minNonZeroValue);
}

/**
 * Numbers of samples up to each of the ascending bounds (microseconds), then above all bounds. A sample counts as the
 * bottom of its bucket, so one within 0.1 % above a bound may be counted below it.
 */
export function countsWithin(histogram: Histogram, boundsUs: readonly number[]): number[] {
  if (!(histogram instanceof hdr.JsHistogram)) throw new Error("counts are read from a histogram of our own");
  const counts = Array.from({ length: boundsUs.length + 1 }, () => 0);
  const last = histogram.totalCount === 0 ? -1 : histogram.countsArrayIndex(histogram.maxValue);
  let binIndex = 0;
  for (let index = 0; index <= last; index++) {
    const count = histogram.getCountAtIndex(index);
    if (count === 0) continue;
    const valueUs = histogram.valueFromIndex(index);
    while (binIndex < boundsUs.length && valueUs > (boundsUs[binIndex] ?? 0)) binIndex++;
    counts[binIndex] = (counts[binIndex] ?? 0) + count;
  }
  return counts;
}

/**
 * Summary in ms; null without samples. `max` is the 100th percentile (the top of the largest sample's bucket, as in the
 * Java and Python implementations), so that it is the same when read from the stored histogram.
 */
export function summaryMs(histogram: Histogram | undefined): LatencySummary | null {
  if (!histogram || histogram.totalCount === 0) return null;
  return {
    mean: meanMs(histogram),
    p50: percentileMs(histogram, 50),
    p90: percentileMs(histogram, 90),
    p95: percentileMs(histogram, 95),
    p99: percentileMs(histogram, 99),
    p999: percentileMs(histogram, 99.9),
    max: percentileMs(histogram, 100),
  };
}

/** Histograms by tag, created on first use. A reset histogram is kept and used again. */
export class HistogramSet {
  private readonly byTag = new Map<Tag, Histogram>();

  constructor(private readonly create: () => Histogram = createHistogram) {}

  /** A set that sums ended trials; it uses only as much memory as their samples need. */
  static ofTrials(): HistogramSet {
    return new HistogramSet(createGrowingHistogram);
  }

  get(tag: Tag): Histogram | undefined {
    const histogram = this.byTag.get(tag);
    return histogram && histogram.totalCount > 0 ? histogram : undefined;
  }

  at(tag: Tag): Histogram {
    let histogram = this.byTag.get(tag);
    if (!histogram) {
      histogram = this.create();
      this.byTag.set(tag, histogram);
    }
    return histogram;
  }

  /** Recorded stages of life, in the same order in every process. */
  get stages(): LifecycleStage[] {
    return [...this.byTag.keys()].flatMap((tag) => stageOf(tag) ?? []).sort();
  }

  /** Histograms with samples by tag: operations in order of first use, measures in catalogue order, then lifecycles. */
  entries(): [Tag, Histogram][] {
    const operationTags = [...this.byTag.keys()].filter((tag) => stageOf(tag) === undefined);
    const operations = new Set(operationTags.map((tag) => tag.slice(0, tag.indexOf("."))));
    return tagsOf([...operations], this.stages).flatMap((tag): [Tag, Histogram][] => {
      const histogram = this.get(tag);
      return histogram ? [[tag, histogram]] : [];
    });
  }

  add(other: HistogramSet): void {
    for (const [tag, histogram] of other.entries()) this.addTo(tag, histogram);
  }

  /** Adds the samples of `histogram` to the histogram of that tag. */
  addTo(tag: Tag, histogram: Histogram): void {
    addHistogram(this.at(tag), histogram);
  }

  reset(): void {
    for (const histogram of this.byTag.values()) if (histogram.totalCount > 0) histogram.reset();
  }
}
