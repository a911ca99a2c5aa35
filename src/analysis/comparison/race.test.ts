// Which treatments leave a race, when, and how the race is derived from the trials.
import { expect, it } from "vitest";
import { exampleOperation, exampleTrial } from "../../../test/support/example-result.js";
import { Prng } from "../../foundation/prng.js";
import type { ResultDocument } from "../../results/result-schema.js";
import { raceAfter, raceStart, isStillInRace } from "./race.js";

type Treatments = ResultDocument["treatments"];

const MAXIMISE = {
  operation: "add",
  metric: "eventsPerSecond",
  isMaximised: true,
  words: "maximise add.events/s",
} as const;
const STOPPING = { min: 5, max: 20, within: 0.05, race: MAXIMISE };

/** Treatments by their events/s. All share a drift over blocks; trials scatter by 2 %. */
function treatments(rates: Readonly<Record<string, number>>, blocks = 20): Treatments {
  const prng = new Prng(8);
  return Object.entries(rates).map(([id, rate]) => ({
    id,
    levels: { id },
    trials: Array.from({ length: blocks }, (_, block) => {
      const eventsPerSecond = rate * (1 + block / 20) * (1 + 0.07 * (prng.float() - 0.5));
      const add = { ...exampleOperation(5), eventsPerSecond };
      return { ...exampleTrial(block, block, 5), block, operations: { add } };
    }),
  })) as unknown as Treatments;
}

it("a race removes a treatment that is surely worse than the best, at the look that shows this", () => {
  const field = treatments({ slow: 500, near: 975, best: 1000, same: 1000 });
  const first = raceAfter(field, [5], STOPPING, 1);
  expect(first.left.map(({ treatment, blocks }) => [treatment, blocks])).toEqual([["slow", 5]]);
  expect(first.running).toEqual(["near", "best", "same"]);
  const { left, running, open } = raceAfter(field, [5, 9, 20], STOPPING, 1);
  expect(left.map(({ treatment }) => treatment)).toEqual(["slow", "near"]);
  expect(left[1]?.blocks).toBeGreaterThan(5);
  expect(left[0]?.ratio).toBeCloseTo(0.5, 1);
  expect([running, open]).toEqual([["best", "same"], []]);
});

it("a race makes no look at a block with missing trials", () => {
  const field = treatments({ slow: 500, best: 1000 });
  const cut = field.map((each) => (each.id === "slow" ? { ...each, trials: each.trials.slice(0, 4) } : each));
  expect(raceAfter(cut, [5], STOPPING, 1)).toEqual(raceStart(field));
});

it("a race minimises or maximises as its objective states", () => {
  const field = treatments({ slow: 500, fast: 1000 });
  const race = { ...MAXIMISE, isMaximised: false };
  expect(raceAfter(field, [5], { ...STOPPING, race }, 1)).toMatchObject({
    best: "slow",
    running: ["slow"],
    open: [],
    left: [{ treatment: "fast", best: "slow" }],
  });
});

it("a race ignores trials after a look, and later trials of a removed treatment", () => {
  const field = treatments({ slow: 500, best: 1000, other: 995 });
  const without = field.map((each) =>
    each.id === "slow" ? { ...each, trials: each.trials.slice(0, 5) } : each,
  );
  expect(raceAfter(without, [5, 9], STOPPING, 1)).toEqual(raceAfter(field, [5, 9], STOPPING, 1));
  const early = field.map((each) => ({ ...each, trials: each.trials.slice(0, 5) }));
  expect(raceAfter(early, [5], STOPPING, 1)).toEqual(raceAfter(field, [5], STOPPING, 1));
});

it("a race keeps treatments without samples, and decides nothing before a look", () => {
  const field = treatments({ a: 500, b: 1000 });
  expect(raceAfter(field, [], STOPPING, 1)).toEqual(raceStart(field));
  const untried = field.map((each) => ({ ...each, trials: [] }));
  expect(raceAfter(untried, [5], STOPPING, 1)).toEqual(raceStart(field));
});

it("a race runs a removed treatment only in blocks before its removal", () => {
  const left = [{ treatment: "a", blocks: 5, best: "b", ratio: 0.5, ciLow: 0.4, ciHigh: 0.6 }];
  expect([4, 5].map((block) => isStillInRace({ left }, "a", block))).toEqual([true, false]);
  expect(isStillInRace({ left }, "b", 9)).toBe(true);
});
