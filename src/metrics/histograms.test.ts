import fc from "fast-check";
import hdr from "hdr-histogram-js";
import { describe, expect, it } from "vitest";
import {
  countsWithin,
  createHistogram,
  HIGHEST_TRACKABLE_US,
  HistogramSet,
  meanMs,
  percentileMs,
  recordAll,
  summaryMs,
  type Histogram,
} from "./histograms.js";
import { isTag, tagsOf } from "./operations.js";

const TAGS = tagsOf(["add", "process", "archive", "read", "__cycle__"], ["archived", "completed"]);

const valuesUs = fc.array(
  fc.oneof(fc.integer({ min: 0, max: 5_000_000 }), fc.integer({ min: 0, max: HIGHEST_TRACKABLE_US })),
  { maxLength: 300 },
);

function histogramOf(values: readonly number[]) {
  const histogram = createHistogram();
  for (const value of values) histogram.recordValue(value);
  return histogram;
}

/** Expects equal counts, extremes and totals. */
function expectSame(actual: Histogram, expected: Histogram): void {
  expect(hdr.encodeIntoCompressedBase64(actual)).toBe(hdr.encodeIntoCompressedBase64(expected));
  for (const key of ["totalCount", "maxValue", "minNonZeroValue"] as const)
    expect(actual[key]).toBe(expected[key]);
}

describe("summaryMs", () => {
  it("reports recorded microseconds in milliseconds", () => {
    const summary = summaryMs(histogramOf(Array.from({ length: 1000 }, (_, i) => i + 1)));
    expect(summary).toEqual({
      mean: 0.5005,
      p50: 0.5,
      p90: 0.9,
      p95: 0.95,
      p99: 0.99,
      p999: 0.999,
      max: 1,
    });
  });

  it("is null without samples, not zero", () => {
    expect(summaryMs(createHistogram())).toBeNull();
    expect(summaryMs(undefined)).toBeNull();
  });

  it("has ordered percentiles within 0.1 % of the exact ones and at most the maximum", () => {
    fc.assert(
      fc.property(
        valuesUs.filter((values) => values.length > 0),
        (values) => {
          const histogram = histogramOf(values);
          const summary = summaryMs(histogram);
          if (!summary) throw new Error("samples were recorded");
          const { p50, p90, p95, p99, p999, max } = summary;
          expect([p50, p90, p95, p99, p999, max]).toEqual(
            [p50, p90, p95, p99, p999, max].sort((a, b) => a - b),
          );
          const sorted = [...values].sort((a, b) => a - b);
          for (const percentile of [50, 90, 99, 100]) {
            const exact = sorted[Math.max(0, Math.ceil((percentile / 100) * sorted.length) - 1)] as number;
            const us = percentileMs(histogram, percentile) * 1000;
            expect(us).toBeGreaterThanOrEqual(exact - 0.001);
            expect(us).toBeLessThanOrEqual(exact * 1.001 + 0.001);
          }
        },
      ),
    );
  });

  it("has the same mean as HdrHistogram", () => {
    fc.assert(
      fc.property(valuesUs, (values) => {
        const histogram = histogramOf(values);
        const own = histogram.mean / 1000;
        expect(Math.abs(meanMs(histogram) - own)).toBeLessThanOrEqual(own * 1e-9 + 1e-6);
      }),
      { numRuns: 30 },
    );
  });

  it("records runs of equal samples like single samples", () => {
    const runs = fc.array(fc.tuple(fc.integer({ min: 0, max: HIGHEST_TRACKABLE_US }), fc.nat({ max: 5 })));
    fc.assert(
      fc.property(runs, (pairs) => {
        const values = pairs.flatMap(([value, times]) => Array.from({ length: times }, () => value));
        const histogram = createHistogram();
        recordAll(histogram, Float64Array.from(values));
        expectSame(histogram, histogramOf(values));
      }),
      { numRuns: 30 },
    );
  });

  it("records a week, and refuses longer times", () => {
    const histogram = histogramOf([HIGHEST_TRACKABLE_US]);
    expect(summaryMs(histogram)?.max).toBeGreaterThanOrEqual(HIGHEST_TRACKABLE_US / 1000);
    expect(() => {
      histogram.recordValue(HIGHEST_TRACKABLE_US * 2);
    }).toThrow(/outside/);
  });
});

