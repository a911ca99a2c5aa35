import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { percentileMs } from "../../metrics/histograms.js";
import { Totals } from "../../metrics/totals.js";
import { trialPath } from "../../results/directory.js";
import { EVIDENCE_FILE, EVIDENCE_HEADER, evidenceRows } from "../../results/evidence-file.js";
import type { ResultDocument } from "../../results/result-schema.js";
import { HISTOGRAM_LOG_FILE, TIMESERIES_FILE, TrialFiles } from "../../results/trial-files.js";
import { exampleResult } from "../../../test/support/example-result.js";
import { collectReport } from "./collect.js";
import type { ReportData } from "./report-data.js";

const SECONDS = 30;
const OPERATIONS = ["add", "process"] as const;

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "train-sim-collect-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** The example has 300 transactions in 30 s. */
function secondOf(second: number, slowness: number): Totals {
  const totals = new Totals(OPERATIONS);
  for (const operation of OPERATIONS) {
    Object.assign(totals.countsOf(operation), { transactions: 10, events: 500 });
    for (let i = 0; i < 10; i++)
      totals.histograms.at(`${operation}.response`).recordValue((second + 1) * 1000 * slowness + i);
  }
  totals.histograms.at("lifecycle.completed").recordValue(100_000);
  return totals;
}

function writeTrialFiles(number: number, treatment: string, slowness: number): string {
  const path = trialPath(directory, number, treatment);
  mkdirSync(path, { recursive: true });
  const files = new TrialFiles(path, 0);
  for (let second = 0; second < SECONDS; second++) files.onSecond(second, secondOf(second, slowness));
  files.close();
  const rows = Array.from({ length: SECONDS }, (_, second) =>
    evidenceRows(second, { "wal.bytes": second, "wait.Lock:tuple": 1 }),
  );
  writeFileSync(join(path, EVIDENCE_FILE), EVIDENCE_HEADER + rows.join(""));
  return path;
}

/** The example's three trials of each treatment, with their files. */
function storedExample(): { result: ResultDocument; paths: string[] } {
  const result = exampleResult(3);
  const paths = result.treatments.flatMap(({ id, trials }, i) =>
    trials.map(({ number }) => writeTrialFiles(number, id, i + 1)),
  );
  return { result, paths };
}

function collect(result: ResultDocument): Promise<ReportData> {
  return collectReport(directory, result, "1.2.3");
}

describe("the report's data", () => {
  it("has each trial over time, in the order of the trials", async () => {
    const data = await collect(storedExample().result);
    expect(data.notes.filter((note) => note.includes("chart"))).toEqual([]);
    expect(data.series.map(({ trial, treatment }) => [trial, treatment])).toEqual([
      [1, "jsonb"],
      [2, "text"],
      [3, "jsonb"],
      [4, "text"],
      [5, "jsonb"],
      [6, "text"],
    ]);
    const [first] = data.series;
    expect(first).toMatchObject({ bucketSeconds: 1, buckets: SECONDS });
    expect(first?.operations.add?.events).toEqual(Array.from({ length: SECONDS }, () => 500));
    expect(first?.operations.add?.p50[9]).toBeCloseTo(10, 1);
    expect(first?.evidence["wal.bytes"]?.slice(0, 3)).toEqual([0, 1, 2]);
    expect(first?.evidence["wait.Lock:tuple"]?.[29]).toBe(1);
  });

  it("divides all trials into buckets of the length that the longest window needs", async () => {
    const { result } = storedExample();
    const longest = result.treatments[1]?.trials[1];
    if (!longest) throw new Error("the example has three trials");
    Object.assign(longest, { windowSeconds: 300 });
    const { series } = await collect(result);
    expect(series.map(({ bucketSeconds, buckets }) => [bucketSeconds, buckets])).toEqual(
      [15, 15, 15, 150, 15, 15].map((buckets) => [2, buckets]),
    );
    expect(series[0]?.operations.add?.events).toEqual(Array.from({ length: 15 }, () => 500));
  });

  it("merges the histograms of a treatment's complete trials into its percentile curves", async () => {
    const { result } = storedExample();
    const [jsonb] = result.treatments;
    const last = jsonb?.trials[2];
    if (!last) throw new Error("the example has three trials");
    Object.assign(last, { status: "partial", reason: "stopped" });
    const { curves, series } = await collect(result);
    expect(series).toHaveLength(6);
    expect(curves.map(({ treatment, operation, count }) => [treatment, operation, count])).toEqual([
      ["jsonb", "add", 600],
      ["jsonb", "process", 600],
      ["jsonb", "lifecycle.completed", 60],
      ["text", "add", 900],
      ["text", "process", 900],
      ["text", "lifecycle.completed", 90],
    ]);
    const all = new Totals();
    for (let second = 0; second < SECONDS; second++) all.add(secondOf(second, 2));
    const histogram = all.histograms.at("add.response");
    const text = curves.find(({ treatment, operation }) => treatment === "text" && operation === "add");
    expect(text?.points.at(-1)).toEqual([100, Number(percentileMs(histogram, 100).toPrecision(4))]);
  });

  it("includes an analysis of a document that has no statistics yet", async () => {
    const { result } = await collect(storedExample().result);
    expect(result.treatments[0]?.summary?.length).toBeGreaterThan(0);
    expect(result.comparisons.length).toBeGreaterThan(0);
  });

  it("omits a trial without files and notes that, without the directory's path", async () => {
    const { result, paths } = storedExample();
    rmSync(paths[1] ?? "", { recursive: true });
    const { series, notes, curves } = await collect(result);
    expect(series.map(({ trial }) => trial)).toEqual([1, 2, 4, 5, 6]);
    expect(notes.join("\n")).toContain("trial 3 (jsonb) is in no chart over time");
    expect(notes.join("\n")).not.toContain(directory);
    expect(curves[0]?.count).toBe(600);
  });

  it.each([
    ["a histogram log truncated within a line", HISTOGRAM_LOG_FILE, -20, "line"],
    ["a histogram log truncated between lines", HISTOGRAM_LOG_FILE, 0.5, "holds"],
    ["a time series truncated within a row", TIMESERIES_FILE, -30, "cells"],
    ["a time series truncated between rows", TIMESERIES_FILE, 0.5, "holds"],
    ["truncated evidence", EVIDENCE_FILE, -4, "second,metric,value"],
  ])("omits a trial with %s, and notes the reason", async (_, file, cut, words) => {
    const { result, paths } = storedExample();
    const path = join(paths[0] ?? "", file);
    const text = readFileSync(path, "utf8");
    const lines = text.split("\n");
    const kept = cut < 0 ? text.slice(0, cut) : lines.slice(0, Math.floor(lines.length * cut)).join("\n");
    writeFileSync(path, kept);
    const { series, notes } = await collect(result);
    expect(series.map(({ trial }) => trial)).toEqual([2, 3, 4, 5, 6]);
    const note = notes.find((each) => each.startsWith("trial 1 (jsonb)")) ?? "";
    expect(note).toContain(file);
    expect(note).toContain(words);
  });

  it("reads no files of trials without a window", async () => {
    const { result } = storedExample();
    for (const trial of result.treatments[1]?.trials ?? [])
      Object.assign(trial, { windowSeconds: 0, operations: {}, status: "failed", reason: "no server" });
    const { series, notes } = await collect(result);
    expect(series.map(({ trial }) => trial)).toEqual([1, 3, 5]);
    expect(notes.filter((note) => note.includes("chart"))).toEqual([]);
  });
});
