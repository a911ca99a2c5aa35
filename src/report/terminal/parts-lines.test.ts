import { expect, test } from "vitest";
import { exampleOperation } from "../../../test/support/example-result.js";
import type { LatencyPart } from "../../results/result-schema.js";
import { renderLatencyParts } from "./parts-lines.js";

function figuresWith(parts: Partial<Record<"add" | "process", LatencyPart[]>>) {
  const operations = Object.fromEntries(
    Object.entries(parts).map(([name, list]) => [name, { ...exampleOperation(10), parts: list }]),
  );
  return { windowSeconds: 30, operations, lifecycle: { completedMs: null, archivedMs: null } };
}

const part = (name: string, meanMs: number, slowMeanMs: number): LatencyPart => ({
  name,
  meanMs,
  calls: 1,
  slowMeanMs,
});

test("the latency breakdown has a line per operation with its largest parts, the rest and its tail", () => {
  const add = [
    part("poolWait", 0.004, 0.01),
    part("begin", 0.4, 0.5),
    part("add.events", 3, 80),
    part("add.status", 1.6, 4),
    part("commit", 5, 15.5),
  ];
  const process = [part("process.claim", 0.5, 1), part("appDelay", 19.5, 30)];
  expect(renderLatencyParts(figuresWith({ add, process }))).toEqual([
    "latency breakdown: mean, and largest part of the slowest transaction of each second and worker:",
    "  add      10 ms: commit 5 (50 %), add.events 3 (30 %), add.status 1.6 (16 %), rest 0.404; " +
      "slowest 100: add.events 80 %",
    "  process  20 ms: appDelay 19.5 (98 %), rest 0.5; slowest 31: appDelay 97 %",
  ]);
});

test("the latency breakdown is absent without parts", () => {
  expect(renderLatencyParts(figuresWith({ add: [] }))).toEqual([]);
  const { add } = { add: exampleOperation(10) };
  expect(renderLatencyParts({ ...figuresWith({}), operations: { add } })).toEqual([]);
});

test("the latency breakdown omits parts with long names and wraps lines at 120 columns", () => {
  const linesWith = (length: number): string[] => {
    const names = ["a", "b", "c"].map((letter) => letter.repeat(length));
    return renderLatencyParts(figuresWith({ add: names.map((name) => part(name, 5, 5)) }));
  };
  expect(linesWith(12)[1]).toMatch(/^ {2}add {2}15 ms: a+ 5 \(33 %\), b+ 5 \(33 %\), c+ 5 \(33 %\); slowest/);
  expect(linesWith(24)[1]).toMatch(/^ {2}add {2}15 ms: a+ 5 \(33 %\), rest 10; slowest 15: a+ 33 %$/);
  const wrapped = linesWith(60);
  expect(wrapped[2]).toMatch(/^ {7}\S/);
  for (const line of [12, 24, 60].flatMap(linesWith)) expect(line.length).toBeLessThanOrEqual(120);
});
