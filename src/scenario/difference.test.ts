// Differences between two resolved scenarios, key by key.
import { expect, it } from "vitest";
import { scenarioDifferences } from "./difference.js";

it("differences of scenarios list every key that differs, with both values", () => {
  const here = "name: a\ntrial: { duration: 5s, warmUp: 1s }\nfactors: { payload: [text, jsonb] }\n";
  const there = "name: a\ntrial: { warmUp: 1s, duration: 10s }\nfactors: { payload: [text] }\nbatch: 5\n";
  expect(scenarioDifferences(here, there)).toEqual([
    { path: "trial.duration", thisValue: "5s", otherValue: "10s" },
    { path: "factors.payload", thisValue: '["text","jsonb"]', otherValue: '["text"]' },
    { path: "batch", thisValue: "nothing", otherValue: "5" },
  ]);
});

it("differences of scenarios ignore the order of keys, and treat invalid YAML as one difference", () => {
  expect(scenarioDifferences("a: { b: 1, c: [2] }\nd: x", "d: x\na: { c: [2], b: 1 }")).toEqual([]);
  expect(scenarioDifferences("a: [", "a: 1")).toHaveLength(1);
});

it("differences of scenarios name the first different line of a text, and the index in a list", () => {
  const scenario = (sql: string): string =>
    JSON.stringify({ workload: { pgbench: [{ script: "a", sql }, "b"] } });
  expect(scenarioDifferences(scenario("SELECT 1;\nSELECT 2;\n"), scenario("SELECT 1;\nSELECT 3;\n"))).toEqual(
    [{ path: "workload.pgbench[0].sql", thisValue: "line 2: SELECT 2;", otherValue: "line 2: SELECT 3;" }],
  );
  expect(scenarioDifferences(scenario("a\nb"), scenario("a\nb\nc"))).toEqual([
    { path: "workload.pgbench[0].sql", thisValue: "without line 3", otherValue: "line 3: c" },
  ]);
});
