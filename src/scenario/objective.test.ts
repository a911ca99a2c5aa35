// Objectives and conditions in their written form.
import { expect, it } from "vitest";
import { UsageError } from "../foundation/errors.js";
import { parseCondition, parseObjective } from "./objective.js";

it.each([
  ["maximise add.events/s", { operation: "add", metric: "eventsPerSecond", isMaximised: true }],
  ["maximize cycle.events/s", { operation: "__cycle__", metric: "eventsPerSecond", isMaximised: true }],
  ["minimise process.p(99)", { operation: "process", metric: "p99", isMaximised: false }],
  ["minimise lifecycle.completed.avg", { operation: "lifecycle.completed", metric: "mean" }],
])("an objective is read from %s", (text, objective) => {
  expect(parseObjective(text, [])).toMatchObject({ ...objective, words: text });
});

it.each([
  ["add.events/s", /expected maximise or minimise/],
  ["maximise adds.events/s", /no metric adds/],
  ["maximise add.eventss", /eventss/],
  ["minimise add.p(99.9)", /p\(95\) or p\(99\)/],
])("an objective %s is refused", (text, message) => {
  expect(() => parseObjective(text, [])).toThrow(UsageError);
  expect(() => parseObjective(text, [])).toThrow(message);
});

it("a condition is read, and refused for metrics without comparisons", () => {
  expect(parseCondition("process: p(99)<50", [])).toEqual({
    operation: "process",
    metric: "p99",
    operator: "<",
    bound: 50,
    words: "process: p(99)<50",
  });
  expect(() => parseCondition("process p(99)<50", [])).toThrow(UsageError);
  expect(() => parseCondition("integrity: violations==0", [])).toThrow(/--subject-to.* < or >/);
  expect(() => parseCondition("integrity: violations<1", [])).toThrow(/use events.s, avg, med/);
  expect(() => parseCondition("add{payload:text}: p(99)<50", [])).toThrow(/leave the selector out/);
});
