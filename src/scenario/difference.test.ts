// What differs between two resolved scenarios, key by key.
import { expect, it } from "vitest";
import { scenarioDifferences } from "./difference.js";

it("names every key that differs, with both values, wherever it stands", () => {
  const here = "name: a\ntrial: { duration: 5s, warmUp: 1s }\nfactors: { payload: [text, jsonb] }\n";
  const there = "name: a\ntrial: { warmUp: 1s, duration: 10s }\nfactors: { payload: [text] }\nbatch: 5\n";
  expect(scenarioDifferences(here, there)).toEqual([
    { path: "trial.duration", here: "5s", there: "10s" },
    { path: "factors.payload", here: '["text","jsonb"]', there: '["text"]' },
    { path: "batch", here: "nothing", there: "5" },
  ]);
});

it("finds none between texts that say the same in another order, and bears text that is no YAML", () => {
  expect(scenarioDifferences("a: { b: 1, c: [2] }\nd: x", "d: x\na: { c: [2], b: 1 }")).toEqual([]);
  expect(scenarioDifferences("a: [", "a: 1")).toHaveLength(1);
});