describe("HistogramSet", () => {
  it("merges to the histogram of the union", () => {
    fc.assert(
      fc.property(fc.array(valuesUs, { minLength: 1, maxLength: 5 }), (parts) => {
        const merged = new HistogramSet();
        for (const part of parts) {
          const set = new HistogramSet();
          for (const value of part) set.at("add.response").recordValue(value);
          merged.add(set);
        }
        expectSame(merged.at("add.response"), histogramOf(parts.flat()));
      }),
      { numRuns: 30 },
    );
  });

  it("has the same counts if its histograms grow with their samples", () => {
    fc.assert(
      fc.property(fc.array(valuesUs, { minLength: 1, maxLength: 5 }), (parts) => {
        const merged = HistogramSet.ofTrials();
        for (const part of parts) merged.addTo("add.response", histogramOf(part));
        const all = histogramOf(parts.flat());
        const actual = merged.at("add.response");
        expect(summaryMs(actual)).toEqual(summaryMs(all));
        const bounds = [1000, 1_000_000, 3_000_000, 600_000_000_000];
        expect(countsWithin(actual, bounds)).toEqual(countsWithin(all, bounds));
        const back = new HistogramSet();
        back.add(merged);
        expectSame(back.at("add.response"), all);
      }),
      { numRuns: 30 },
    );
  });

  it("takes less memory if its histograms grow with their samples", () => {
    const merged = HistogramSet.ofTrials();
    merged.addTo("add.response", histogramOf([1, 1_000_000]));
    const bytes = (histogram: Histogram): number => histogram.estimatedFootprintInBytes;
    expect(bytes(merged.at("add.response"))).toBeLessThan(bytes(createHistogram()) / 2);
  });

  it("lists only histograms with samples, in the order of tags, and none after a reset", () => {
    const set = new HistogramSet();
    set.at("lifecycle.completed").recordValue(5);
    set.at("process.service").recordValue(5);
    set.at("add.response");
    expect(set.entries().map(([tag]) => tag)).toEqual(["process.service", "lifecycle.completed"]);
    set.at("lifecycle.service").recordValue(5); // an operation may have this name
    expect(set.entries().map(([tag]) => tag)).toContain("lifecycle.service");
    set.reset();
    expect(set.entries()).toEqual([]);
    set.at("process.service").recordValue(7);
    expect(summaryMs(set.get("process.service"))?.max).toBe(0.007);
  });
});

describe("counts by bounds", () => {
  it("count each sample once, below the first bound that holds it", () => {
    const histogram = histogramOf([1, 100, 100, 101, 2_000, 2_001, 90_000_000]);
    expect(countsWithin(histogram, [100, 2_000, 60_000_000])).toEqual([3, 2, 1, 1]);
    expect(countsWithin(histogramOf([]), [100, 2_000])).toEqual([0, 0, 0]);
  });

  it("add up to all samples", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 10_000_000 })), (valuesUs) => {
        const counts = countsWithin(histogramOf(valuesUs), [50, 5_000, 500_000]);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(valuesUs.length);
        const small = valuesUs.filter((value) => value <= 50).length;
        expect(counts[0]).toBe(small);
      }),
    );
  });
});

describe("tags of histograms", () => {
  it("are recognised by name and distinct", () => {
    expect(new Set(TAGS).size).toBe(TAGS.length);
    expect(TAGS.every(isTag)).toBe(true);
    expect(isTag("archive.poolwait")).toBe(true);
    expect(isTag("tpcb-like.response")).toBe(true);
    expect(isTag("archive.latency")).toBe(false);
  });
});
