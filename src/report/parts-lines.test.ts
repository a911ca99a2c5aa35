import { expect, test } from "vitest";
import { exampleOperation } from "../testing/example-result.js";
import type { LatencyPart } from "../results/result-schema.js";
import { renderParts } from "./parts-lines.js";

function shown(parts: Partial<Record<"add" | "process", LatencyPart[]>>) {
  const operations = Object.fromEntries(
    Object.entries(parts).map(([name, list]) => [name, { ...exampleOperation(10), parts: list }]),
  );
  return { windowSeconds: 30, operations, lifecycle: { completedMs: null, archivedMs: null } };
}

const part = (name: string, meanMs: number, slowMeanMs: number): LatencyPart => ({
  ...{ name, meanMs, calls: 1, slowMeanMs },
});

test("each operation has a line: its largest parts with ms and share, the rest together, and its tail", () => {
  const add = [
    part("poolWait", 0.004, 0.01),
    part("begin", 0.4, 0.5),
    part("add.events", 3, 80),
    part("add.status", 1.6, 4),
    part("commit", 5, 15.5),
  ];
  const process = [part("process.claim", 0.5, 1), part("appDelay", 19.5, 30)];
  expect(renderParts(shown({ add, process }))).toEqual([
    "where the time went, on average, and mostly in the slowest transaction of each second and worker:",
    "  add      10 ms: commit 5 (50 %), add.events 3 (30 %), add.status 1.6 (16 %), rest 0.404; " +
      "slowest 100: add.events 80 %",
    "  process  20 ms: appDelay 19.5 (98 %), rest 0.5; slowest 31: appDelay 97 %",
  ]);
});

test("a result without parts has no lines", () => {
  expect(renderParts(shown({ add: [] }))).toEqual([]);
  const { add } = { add: exampleOperation(10) };
  expect(renderParts({ ...shown({}), operations: { add } })).toEqual([]);
});

test("long names are wrapped under their column, within the width of a report", () => {
  const names = ["a", "b", "c"].map((letter) => `archive.${letter.repeat(40)}`);
  const lines = renderParts(shown({ add: names.map((name) => part(name, 5, 5)) }));
  expect(lines.length).toBeGreaterThan(2);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(120);
  expect(lines[2]).toMatch(/^ {7}\S/);
});
