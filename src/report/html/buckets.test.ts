import { describe, expect, it } from "vitest";
import { createHistogram, percentileMs, type Histogram } from "../../metrics/histograms.js";
import type { TimeseriesCounts } from "../../results/timeseries.js";
import { WindowBuckets, bucketSecondsOf } from "./buckets.js";

function histogramOf(...valuesUs: number[]): Histogram {
  const histogram = createHistogram();
  for (const value of valuesUs) histogram.recordValue(value);
  return histogram;
}

function row(second: number, transactions: number): TimeseriesCounts {
  return { second, operation: "add", transactions, events: transactions * 10, failures: 1, retries: 2 };
}

describe("buckets", () => {
  it.each([
    [30.0004, 150, 1, 30],
    [150.01, 150, 1, 150],
    [151, 150, 2, 76],
    [60, 66, 1, 60],
    [300.002, 66, 5, 60],
    [3600, 150, 24, 150],
    [30.4, 150, 1, 30],
    [30.6, 150, 1, 31],
    [0.3, 150, 1, 1],
  ])("divide a window of %d s into at most %d buckets of %d s: %d", (windowSeconds, most, seconds, count) => {
    const bucketSeconds = bucketSecondsOf(windowSeconds, most);
    expect([bucketSeconds, new WindowBuckets(windowSeconds, bucketSeconds).buckets]).toEqual([
      seconds,
      count,
    ]);
  });

  it("sum the rows of their seconds and divide by the time that they cover", () => {
    const buckets = new WindowBuckets(5.5, 2);
    for (const [second, transactions] of [
      [0, 4],
      [0, 2],
      [1, 10],
      [5, 3],
    ] as const)
      buckets.addCounts(row(second, transactions));
    // Buckets of 2 s; the last ends with the window, after 1.5 s.
    expect(buckets.operationSeries().add).toMatchObject({
      transactions: [8, 0, 2],
      events: [80, 0, 20],
      retries: [3, 0, 1.333],
      failures: [1.5, 0, 0.6667],
    });
  });

  it("omit a remainder of less than half a bucket", () => {
    const buckets = new WindowBuckets(2.2, 1);
    for (const second of [0, 1, 2]) buckets.addCounts(row(second, 1));
    buckets.addHistogram(2, "add", histogramOf(5));
    buckets.addReading(2, "wal.bytes", 5);
    expect(buckets.operationSeries().add?.transactions).toEqual([1, 1]);
    expect(buckets.operationSeries().add?.max).toEqual([null, null]);
    expect(buckets.readingSeries()).toEqual({});
  });

  it("take percentiles of merged histograms, not of seconds' percentiles", () => {
    const buckets = new WindowBuckets(4, 2);
    const slow = Array.from({ length: 100 }, (_, i) => 100_000 + i * 1000);
    buckets.addHistogram(0, "add", histogramOf(1000));
    buckets.addHistogram(1, "add", histogramOf(...slow));
    const both = histogramOf(1000, ...slow);
    const { add } = buckets.operationSeries();
    expect(add?.p50).toEqual([Number(percentileMs(both, 50).toPrecision(4)), null]);
    expect(add?.p99).toEqual([Number(percentileMs(both, 99).toPrecision(4)), null]);
    expect(add?.max).toEqual([Number(percentileMs(both, 100).toPrecision(4)), null]);
  });

  it("average the readings within each bucket and keep a long gap without readings", () => {
    const buckets = new WindowBuckets(60, 10);
    for (let second = 0; second < 20; second++) buckets.addReading(second, "queue.pending", second);
    for (let second = 45; second < 60; second++) buckets.addReading(second, "queue.pending", 20.000004);
    expect(buckets.readingSeries()).toEqual({ "queue.pending": [4.5, 14.5, null, null, 20, 20] });
  });

  it("interpolate between readings with long intervals", () => {
    const buckets = new WindowBuckets(60, 10);
    for (const second of [0, 25, 50]) buckets.addReading(second, "queue.pending", second);
    expect(buckets.readingSeries()).toEqual({ "queue.pending": [0, 12.5, 25, 33.33, 41.67, 50] });
  });

  it("keep gaps between readings if each bucket is a second", () => {
    const buckets = new WindowBuckets(3, 1);
    for (const second of [0, 2]) buckets.addReading(second, "queue.pending", second);
    expect(buckets.readingSeries()).toEqual({ "queue.pending": [0, null, 2] });
  });

  it("count an absent wait event as 0 in samples of sessions", () => {
    const buckets = new WindowBuckets(6, 2);
    for (const [second, active] of [
      [0, 2],
      [1, 1],
      [2, 3],
    ] as const)
      buckets.addReading(second, "sessions.active", active);
    buckets.addReading(0, "wait.Lock:tuple", 2);
    buckets.addReading(1, "wait.CPU", 1);
    buckets.addReading(2, "wait.CPU", 3);
    expect(buckets.readingSeries()).toEqual({
      "sessions.active": [1.5, 3, null],
      "wait.Lock:tuple": [1, 0, null],
      "wait.CPU": [0.5, 3, null],
    });
  });

  it("cover the rest of a window that is shorter than a bucket", () => {
    const buckets = new WindowBuckets(4, 24);
    buckets.addCounts(row(3, 12));
    expect(buckets.operationSeries().add?.transactions).toEqual([3]);
  });
});
