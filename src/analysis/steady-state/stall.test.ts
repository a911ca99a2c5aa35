// Standing still is distinguished from chance, from rare transactions, and from clients that pause in step.
import { expect, it } from "vitest";
import { stallOf, type CompletionsPerSecond } from "./stall.js";

const steady = (seconds: number, perSecond: number): number[] =>
  Array.from({ length: seconds }, () => perSecond);
const add = (perSecond: number[], clients: number | undefined = 4): CompletionsPerSecond => ({
  operation: "add",
  perSecond,
  clients,
});

it("a stall counts the seconds without a transaction and the longest run of such seconds", () => {
  const perSecond = [...steady(3, 800), 0, ...steady(2, 790), 0, 0, 0, ...steady(3, 810)];
  expect(stallOf([add(perSecond)])).toEqual({
    operation: "add",
    seconds: 4,
    longestSeconds: 3,
    fromSecond: 6,
    usualPerSecond: 800,
  });
});

it("the operation with the longest stall is reported, also at either end of the window", () => {
  const process: CompletionsPerSecond = {
    operation: "process",
    perSecond: [...steady(7, 50), 0, 0, 0],
    clients: 2,
  };
  expect(stallOf([add([0, 0, ...steady(8, 60)])])).toMatchObject({
    operation: "add",
    fromSecond: 0,
    seconds: 2,
  });
  expect(stallOf([add([0, 0, ...steady(8, 60)]), process])).toMatchObject({
    operation: "process",
    seconds: 3,
  });
});

it("a stall may take most of the window", () => {
  expect(stallOf([add([200, ...steady(8, 0), 190])])).toMatchObject({ seconds: 8, usualPerSecond: 195 });
});

it.each([
  ["if every second had a transaction", add(steady(10, 800))],
  ["if no transaction ended in the whole window", add(steady(10, 0))],
  ["among rare transactions, which leave seconds empty by chance", add([8, 9, 0, 8, 7, 9, 8, 9, 8, 8])],
  [
    "in an open loop whose rate leaves seconds empty by chance",
    add([12, 9, 0, ...steady(3597, 11)], undefined),
  ],
  [
    "among a hundred clients that think for three seconds in step",
    add([100, 0, 0, 100, 0, 0, 100, 0, 0, 100], 100),
  ],
  ["among clients whose transactions take as long as the gaps", add([64, 0, 64, 0, 64, 0], 64)],
  ["in a window without a whole second", add([])],
])("no stall is found %s", (_, ends) => {
  expect(stallOf([ends])).toBeUndefined();
});
