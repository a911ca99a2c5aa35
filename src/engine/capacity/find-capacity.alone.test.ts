// A search for capacity around simulated trials: a server that carries 40 arrivals a second at every rate
// above that. The result and the files that the search leaves.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ExitCode, TargetError, UsageError } from "../../foundation/errors.js";
import { Totals } from "../../metrics/totals.js";
import { operationResults } from "../../results/operation-results.js";
import { ResultDocument } from "../../results/result-schema.js";
import { parseScenario } from "../../scenario/loader.js";
import { totalClients, type Treatment } from "../../scenario/settings.js";
import { exampleTrial } from "../../../test/support/example-result.js";
import { parseCapacityThreshold } from "./capacity-probe.js";
import { runSession, type ExperimentOutcome } from "../session/session.js";
import { capacityProbes } from "./find-capacity.js";
import { Interruption } from "../session/interruption.js";
import { combineObservers } from "../session/observer.js";
import type { FinishedTrial, TrialInputs } from "../trial/trial-parts.js";
import type { DialectName } from "../../database/registry.js";
import { renderSummary } from "../../report/terminal/summary.js";

const CARRIED_PER_SECOND = 40;
const SERVER_DIALECT: DialectName = "cockroachdb";

const driven: Treatment[] = [];
const seeds = new Set<number>();
const notes: string[] = [];
/** Client counts of the pools whose ceiling was measured. */
const ceilings: number[] = [];
/** `result.json` as it is while each trial runs. */
const meanwhile: ResultDocument[] = [];
/** Whether the trial with that number performs nothing, as on a server that stalls. */
let isStalled: (number: number) => boolean = () => false;
/** Id of the treatment whose server is unreachable. */
let away: string | undefined;
let interruption = new Interruption();
/** Whether a signal comes while a server is being started. */
let isStoppedMeanwhile = false;

function madeUpTrial({ trial, treatment, directory }: TrialInputs): FinishedTrial {
  const stored = readFileSync(join(directory, "..", "..", "result.json"), "utf8");
  meanwhile.push(ResultDocument.parse(JSON.parse(stored)));
  driven.push(treatment);
  seeds.add(trial.seed);
  const { windowSeconds, ...rest } = exampleTrial(trial.block, trial.number, 10);
  const load = treatment.settings.actors.producers?.load;
  const rate = load?.executor === "constant-arrival-rate" ? load.ratePerSecond : 0;
  const totals = new Totals(["add"]);
  const counts = totals.countsOf("add");
  counts.offered = Math.round(rate * windowSeconds);
  const carriedPerSecond = isStalled(trial.number) ? 0 : CARRIED_PER_SECOND;
  counts.transactions = Math.min(counts.offered, carriedPerSecond * windowSeconds);
  counts.events = counts.transactions * 10;
  for (let i = 0; i < 200; i++) totals.histograms.at("add.response").recordValue(10_000);
  const operations = operationResults(totals.summary(windowSeconds), treatment.settings);
  const result = { ...rest, windowSeconds, block: trial.block, seed: trial.seed, operations };
  return { result, totals };
}

vi.mock("../../report/html/report-file.js");
// The servers of these scenarios are made up; `test/e2e/preflight.test.ts` asks real ones.
vi.mock("../session/preflight.js", () => ({ requireServers: () => Promise.resolve() }));
vi.mock("../trial/trial.js", () => ({
  runTrial: (_: unknown, inputs: TrialInputs) => Promise.resolve(madeUpTrial(inputs)),
}));
vi.mock(import("../workers/ceiling-probe.js"), async (original) => ({
  ...(await original()),
  measureCeiling: ({ treatment: { settings } }) => {
    ceilings.push(totalClients(settings));
    return Promise.resolve({ clients: totalClients(settings), transactionsPerSecond: 1000 });
  },
}));
vi.mock("../session/experiment-host.js", () => ({
  ExperimentHost: class {
    provide = (treatment: Treatment) => {
      if (isStoppedMeanwhile) interruption.request("SIGINT");
      if (treatment.id === away) return Promise.reject(new TargetError("it is away"));
      return Promise.resolve({ dialect: SERVER_DIALECT });
    };
    release = () => Promise.resolve();
    leftEntries = () => [];
    environment = () => ({ versions: {}, settings: {}, machine: {} });
  },
}));

const observer = { ...combineObservers([]), note: (words: string) => void notes.push(words) };

let out = "";
beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), "train-sim-capacity-"));
  driven.length = 0;
  seeds.clear();
  for (const list of [notes, ceilings, meanwhile]) list.length = 0;
  isStalled = () => false;
  away = undefined;
  interruption = new Interruption();
  isStoppedMeanwhile = false;
});
afterEach(() => {
  rmSync(out, { recursive: true, force: true });
});

const TARGET = "target: postgresql://u@db:5432/d\n";

