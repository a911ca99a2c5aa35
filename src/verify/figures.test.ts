// Comparison of stored and recomputed figures: leaves that count as figures, matching of list entries, and the text
// for a missing file.
import { sep } from "node:path";
import { expect, it } from "vitest";
import { UsageError } from "../foundation/errors.js";
import { Figures } from "./figures.js";

function compareFigures(stored: unknown, recomputed: unknown): Figures {
  const figures = new Figures("dir");
  figures.compare("statistics", "", stored, recomputed);
  return figures;
}

it("compared figures count every leaf and list leaves that differ in the last digit", () => {
  const figures = compareFigures(
    { a: { p50: 1, p99: 0.1 + 0.2 }, b: null },
    { a: { p50: 1, p99: 0.3 }, b: null },
  );
  expect(figures.byKind).toEqual([{ kind: "statistics", recomputed: 3, differing: 1 }]);
  expect(figures.differences).toEqual([
    { kind: "statistics", path: "a.p99", stored: 0.1 + 0.2, recomputed: 0.3 },
  ]);
});

it("list entries are matched by name, so that an absent entry is a single difference", () => {
  const entry = (metric: string, ratio: number): object => ({ operation: "add", metric, ratio });
  const all = [entry("mean", 1), entry("p50", 2), entry("p99", 3)];
  const figures = compareFigures({ comparisons: [all[0], all[2]] }, { comparisons: all });
  expect(figures.differences.map(({ path, stored }) => [path, stored])).toEqual([
    ["comparisons[add p50]", undefined],
  ]);
});

it("list entries of equal name are compared in order, and an undefined field equals an absent field", () => {
  const figures = compareFigures(
    {
      list: [
        { kind: "lint", words: "a" },
        { kind: "lint", words: "b" },
      ],
    },
    {
      list: [
        { kind: "lint", words: "a" },
        { kind: "lint", words: "c", more: undefined },
      ],
    },
  );
  expect(figures.differences.map(({ path }) => path)).toEqual(["list[lint #1].words"]);
});

it("a missing file is named relative to the result directory", () => {
  const figures = new Figures("dir");
  const cause = Object.assign(new Error("ENOENT"), { code: "ENOENT" });
  figures.unreadable("trial 1", new UsageError(`dir${sep}x.hlog: cannot read it`, "", { cause }));
  figures.unreadable("trial 2", new Error(`dir${sep}y.csv, line 3: it is cut short`));
  expect(figures.notRecomputed).toEqual([
    { what: "trial 1", reason: "x.hlog is not there", isMissing: true },
    { what: "trial 2", reason: "y.csv, line 3: it is cut short", isMissing: true },
  ]);
});
