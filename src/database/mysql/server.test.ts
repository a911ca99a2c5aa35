import { expect, it } from "vitest";
import { startOf } from "./server.js";

it("a start that is read a second later is the same start, and a restart is another", () => {
  expect([100, 101, 99, 102, 103, 160, 161].map((seconds) => startOf("mysql://db", seconds))).toEqual([
    100, 100, 100, 100, 103, 160, 160,
  ]);
  expect(startOf("mysql://other", 101)).toBe(101);
});
