import { expect, test } from "vitest";
import { longestChain, type Waiter } from "./lock-chains.js";

const waits = (pid: number, ...blockedBy: number[]): Waiter => ({ pid, blockedBy, isLoad: true });

test("counts those who wait, not who holds", () => {
  expect(longestChain([])).toBe(0);
  expect(longestChain([waits(2, 1)])).toBe(1);
  expect(longestChain([waits(2, 1), waits(3, 1), waits(4, 1)])).toBe(1);
});

test("follows the longest of several ways", () => {
  expect(longestChain([waits(2, 1), waits(3, 2), waits(4, 3, 1), waits(5, 1)])).toBe(3);
});

test("takes a queue before one row as the chain that it is", () => {
  expect(longestChain([waits(2, 1), waits(3, 1, 2), waits(4, 1, 2, 3)])).toBe(3);
});

test("begins at sessions of the load and goes on through others", () => {
  const stranger: Waiter = { pid: 3, blockedBy: [2], isLoad: false };
  expect(longestChain([{ ...stranger, pid: 9 }, stranger])).toBe(0);
  expect(longestChain([waits(2, 1), stranger, waits(4, 3)])).toBe(3);
});

test("counts each session of a deadlock once", () => {
  expect(longestChain([waits(1, 2), waits(2, 1)])).toBe(2);
  expect(longestChain([waits(1, 1)])).toBe(1);
});

test("is quick on a long queue, where every session waits for all before it", () => {
  const queue = Array.from({ length: 200 }, (_, i) =>
    waits(i + 1, ...Array.from({ length: i + 1 }, (_, b) => b)),
  );
  expect(longestChain(queue)).toBe(200);
});
