import { expect, test } from "vitest";
import { longestChain, type WaitingSession } from "./lock-chains.js";

const waits = (pid: number, ...blockedBy: number[]): WaitingSession => ({ pid, blockedBy, isLoad: true });

test("the longest chain of locks counts waiting sessions, not the holder", () => {
  expect(longestChain([])).toBe(0);
  expect(longestChain([waits(2, 1)])).toBe(1);
  expect(longestChain([waits(2, 1), waits(3, 1), waits(4, 1)])).toBe(1);
});

test("the longest chain of locks follows the longest of several paths", () => {
  expect(longestChain([waits(2, 1), waits(3, 2), waits(4, 3, 1), waits(5, 1)])).toBe(3);
});

test("the longest chain of locks includes a whole queue for one row", () => {
  expect(longestChain([waits(2, 1), waits(3, 1, 2), waits(4, 1, 2, 3)])).toBe(3);
});

test("the longest chain of locks begins at a session of the load and may pass through others", () => {
  const stranger: WaitingSession = { pid: 3, blockedBy: [2], isLoad: false };
  expect(longestChain([{ ...stranger, pid: 9 }, stranger])).toBe(0);
  expect(longestChain([waits(2, 1), stranger, waits(4, 3)])).toBe(3);
});

test("the longest chain of locks counts each session of a deadlock once", () => {
  expect(longestChain([waits(1, 2), waits(2, 1)])).toBe(2);
  expect(longestChain([waits(1, 1)])).toBe(1);
});

test("the longest chain of locks is found in a queue of 200 sessions, each waiting for all earlier ones", () => {
  const queue = Array.from({ length: 200 }, (_, i) =>
    waits(i + 1, ...Array.from({ length: i + 1 }, (_, b) => b)),
  );
  expect(longestChain(queue)).toBe(200);
});
