// Critical values against the constants that the literature gives, and levels that add up.
import { describe, expect, it } from "vitest";
import { Prng } from "../../foundation/prng.js";
import { criticalValues, levelAtLastLook, plannedLooks } from "./group-sequential.js";
import { normalCdf } from "./statistics.js";

const FIVE = [1, 2, 3, 4, 5];

describe("criticalValues", () => {
  // Constants of Lan and DeMets (1983) for five equal looks at 5 %, two-sided, from tables and R's gsDesign and ldbounds.
  it.each([
    {
      name: "O'Brien and Fleming's spending",
      spent: FIVE.map((look) => 4 * normalCdf(-2.2414027 / Math.sqrt(look / 5))),
      values: [4.877, 3.357, 2.68, 2.29, 2.031],
    },
    {
      name: "Pocock's spending",
      spent: FIVE.map((look) => 0.05 * Math.log(1 + ((Math.E - 1) * look) / 5)),
      values: [2.438, 2.427, 2.41, 2.397, 2.386],
    },
  ])("are the published values of $name", ({ spent, values }) => {
    const found = criticalValues(FIVE, spent);
    found.forEach((value, i) => expect(value).toBeCloseTo(values[i] ?? Number.NaN, 2));
  });

  it("are the normal distribution's at a single look, in any unit of information", () => {
    expect(criticalValues([7], [0.05])[0]).toBeCloseTo(1.96, 3);
    const [wide, narrow] = [criticalValues([5, 30], [0.01, 0.05]), criticalValues([1, 6], [0.01, 0.05])];
    wide.forEach((value, i) => expect(value).toBeCloseTo(narrow[i] ?? Number.NaN, 5));
  });

  it("keep simulated false claims to the share that is spent", () => {
    const looks = plannedLooks(5, 30);
    const values = criticalValues(
      looks,
      looks.map((blocks) => (0.05 * blocks) / 30),
    );
    const prng = new Prng(3);
    let passed = 0;
    for (let i = 0; i < 20_000; i++) {
      let [sum, blocks] = [0, 0];
      const isPast = looks.map((look, k) => {
        for (; blocks < look; blocks++)
          sum += Math.sqrt(-2 * Math.log(1 - prng.float())) * Math.cos(2 * Math.PI * prng.float());
        return Math.abs(sum) / Math.sqrt(look) >= (values[k] ?? 0);
      });
      passed += Number(isPast.includes(true));
    }
    // The tolerance is three standard deviations of the simulation.
    expect(Math.abs(passed / 20_000 - 0.05)).toBeLessThan(0.0047);
  });
});

describe("levelOf", () => {
  it("is 5 % if the end is the only look", () => {
    expect(levelAtLastLook([30], 30)).toBeCloseTo(0.05, 4);
  });

  it("is the spent share at the first look, and less than the remaining share at the last", () => {
    expect(levelAtLastLook([5], 30)).toBeCloseTo(0.05 / 6, 4);
    const looks = plannedLooks(5, 30);
    const levels = looks.map((_, i) => levelAtLastLook(looks.slice(0, i + 1), 30));
    expect(Math.max(...levels)).toBe(levels.at(-1));
    expect(levels.at(-1)).toBeLessThan(0.05);
    // No look may cost more than Bonferroni's share.
    looks.forEach((blocks, i) =>
      expect(levels[i]).toBeGreaterThanOrEqual((0.05 * (blocks - (looks[i - 1] ?? 0))) / 30 - 1e-6),
    );
  });
});

describe("plannedLooks", () => {
  it("begin at the least number of blocks, end at the most, and lie at most a factor of 1.5 apart", () => {
    expect(plannedLooks(5, 30)).toEqual([5, 7, 10, 15, 21, 30]);
    expect(plannedLooks(5, 6)).toEqual([5, 6]);
    expect(plannedLooks(6, 12)).toEqual([6, 8, 12]);
  });
});
