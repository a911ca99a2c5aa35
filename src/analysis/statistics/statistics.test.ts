import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Prng } from "../../foundation/prng.js";
import { meanWithoutPlaces } from "./place-effect.js";
import {
  bootstrapInterval,
  expandedConfidence,
  holmAdjusted,
  mean,
  median,
  quantile,
  studentPValue,
  twoSamplePValue,
} from "./statistics.js";

describe("quantile", () => {
  it("equals NumPy's quantile", () => {
    // numpy.quantile(values, q), NumPy 2.4
    const values = [0.12, 0.31, -0.05, 0.22, 0.4, 0.18, 0.09];
    const golden = { 0: -0.05, 0.025: -0.029, 0.25: 0.105, 0.5: 0.18, 0.75: 0.265, 0.975: 0.3865, 1: 0.4 };
    for (const [q, value] of Object.entries(golden))
      expect(quantile(values, Number(q))).toBeCloseTo(value, 12);
  });

  it("has the median in the middle and does not reorder its input", () => {
    const values = [3, 1, 2, 10];
    expect(median(values)).toBe(2.5);
    expect(median([7])).toBe(7);
    expect(mean(values)).toBe(4);
    expect(values).toEqual([3, 1, 2, 10]);
  });
});

describe("studentPValue", () => {
  it("agrees with SciPy's t-test of one sample", () => {
    // scipy.stats.ttest_1samp(x, 0).pvalue by its formula: Darwin's maize, in eighths of an inch (Fisher, section 21).
    const darwin = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];
    const estimate = meanWithoutPlaces(darwin.map((logarithm) => ({ logarithm, places: 0 })));
    expect(estimate.mean / estimate.error).toBeCloseTo(2.148, 3);
    expect(studentPValue(estimate)).toBeCloseTo(0.0497, 4);
  });
});

describe("twoSamplePValue", () => {
  it("agrees with SciPy's exact permutation test of two independent samples", () => {
    // scipy.stats.permutation_test((a, b), difference of means, permutation_type='independent', n_resamples=inf).pvalue,
    // SciPy 1.17; the fourth by whole-number arithmetic, since SciPy takes arrangements that are equal except for rounding
    // for different ones (0.5887).
    const golden: [number[], number[], number][] = [
      [[10.1, 10.5, 9.8, 10.9, 10.2], [11.0, 11.4, 10.7, 11.9, 11.1], 0.015873015873015872],
      [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 0.007936507936507936],
      [[12.1, 11.5, 13.0, 12.7, 12.2, 11.9], [12.6, 12.0, 12.9, 13.4, 12.8, 12.3], 0.19913419913419914],
      [[19.7, 20.4, 19.6, 17.8, 18.5, 18.9], [18.3, 19.1, 20.0, 17.7, 18.0, 19.9], 0.5930735930735931],
      [[1, 1, 1, 1], [1, 1, 1, 1], 1],
    ];
    for (const [a, b, pValue] of golden) {
      expect(twoSamplePValue(a, b, new Prng(1))).toBeCloseTo(pValue, 14);
      expect(twoSamplePValue(b, a, new Prng(1))).toBeCloseTo(pValue, 14);
    }
  });

  it("is close to the exact value if it samples permutations", () => {
    // Eleven of each: 705 432 ways, all tried in Python by whole-number arithmetic.
    const a = [0, 252, 273, 42, -227, -288, -84, 197, 297, 124, -163];
    const b = [450, 25, -46, 438, 106, -102, 403, 191, -137, 348, 272];
    expect(Math.abs(twoSamplePValue(a, b, new Prng(1)) - 0.14428605450277276)).toBeLessThan(0.01);
  });

  it("has its least possible value if two samples do not overlap", () => {
    expect(twoSamplePValue([1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12], new Prng(1))).toBe(2 / 924);
    expect(twoSamplePValue([], [1], new Prng(1))).toBe(1);
  });
});

describe("expandedConfidence", () => {
  it("agrees with Hesterberg's expanded tail, from SciPy's distributions", () => {
    // norm.cdf(-sqrt(n / (n - 1)) * t.ppf(0.975, n - 1)), SciPy 1.17
    const golden: [number, number][] = [
      [6, 0.0024318031746115667],
      [7, 0.004109153815637144],
      [8, 0.0057375205170298775],
      [10, 0.008550639024406366],
      [20, 0.015880829920347974],
      [50, 0.02117941121137757],
    ];
    for (const [n, tail] of golden)
      expect(Math.abs((1 - expandedConfidence(n)) / 2 / tail - 1)).toBeLessThan(0.01);
    expect(Math.abs((1 - expandedConfidence(5)) / 2 / 0.0009541005518824907 - 1)).toBeLessThan(0.04);
  });
});

describe("holm", () => {
  it("agrees with R's p.adjust and statsmodels", () => {
    const close = (got: number[], want: number[]) => {
      expect(got).toHaveLength(want.length);
      got.forEach((value, i) => expect(value).toBeCloseTo(want[i] as number, 12));
    };
    close(holmAdjusted([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02]);
    close(holmAdjusted([0.0625, 0.0156, 0.5, 0.9, 0.0156, 0.03]), [0.1875, 0.0936, 1, 1, 0.0936, 0.12]);
    close(holmAdjusted([]), []);
  });

  it("never lowers a p-value, keeps their order and leaves a single p-value unchanged", () => {
    expect(holmAdjusted([0.04])).toEqual([0.04]);
    const pValues = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(pValues, (raw) => {
        const adjusted = holmAdjusted(raw);
        raw.forEach((p, i) => expect(adjusted[i]).toBeGreaterThanOrEqual(p));
        raw.forEach((p, i) =>
          raw.forEach((other, j) => {
            if (p < other) expect(adjusted[i]).toBeLessThanOrEqual(adjusted[j] as number);
          }),
        );
      }),
    );
  });
});

describe("bootstrapInterval", () => {
  it("agrees with the exact bootstrap distribution of five values", () => {
    // All 3125 resamples enumerated with NumPy: 2.5 % and 97.5 % quantiles of their medians and means.
    const values = [0.1, 0.25, 0.31, 0.48, 0.9];
    expect(bootstrapInterval(values, median, new Prng(3))).toEqual({ low: 0.1, high: 0.9 });
    const means = bootstrapInterval(values, mean, new Prng(3));
    expect(Math.abs(means.low - 0.202)).toBeLessThan(0.01);
    expect(Math.abs(means.high - 0.664)).toBeLessThan(0.02);
  });

  it("agrees with scipy.stats.bootstrap(method='percentile')", () => {
    const values = [0.12, 0.31, -0.05, 0.22, 0.4, 0.18, 0.09];
    const means = bootstrapInterval(values, mean, new Prng(9));
    expect(Math.abs(means.low - 0.08)).toBeLessThan(0.01);
    expect(Math.abs(means.high - 0.2814)).toBeLessThan(0.01);
    expect(bootstrapInterval(values, median, new Prng(9))).toEqual({ low: 0.09, high: 0.31 });
  });

  it("gives the same result for the same seed, within the range of the values", () => {
    const values = [1, 2, 3, 5, 8, 13];
    const interval = bootstrapInterval(values, median, new Prng(2));
    expect(bootstrapInterval(values, median, new Prng(2))).toEqual(interval);
    expect(interval.low).toBeGreaterThanOrEqual(1);
    expect(interval.high).toBeLessThanOrEqual(13);
  });
});