/** Searches two treatments with six trials each. */
function search(text = "", threshold = "add: p(99)<50", target = TARGET): Promise<ExperimentOutcome> {
  const factors = "factors: { payload: [text, jsonb-manual] }\ntrials: 6\n";
  const experiment = parseScenario(`name: a\nseed: 1\n${target}${factors}${text}`, "scenario.yaml");
  const probes = capacityProbes(experiment, parseCapacityThreshold(threshold), () => undefined);
  return runSession(probes, { out, programVersion: "1.0.0", observer, interruption });
}

describe("the result of a search for capacity", () => {
  it("holds summaries of each treatment's trials, and no comparison between treatments", async () => {
    const { result, exitCode } = await search();
    const summary = renderSummary(result, { directory: "results" });
    expect(exitCode).toBe(ExitCode.done);
    expect(result.treatments.map(({ trials }) => trials.length)).toEqual([6, 6]);
    for (const { summary: medians } of result.treatments)
      expect(medians).toContainEqual(expect.objectContaining({ operation: "add", metric: "mean" }));
    expect(result).toMatchObject({ comparisons: [], effects: [], interactions: [], sweeps: [] });
    const text = summary.replaceAll("\n", " ");
    expect(text).toContain("compare the rates, not what was measured at them.");
    expect(text).not.toContain("ratio to");
  });

  it("holds thresholds judged on the confirming trials, and exit code 99 if one of them fails", async () => {
    const text = 'thresholds: { add: ["p(99)<20", "rate>100"], integrity: ["violations==0"] }';
    const { result, exitCode } = await search(text);
    const summary = renderSummary(result, { directory: "results" });
    expect(exitCode).toBe(ExitCode.thresholdFailed);
    expect(result.thresholds?.map(({ expression, treatment, ok }) => [expression, treatment, ok])).toEqual([
      ["p(99)<20", "text", true],
      ["p(99)<20", "jsonb-manual", true],
      ["rate>100", "text", false],
      ["rate>100", "jsonb-manual", false],
      ["violations==0", "text", true],
      ["violations==0", "jsonb-manual", true],
    ]);
    const rate = result.capacity?.[0]?.ratePerSecond ?? 0;
    expect((result.thresholds?.[2]?.seen ?? 0) / rate).toBeCloseTo(1, 1);
    expect(summary).toContain("Thresholds: 1 of 3 FAILED");
  });

  it("does not assess thresholds on ratios", async () => {
    const text = "thresholds: { 'add{payload:text} / add{payload:jsonb-manual}': ['events/s>0'] }";
    const { result, exitCode } = await search(text);
    expect(exitCode).toBe(ExitCode.thresholdFailed);
    const reason = "the trials of a search share no blocks";
    expect(result.thresholds).toMatchObject([
      { treatment: "text", against: "jsonb-manual", ok: null, reason },
    ]);
    expect((await search(text, "add{payload:text}: p(99)<50")).result.thresholds).toEqual([]);
  });

  it("does not assess thresholds on a treatment without a confirmed rate, and omits other treatments", async () => {
    const text = 'thresholds: { add: ["count>0"], "add{payload:jsonb-manual}": ["count>1"] }';
    const { result, exitCode } = await search(text, "add{payload:text}: p(99)<1");
    expect(exitCode).toBe(ExitCode.thresholdFailed);
    const open = { expression: "count>0", treatment: "text", seen: null, ok: null };
    expect(result.thresholds).toMatchObject([{ ...open, reason: "the search confirmed no rate" }]);
  });
});

describe("a search for capacity", () => {
  const CARRIED = expect.closeTo(CARRIED_PER_SECOND, -1) as number;

  it("ignores a first probe that a stall disturbed, and lists the probe in the result", async () => {
    isStalled = (number) => number === 1;
    const [capacity] = (await search("", "add{payload:text}: p(99)<50")).result.capacity ?? [];
    expect(capacity).toMatchObject({ outcome: "found", ratePerSecond: CARRIED });
    expect(capacity?.probes.map(({ discarded }) => discarded ?? false).indexOf(true)).toBe(0);
    expect(capacity?.probes.filter(({ discarded }) => discarded)).toMatchObject([{ trial: 1, held: false }]);
    expect(capacity?.ciLow).toBeLessThanOrEqual(capacity?.ratePerSecond ?? 0);
    expect(capacity?.ciHigh).toBeGreaterThan(CARRIED_PER_SECOND);
    expect(capacity?.resolution).toBeGreaterThanOrEqual(0.05);
  });

  it("keeps a failed confirmation among the trials of the result", async () => {
    const { result: plain } = await search("", "add{payload:text}: p(99)<50");
    const third = plain.treatments[0]?.trials[2]?.number;
    isStalled = (number) => number === third;
    const { result } = await search("", "add{payload:text}: p(99)<50");
    const summary = renderSummary(result, { directory: "results" });
    expect(result.treatments[0]?.trials.map(({ number }) => number)).toContain(third);
    expect(result.treatments[0]?.trials).toHaveLength(7);
    expect(result.capacity).toMatchObject([{ confirmations: 6, ratePerSecond: CARRIED }]);
    expect(summary.replaceAll("\n", " ")).toContain("held 6 of 7 repetitions");
  });

  it("repeats the same arrivals in every probe, in windows of at least 2 s", async () => {
    const { result } = await search("trial: { duration: 400ms }");
    expect(seeds.size).toBe(1);
    expect(new Set(driven.map(({ settings }) => settings.trial.durationMs))).toEqual(new Set([2000]));
    expect(result.capacity?.[0]?.windowSeconds).toBe(2);
  });
});

