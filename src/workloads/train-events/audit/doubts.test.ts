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

it("takes a commit for made where all of its events show it, and for none where no one does", () => {
  const [made, none] = [doubtOf([1, 2]), doubtOf([3, 4])];
  const settled = settleDoubts([made, none], shows({ 1: 1, 2: 1, 3: 0, 4: 0 }));
  expect(settled).toEqual({ committed: [made], lost: [], undecided: new Set(), torn: new Set() });
});

it("finds the event that contradicts its commit, and one that shows more is no matter of doubt", () => {
  const doubt = doubtOf([1, 2, 3, 4]);
  expect(settleDoubts([doubt], shows({ 1: 1, 2: 1, 3: 0, 4: 1 }))).toMatchObject({ torn: new Set([3]) });
  expect(settleDoubts([doubt], shows({ 1: 1, 2: 1, 3: 7, 4: 1 }))).toMatchObject({
    committed: [doubt],
    torn: new Set(),
  });
});

it("settles a commit by the others of an event, and leaves open what the tables leave open", () => {
  const [a, b, c, d] = [doubtOf([1, 2]), doubtOf([2, 3]), doubtOf([4]), doubtOf([4])];
  const settled = settleDoubts([a, b, c, d], shows({ 1: 1, 2: 1, 3: 0, 4: 1 }));
  expect(settled).toEqual({ committed: [a], lost: [], undecided: new Set([4]), torn: new Set() });
});

it("takes acknowledged ones for lost from the last one back, and by their other events first", () => {
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

it("never calls torn what commits that were whole have left", () => {
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
