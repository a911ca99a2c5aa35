import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { writeReport } from "../report/html/report-file.js";
import { renderSummary } from "../report/terminal/summary.js";
import { exampleResult } from "../../test/support/example-result.js";
import { combineObservers } from "../engine/session/observer.js";
import { writeOutcome } from "./outcome-files.js";

vi.mock("../report/html/report-file.js");

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "train-sim-outcome-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

async function outcome(result = exampleResult()) {
  const notes: string[] = [];
  const observer = { ...combineObservers([]), note: (text: string) => void notes.push(text) };
  const written = await writeOutcome({ directory, result }, { programVersion: "1.2.3", observer });
  expect(readFileSync(join(directory, "summary.txt"), "utf8")).toBe(renderSummary(result, { directory }));
  return { notes, ...written };
}

it("the outcome of a run names the written report in its notes", async () => {
  vi.mocked(writeReport).mockResolvedValue("results/x/report.html");
  expect(await outcome()).toEqual({
    notes: ["report: results/x/report.html"],
    hasReport: true,
    problem: undefined,
  });
});

it("the outcome of a run keeps the summary if the report cannot be made, and returns the reason", async () => {
  vi.mocked(writeReport).mockRejectedValue(new Error("the page was not built"));
  const { notes, hasReport, problem } = await outcome();
  expect([notes, hasReport, problem?.message]).toEqual([[], false, "the page was not built"]);
  expect(readdirSync(directory).sort()).toEqual(["summary.txt"]);
});
