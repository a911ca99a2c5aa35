import fc from "fast-check";
import { expect, it } from "vitest";
import { settleDoubts, type DoubtfulWork } from "./doubts.js";

function doubtOf(events: readonly number[], acknowledgedAtMs?: number): DoubtfulWork {
  const pass = { was: "PENDING", status: "PROCESSING" } as const;
  const event = { worker: 0, batch: 0, position: 0 };
  return {
    operation: "process",
    works: events.map((index) => ({ index, work: { kind: "pass", event, pass, doubt: 1 } })),
    acknowledgedAtMs,
  };
}
const shows = (excess: Readonly<Record<number, number>>) => (index: number) => excess[index];

it("a commit in doubt counts as made if all its events show its work, and as absent if none does", () => {
  const [made, none] = [doubtOf([1, 2]), doubtOf([3, 4])];
  const settled = settleDoubts([made, none], shows({ 1: 1, 2: 1, 3: 0, 4: 0 }));
  expect(settled).toEqual({ committed: [made], lost: [], undecided: new Set(), torn: new Set() });
});

it("an event without its commit's pass is torn, and an event with additional passes is not", () => {
  const doubt = doubtOf([1, 2, 3, 4]);
  expect(settleDoubts([doubt], shows({ 1: 1, 2: 1, 3: 0, 4: 1 }))).toMatchObject({ torn: new Set([3]) });
  expect(settleDoubts([doubt], shows({ 1: 1, 2: 1, 3: 7, 4: 1 }))).toMatchObject({
    committed: [doubt],
    torn: new Set(),
  });
});

it("a commit in doubt is decided by its other events, or left open if the tables allow both", () => {
  const [a, b, c, d] = [doubtOf([1, 2]), doubtOf([2, 3]), doubtOf([4]), doubtOf([4])];
  const settled = settleDoubts([a, b, c, d], shows({ 1: 1, 2: 1, 3: 0, 4: 1 }));
  expect(settled).toEqual({ committed: [a], lost: [], undecided: new Set([4]), torn: new Set() });
});

it("the latest acknowledged commits count as lost if passes are missing, unless another event shows them", () => {
  const [first, second, last, open] = [doubtOf([1], 5), doubtOf([1], 6), doubtOf([1, 2], 7), doubtOf([1])];
  expect(settleDoubts([last, open, second, first], shows({ 1: 1 }))).toEqual({
    committed: [first],
    lost: [last, second],
    undecided: new Set(),
    torn: new Set(),
  });
  expect(settleDoubts([first, last], shows({ 1: 1, 2: 1 }))).toMatchObject({
    committed: [last],
    lost: [first],
  });
});

it("whole commits never make an event torn", () => {
  const doubts = fc.array(
    fc.record({ events: fc.uniqueArray(fc.nat(12), { minLength: 1, maxLength: 5 }), isMade: fc.boolean() }),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(doubts, (drawn) => {
      const excess = (index: number): number =>
        drawn.filter(({ events, isMade }) => isMade && events.includes(index)).length;
      const all = drawn.map(({ events }) => doubtOf(events));
      const { committed, torn, undecided } = settleDoubts(all, excess);
      expect(torn).toEqual(new Set());
      drawn.forEach(({ events, isMade }, i) => {
        if (events.some((index) => !undecided.has(index)))
          expect(committed.includes(all[i] as DoubtfulWork)).toBe(isMade);
      });
    }),
  );
});
