// Changes of level in simulated series: none where there is none, the run where there is one, and which metrics.
import { describe, expect, it } from "vitest";
import { Prng } from "../../foundation/prng.js";
import { changePoints } from "./change-points.js";

/** By metric, the logarithm of each run: 1 with a spread of 3 %, times what `level` says. */
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

  it("are found where the level comes back", () => {
    const prng = new Prng(6);
    const values = series(3, 28, prng, (run) => (run >= 10 && run < 18 ? 1.2 : 1));
    expect(changePoints(values, prng).map(({ at }) => at)).toEqual([10, 18]);
  });

  it("are found from the third run on, and need ten runs in all", () => {
    const prng = new Prng(3);
    const late = (runs: number, changed: number) =>
      changePoints(
        series(1, runs, prng, (run) => (run >= runs - changed ? 2 : 1)),
        prng,
      ).map(({ at }) => at);
    expect(late(20, 3)).toEqual([17]);
    expect(late(20, 2)).toEqual([]);
    expect(late(10, 5)).toEqual([5]);
    expect(late(9, 4)).toEqual([]);
  });

  it("are none in one wild run, in equal values, or where nothing changes", () => {
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

  it("count only the runs that have a value", () => {
    const prng = new Prng(5);
    const [values = []] = series(1, 20, prng, (run) => (run >= 12 ? 1.5 : 1));
    const holes = values.map((value, run) => (run % 3 === 1 ? Number.NaN : value));
    expect(changePoints([holes], prng)[0]?.at).toBeGreaterThanOrEqual(11);
    expect(changePoints([values.map((value, run) => (run < 13 ? Number.NaN : value))], prng)).toEqual([]);
  });
});
