import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Prng } from "../foundation/prng.js";
import {
  bootstrapInterval,
  holm,
  leastPValue,
  mean,
  median,
  quantile,
  signFlipPValue,
} from "./statistics.js";

const finite = fc.double({ min: -1e6, max: 1e6, noNaN: true });

describe("quantile", () => {
  it("is NumPy's", () => {
    // numpy.quantile(values, q), NumPy 2.4
    const values = [0.12, 0.31, -0.05, 0.22, 0.4, 0.18, 0.09];
    const golden = { 0: -0.05, 0.025: -0.029, 0.25: 0.105, 0.5: 0.18, 0.75: 0.265, 0.975: 0.3865, 1: 0.4 };
    for (const [q, value] of Object.entries(golden))
      expect(quantile(values, Number(q))).toBeCloseTo(value, 12);
  });

  it("has the median in the middle and does not reorder what it is given", () => {
    const values = [3, 1, 2, 10];
    expect(median(values)).toBe(2.5);
    expect(median([7])).toBe(7);
    expect(mean(values)).toBe(4);
    expect(values).toEqual([3, 1, 2, 10]);
  });
});

describe("signFlipPValue", () => {
  it("agrees with Fisher on Darwin's maize: 1726 of 32768 arrangements", () => {
    // The Design of Experiments, section 21: fifteen differences in eighths of an inch.
    const darwin = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];
    expect(signFlipPValue(darwin, new Prng(1))).toBe(1726 / 32768);
  });

  it("agrees with SciPy's exact permutation test", () => {
    // scipy.stats.permutation_test((x,), mean, permutation_type='samples', n_resamples=inf).pvalue, SciPy 1.17
    const golden: [number[], number][] = [
      [[0.12, 0.31, -0.05, 0.22, 0.4, 0.18, 0.09], 0.03125],
      [[0.5, 0.6, 0.7, 0.55, 0.65], 0.0625],
      [[0.1, -0.2, 0.05, -0.02, 0.08, 0.11], 0.71875],
      [[1, 1, -1, 2], 0.5],
    ];
    for (const [differences, pValue] of golden) expect(signFlipPValue(differences, new Prng(1))).toBe(pValue);
  });

  it("comes close to the exact value where it samples", () => {
    const differences = Array.from({ length: 18 }, (_, i) => (i % 6 === 0 ? -0.1 : 0.2 + i / 100));
    const sampled = signFlipPValue(differences, new Prng(5));
    let extreme = 0;
    const seen = differences.reduce((sum, d) => sum + d, 0);
    for (let pattern = 0; pattern < 2 ** 18; pattern++) {
      const sum = differences.reduce((total, d, j) => total + ((pattern >>> j) & 1 ? -d : d), 0);
      if (Math.abs(sum) >= seen - 1e-12) extreme++;
    }
    expect(Math.abs(sampled - extreme / 2 ** 18)).toBeLessThan(0.001);
    expect(sampled).toBeGreaterThan(0);
  });

  it("is never below the least it can be, and 1 where nothing differs", () => {
    expect(signFlipPValue([], new Prng(1))).toBe(1);
    expect(signFlipPValue([0, 0, 0], new Prng(1))).toBe(1);
    fc.assert(
      fc.property(fc.array(finite, { minLength: 1, maxLength: 8 }), (differences) => {
        const pValue = signFlipPValue(differences, new Prng(1));
        expect(pValue).toBeGreaterThanOrEqual(leastPValue(differences.length));
        expect(pValue).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe("holm", () => {
  it("agrees with R's p.adjust and statsmodels", () => {
    const close = (got: number[], want: number[]) => {
      expect(got).toHaveLength(want.length);
      got.forEach((value, i) => expect(value).toBeCloseTo(want[i] as number, 12));
    };
    close(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02]);
    close(holm([0.0625, 0.0156, 0.5, 0.9, 0.0156, 0.03]), [0.1875, 0.0936, 1, 1, 0.0936, 0.12]);
    close(holm([]), []);
  });

  it("never lowers a p-value, keeps their order, and leaves a single one alone", () => {
    expect(holm([0.04])).toEqual([0.04]);
    const pValues = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(pValues, (raw) => {
        const adjusted = holm(raw);
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

  it("repeats with its seed and stays inside the values", () => {
    const values = [1, 2, 3, 5, 8, 13];
    const interval = bootstrapInterval(values, median, new Prng(2));
    expect(bootstrapInterval(values, median, new Prng(2))).toEqual(interval);
    expect(interval.low).toBeGreaterThanOrEqual(1);
    expect(interval.high).toBeLessThanOrEqual(13);
  });
});