it.each([
  ["read: p(99)<50", "nothing measures read here: it takes readers"],
  ["process: dropped==0", "process is not started by a schedule here"],
  ["verdict{payload:text}: dropped==0", "verdict has no dropped"],
])("a search with %s is refused before anything runs", async (threshold, words) => {
  const searched = Promise.resolve().then(() => search("", threshold));
  await expect(searched).rejects.toThrow(words);
  await expect(searched).rejects.toThrow(UsageError);
  expect(driven).toEqual([]);
  expect(readdirSync(out)).toEqual([]);
});

it("a search accepts a threshold on dropped arrivals, which only its open loop counts", async () => {
  expect((await search("", "add: dropped<1")).result.capacity?.[0]?.outcome).toBe("found");
});

it("a search probes in the dialect that the server reports", async () => {
  await search();
  expect(driven.length).toBeGreaterThan(0);
  for (const { settings } of driven)
    expect(settings).toMatchObject({ dialect: SERVER_DIALECT, asksDialect: false });
});

it("a search prints its warnings and writes a result before the first probe", async () => {
  await search("trial: { warmUp: 0 }", "add{payload:text}: p(99)<50");
  expect(notes[0]).toMatch(/^warning: /);
  expect(notes).toContainEqual(expect.stringMatching(/^warning: no warm-up: /));
  expect(meanwhile[0]?.verdict.reasons).toEqual(["unfinished; probes so far: 0"]);
  expect(meanwhile[0]?.capacity).toMatchObject([{ treatment: "text", outcome: "stopped", probes: [] }]);
  expect(meanwhile[2]?.verdict.reasons).toEqual(["unfinished; probes so far: 2"]);
  expect(meanwhile[2]?.capacity?.[0]?.probes.map(({ trial }) => trial)).toEqual([1, 2]);
});

it("a search measures the ceiling of a pool once, and never with diagnosis.ceiling false", async () => {
  const { result } = await search();
  expect(ceilings).toHaveLength(1);
  expect(result.treatments.map(({ ceiling }) => ceiling?.clients)).toEqual([ceilings[0], ceilings[0]]);
  await search("diagnosis: { ceiling: false }");
  expect(ceilings).toHaveLength(1);
});

it("a search keeps earlier treatments if the server of a later treatment is unreachable", async () => {
  away = "jsonb-manual";
  const { result, exitCode, failure } = await search();
  expect(exitCode).toBe(ExitCode.targetUnreachable);
  expect(failure?.message).toBe("it is away");
  expect(result.verdict).toMatchObject({ status: "aborted", reasons: ["it is away"] });
  const [found, stopped] = result.capacity ?? [];
  expect(found).toMatchObject({ treatment: "text", outcome: "found" });
  expect(stopped).toMatchObject({ treatment: "jsonb-manual", outcome: "stopped", probes: [] });
  expect(result.treatments.map(({ id, trials }) => [id, trials.length])).toEqual([["text", 6]]);
});

it("a search starts no probe after a request to stop that arrived while a server started", async () => {
  isStoppedMeanwhile = true;
  const { result, exitCode } = await search();
  expect(exitCode).toBe(ExitCode.interrupted);
  expect(driven).toEqual([]);
  expect(result.capacity).toMatchObject([{ treatment: "text", outcome: "stopped", probes: [] }]);
});

it("a search leaves no files if the first server is unreachable", async () => {
  away = "text";
  await expect(search()).rejects.toThrow("it is away");
  expect(readdirSync(out)).toEqual([]);
});

it("a search refuses faults that this machine does not support before it makes a directory", async () => {
  const platform = Object.getOwnPropertyDescriptor(process, "platform");
  Object.defineProperty(process, "platform", { value: "darwin" });
  try {
    const searched = search("faults: [{ at: 1s, for: 1s, kind: process-stop }]", "add: max<9", "");
    await expect(searched).rejects.toThrow(UsageError);
    await expect(searched).rejects.toThrow(/\/proc, which darwin lacks/);
    expect(readdirSync(out)).toEqual([]);
  } finally {
    if (platform) Object.defineProperty(process, "platform", platform);
  }
});
