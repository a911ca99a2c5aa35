// Changes of level in simulated series: none if there is none, the right run if there is one, and the right metrics.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFull } from "../../../test/support/lanes.js";
import { Prng } from "../../foundation/prng.js";
import { changePoints as searchLevels } from "./change-points.js";
import type { MetricValues } from "./level-test.js";

const changePoints = (metrics: readonly MetricValues[], prng: Prng) => searchLevels(metrics, prng).changes;

/** Logarithms of the runs' values by metric: 1 with a spread of 3 %, times the factor that `level` gives. */
function series(
  metrics: number,
  runs: number,
  prng: Prng,
  level: (run: number, metric: number) => number = () => 1,
): number[][] {
  return Array.from({ length: metrics }, (_, metric) =>
    Array.from({ length: runs }, (_, run) =>
      Math.log(level(run, metric) * (1 + 0.06 * (prng.float() - 0.5))),
    ),
  );
}

describe("changes of level", () => {
  it("are found at their run, in the metrics that changed", () => {
    const prng = new Prng(1);
    const values = series(6, 20, prng, (run, metric) => (metric < 2 && run >= 12 ? 1.2 : 1));
    expect(changePoints(values, prng)).toMatchObject([
      { at: 12, from: 0, to: 20, metrics: [{ metric: 0 }, { metric: 1 }] },
    ]);
  });

  it("are found one after another", () => {
    const prng = new Prng(2);
    const values = series(3, 40, prng, (run) => (run < 12 ? 1 : run < 26 ? 1.2 : 0.9));
    expect(changePoints(values, prng).map(({ from, at, to }) => [from, at, to])).toEqual([
      [0, 12, 26],
      [12, 26, 40],
    ]);
  });

  it("are found at both ends of a level that returns to its earlier value", () => {
    const prng = new Prng(6);
    const values = series(3, 28, prng, (run) => (run >= 10 && run < 18 ? 1.2 : 1));
    expect(changePoints(values, prng).map(({ at }) => at)).toEqual([10, 18]);
  });

  it("are found mostly from the second run on, and need ten runs in all", () => {
    const countFound = (runs: number, changed: number): number =>
      Array.from({ length: 20 }, (_, seed) => {
        const prng = new Prng(seed);
        const [change] = changePoints(
          series(1, runs, prng, (run) => (run >= runs - changed ? 2 : 1)),
          prng,
        );
        return Number(change?.at === runs - changed);
      }).reduce((sum, each) => sum + each);
    expect(countFound(20, 2)).toBeGreaterThan(12);
    expect(countFound(10, 5)).toBeGreaterThan(15);
    expect(countFound(9, 4)).toBe(0);
  });

  it("are not found if only the newest run differs", () => {
    for (let seed = 0; seed < 20; seed++) {
      const prng = new Prng(seed);
      const values = series(1, 20, prng, (run) => (run === 19 ? 2 : 1));
      expect(changePoints(values, prng)).toEqual([]);
    }
  });

  it("are not found in one outlying run, in equal values or in noise", () => {
    const prng = new Prng(4);
    expect(
      changePoints(
        series(4, 20, prng, (run) => (run === 9 ? 50 : 1)),
        prng,
      ),
    ).toEqual([]);
    expect(changePoints([Array<number>(20).fill(5)], prng)).toEqual([]);
    expect(changePoints([], prng)).toEqual([]);
  });

  it("count only runs that have a value", () => {
    const prng = new Prng(5);
    const [values = []] = series(1, 20, prng, (run) => (run >= 12 ? 1.5 : 1));
    const holes = values.map((value, run) => (run % 3 === 1 ? Number.NaN : value));
    expect(changePoints([holes], prng)[0]?.at).toBeGreaterThanOrEqual(11);
    expect(changePoints([values.map((value, run) => (run < 13 ? Number.NaN : value))], prng)).toEqual([]);
  });

  it("have an interval without 0 in each named metric", () => {
    const sizes = fc.array(fc.double({ min: 0.8, max: 1.25, noNaN: true }), { minLength: 2, maxLength: 3 });
    fc.assert(
      fc.property(sizes, fc.integer(), (levels, seed) => {
        const prng = new Prng(seed);
        const values = series(2, 12 * levels.length, prng, (run, metric) =>
          metric === 0 ? (levels[Math.floor(run / 12)] ?? 1) : 1,
        );
        for (const { metrics } of changePoints(values, prng))
          for (const { low, high, difference } of metrics) {
            expect(low * high).toBeGreaterThan(0);
            expect(difference).toBeGreaterThanOrEqual(low);
            expect(difference).toBeLessThanOrEqual(high);
          }
      }),
      { numRuns: isFull ? 15 : 6 },
    );
  });

  it("last until the newest run if the level does not return", () => {
    for (let seed = 0; seed < 15; seed++) {
      const prng = new Prng(seed);
      const values = series(1, 20, prng, (run) => (run >= 10 ? 1.2 : 1));
      const newest = changePoints(values, prng).at(-1);
      expect(newest?.to).toBe(20);
      expect(newest?.metrics[0]?.difference).toBeGreaterThan(0.05);
    }
  });
});

/** A single metric in which each run keeps 60 % of the deviation of the run before. */
function carriedOver(runs: number, prng: Prng): number[] {
  let value = 0;
  return Array.from({ length: runs + 20 }, () => (value = 0.6 * value + prng.float() - 0.5)).slice(20);
}

describe("runs that resemble their neighbours", () => {
  it("are reported as inconclusive, and as a change in at most one history of ten", () => {
    const histories = Array.from({ length: 40 }, (_, seed) => {
      const prng = new Prng(seed);
      return searchLevels([carriedOver(20, prng)], prng);
    });
    expect(histories.filter(({ changes }) => changes.length > 0).length).toBeLessThanOrEqual(4);
    const undecided = histories.flatMap((history) => history.undecided);
    expect(undecided.length).toBeGreaterThan(8);
    for (const { from, to, correlation } of undecided) {
      expect([from, to]).toEqual([0, 20]);
      expect(correlation).toBeLessThanOrEqual(0.7);
    }
  });

  it("do not hide a change that is larger than their correlation explains", () => {
    const prng = new Prng(1);
    const values = carriedOver(40, prng).map((value, run) => value + (run < 20 ? 0 : 5));
    expect(searchLevels([values], prng)).toMatchObject({ changes: [{ at: 20 }], undecided: [] });
  });
});
