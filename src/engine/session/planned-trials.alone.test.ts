// An experiment around simulated trials: the trials that it starts, and its result if it cannot continue. Real trials
// are tested with a server.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ExitCode, TargetError } from "../../foundation/errors.js";
import { Totals } from "../../metrics/totals.js";
import { parseScenario } from "../../scenario/loader.js";
import type { Treatment } from "../../scenario/settings.js";
import { exampleTrial } from "../../../test/support/example-result.js";
import { plannedTrials } from "./planned-trials.js";
import { WITHOUT_EFFECT_RULE } from "./machine-caveats.js";
import { Interruption } from "./interruption.js";
import { lookWords } from "../../live/page/live-words.js";
import { combineObservers, type ExperimentObserver, type LiveLook } from "./observer.js";
import { levelAtLastLook } from "../../analysis/statistics/group-sequential.js";
import { renderSummary } from "../../report/terminal/summary.js";
import { runSession, type ExperimentOutcome, type SessionOptions } from "./session.js";
import type { TrialHost, TrialInputs } from "../trial/trial-parts.js";

const begun: string[] = [];
/** Latency of an add in milliseconds, by treatment and block. */
let meanMs: (treatment: Treatment, block: number) => number = () => 10;
let nowMs = 0;
/** Number of trials that run at the same time: now, and at most. */
const running = { now: 0, most: 0 };
/** The number of the server that each trial received, in the order of the trials. */
const servers: number[] = [];
/** Number of requests to the user's servers, and the attempt to lock a result directory. */
const checks = { servers: 0, lock: () => Promise.resolve() };
/** What happens while the server of that treatment is being started. */
let meanwhile: (treatment: Treatment) => void = () => undefined;

vi.mock("../../report/html/report-file.js");
vi.mock(import("../../foundation/clock.js"), async (original) => ({
  ...(await original()),
  monotonicMs: () => nowMs,
}));
// The servers of these scenarios are made up; `test/e2e/preflight.test.ts` asks real ones.
vi.mock("./preflight.js", () => ({
  requireServers: () => {
    checks.servers++;
    return Promise.resolve();
  },
}));
vi.mock(import("../../results/run-lock.js"), async (original) => ({
  ...(await original()),
  lockDirectory: () => checks.lock(),
}));
vi.mock("../../foundation/autogroup.js", () => ({ sharesBySession: () => true }));
vi.mock("../trial/trial.js", () => ({
  runTrial: async ({ meeting }: TrialHost, { trial, treatment }: TrialInputs) => {
    begun.push(treatment.id);
    nowMs += 1000;
    running.now++;
    running.most = Math.max(running.most, running.now);
    const addMs = meanMs(treatment, trial.block);
    const totals = new Totals(["add"]);
    totals.histograms.at("add.response").recordValue(Math.round(addMs * 1000));
    const result = {
      ...exampleTrial(trial.block, trial.number, addMs),
      block: trial.block,
      seed: trial.seed,
    };
    await meeting.meet();
    running.now--;
    return { result: { ...result, ...(trial.duet && { duet: trial.duet }) }, totals };
  },
}));
vi.mock("./experiment-host.js", () => ({
  ExperimentHost: class {
    provide = (treatment: Treatment, server = 1) => {
      servers.push(server);
      meanwhile(treatment);
      return Promise.resolve({ dialect: "postgres" });
    };
    release = () => Promise.resolve();
    leftEntries = () => [];
    environment = () => ({ versions: {}, settings: {}, machine: {} });
  },
}));

const notes: string[] = [];
const observer: ExperimentObserver = {
  ...combineObservers([]),
  onLook: (look: LiveLook) => notes.push(lookWords(look)),
};

let out = "";
let interruption = new Interruption();
beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), "train-sim-experiment-"));
  begun.length = 0;
  servers.length = 0;
  running.most = 0;
  checks.servers = 0;
  checks.lock = () => Promise.resolve();
  meanMs = () => 10;
  interruption = new Interruption();
});
afterEach(() => {
  rmSync(out, { recursive: true, force: true });
});

function runExperiment(text: string, options: SessionOptions): Promise<ExperimentOutcome> {
  return runSession(plannedTrials(parseScenario(text, "scenario.yaml"), options.observer), options);
}

/** Runs two treatments with one trial each. */
function run(results = out): Promise<ExperimentOutcome> {
  const text =
    "name: a\nseed: 1\ntarget: postgresql://u@db:5432/d\norder: sequential\ntrials: 1\n" +
    "factors: { payload: [text, jsonb-manual] }\ndiagnosis: { ceiling: false }\n";
  const options = { out: results, programVersion: "1.0.0", observer, interruption };
  return runExperiment(text, options);
}

it("an experiment contacts no server if its result directory cannot be made", async () => {
  const file = join(out, "file");
  writeFileSync(file, "");
  await expect(run(join(file, "results"))).rejects.toMatchObject({
    message: `${join(file, "results")} cannot be made: ${file} is no directory`,
    hint: "Choose another place with --out.",
    exitCode: ExitCode.invalid,
  });
  expect(checks.servers).toBe(0);
});

it("an experiment leaves no directory if the disk is full before the first trial", async () => {
  const full = Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
  checks.lock = () => Promise.reject(full);
  await expect(run(join(out, "new"))).rejects.toBe(full);
  expect(readdirSync(out)).toEqual([]);
  expect(checks.servers).toBe(0);
});

it("an experiment starts no trial after a request to stop, and keeps earlier trials", async () => {
  meanwhile = ({ id }) => {
    if (id === "jsonb-manual") interruption.request("SIGINT");
  };
  const { result, exitCode } = await run();
  expect(begun).toEqual(["text"]);
  expect(exitCode).toBe(ExitCode.interrupted);
  expect(result.verdict.reasons).toContain("stopped by SIGINT after 1 of 2 trials");
  expect(result.treatments.map(({ trials }) => trials.length)).toEqual([1, 0]);
});

it("an experiment keeps the trials before an unreachable server and has its exit code", async () => {
  meanwhile = ({ id }) => {
    if (id === "jsonb-manual") throw new TargetError("it is away");
  };
  const { result, exitCode } = await run();
  expect(exitCode).toBe(ExitCode.targetUnreachable);
  expect(result.verdict).toMatchObject({ status: "aborted", reasons: ["it is away"] });
  expect(result.treatments.map(({ trials }) => trials.length)).toEqual([1, 0]);
});

it("an experiment warns of ignored settings before the first trial and in its result", async () => {
  meanwhile = () => undefined;
  const heard: string[] = [];
  const text = "name: a\nseed: 1\ntarget: { nice: 5 }\ntrials: 1\ndiagnosis: { ceiling: false }\n";
  const { result } = await runExperiment(text, {
    out,
    programVersion: "1.0.0",
    interruption,
    observer: { ...observer, note: (words) => heard.push(words) },
  });
  const words = expect.stringContaining("target.nice has no effect") as unknown;
  expect(result.diagnosis).toContainEqual({ kind: "lint", rule: WITHOUT_EFFECT_RULE, words });
  expect(heard.filter((line) => line.startsWith("warning: target.nice has no effect"))).toHaveLength(1);
});

const UNTIL_DECIDED = "trials: { min: 5, max: 12, until: decided }";

/** Runs two treatments in blocks. */
function runBlocks(extent: string): Promise<ExperimentOutcome> {
  const text =
    `name: a\nseed: 1\n${/target/.test(extent) ? "" : "target: postgresql://u@db:5432/d\n"}${extent}\n` +
    "factors: { payload: [text, jsonb-manual] }\ndiagnosis: { ceiling: false }\n";
  meanwhile = () => undefined;
  notes.length = 0;
  const options = { out, programVersion: "1.0.0", observer, interruption };
  return runExperiment(text, options);
}

it("trials until decided end at the first look at which every comparison is decided", async () => {
  meanMs = ({ id }, block) => (id === "text" ? 10 : 20) + block / 10;
  const { result, exitCode } = await runBlocks(UNTIL_DECIDED);
  expect(begun).toHaveLength(10);
  expect(exitCode).toBe(ExitCode.done);
  expect(result.verdict.status).toBe("complete");
  expect(result.scenario.trials).toBe(24);
  expect(result.stopping).toMatchObject({ min: 5, max: 12, within: 0.05, looks: [5], blocks: 5, open: 0 });
  expect(result.stopping).toMatchObject({ reason: "decided", level: levelAtLastLook([5], 12) });
  expect(notes).toEqual([expect.stringMatching(/^after 5 blocks: \d+ comparisons are decided$/)]);
  const [mean] = result.comparisons.filter((each) => each.operation === "add" && each.metric === "mean");
  expect(mean).toMatchObject({ verdict: "finding" });
  expect(renderSummary(result, { directory: out })).toContain("Decided after 5 of at most 12 blocks.");
});

it("trials until decided continue to the last block while a comparison is open", async () => {
  // The slower treatment alternates from block to block, so that no comparison is decided.
  meanMs = ({ id }, block) => 10 * (id === "text" ? 1 : block % 2 === 0 ? 1.3 : 0.75);
  const { result } = await runBlocks(UNTIL_DECIDED);
  expect(begun).toHaveLength(24);
  expect(result.stopping).toMatchObject({ looks: [5, 7, 9, 12], blocks: 12, reason: "all-blocks" });
  expect(result.stopping?.open).toBeGreaterThan(0);
  expect(notes).toHaveLength(4);
  expect(notes[0]).toMatch(
    /^after 5 blocks: 4 of 8 comparisons open \(add mean of jsonb-manual, .*\); next look after 7, at most 7 blocks to go$/,
  );
  expect(result.comparisons.filter(({ verdict }) => verdict === "finding")).toEqual([]);
});

it("trials until decided look only at the metrics of thresholds, if there are any", async () => {
  meanMs = ({ id }, block) => 10 * (id === "text" ? 1 : block % 2 === 0 ? 1.3 : 0.75);
  const { result } = await runBlocks(`${UNTIL_DECIDED}\nthresholds: { add: events/s>1 }`);
  expect(result.stopping).toMatchObject({ looks: [5], reason: "decided", claims: 1, open: 0 });
});

it("no block starts after the budget, and the look at its end lowers the significance level", async () => {
  meanMs = ({ id }, block) => 10 * (id === "text" ? 1 : block % 2 === 0 ? 1.3 : 0.75);
  const { result, exitCode } = await runBlocks(`${UNTIL_DECIDED}\nbudget: 11s`);
  expect(begun).toHaveLength(12);
  expect(exitCode).toBe(ExitCode.done);
  expect(result.stopping).toMatchObject({ looks: [5, 6], reason: "budget", budgetSeconds: 11 });
  expect(result.stopping?.level).toBe(levelAtLastLook([5, 6], 12));
  const fixed = await runBlocks("trials: 3\nbudget: 3s");
  expect(fixed.result.stopping).toEqual({
    max: 3,
    within: 0.05,
    budgetSeconds: 3,
    looks: [],
    level: 0.05,
    blocks: 2,
    reason: "budget",
    claims: 8,
    open: 8,
  });
});

it("a signal leaves no stopping reason, and the look after it lowers the significance level", async () => {
  meanMs = ({ id }, block) => {
    if (block === 5) interruption.request("SIGINT");
    return 10 * (id === "text" ? 1 : block % 2 === 0 ? 1.3 : 0.75);
  };
  const { result, exitCode } = await runBlocks(UNTIL_DECIDED);
  expect(exitCode).toBe(ExitCode.interrupted);
  expect(begun).toHaveLength(11);
  expect(result.stopping).toMatchObject({ looks: [5, 6], level: levelAtLastLook([5, 6], 12), blocks: 6 });
  expect(result.stopping?.reason).toBeUndefined();
});

it("a ratio with abortOnFail stops the run after the block that decides it, and the result states why", async () => {
  const threshold = "[{ threshold: 'avg<1.5', abortOnFail: true }]";
  const extent = `trials: 12\nthresholds: { 'add{payload:jsonb-manual} / add{payload:text}': ${threshold} }`;
  meanMs = ({ id }, block) => (id === "text" ? 10 : 20 + (block % 2)) * (1 + (block % 3) / 10);
  const { result, exitCode } = await runBlocks(extent);
  expect(exitCode).toBe(ExitCode.abortedByThreshold);
  const blocks = begun.length / 2;
  expect(blocks).toBeGreaterThanOrEqual(5);
  expect(blocks).toBeLessThan(12);
  expect(result.verdict).toMatchObject({
    status: "aborted",
    reasons: [
      expect.stringMatching(
        `^aborted by a threshold after ${blocks} blocks \\(jsonb-manual / text\\): add.* avg<1.5, seen 2.* after ${2 * blocks} of 24 trials$`,
      ),
    ],
  });
  expect(result.thresholds).toMatchObject([
    { ok: false, blocks, reason: `aborted the experiment after ${blocks} blocks` },
  ]);
});

it("a ratio without abortOnFail, or one that holds, stops no run", async () => {
  meanMs = ({ id }) => (id === "text" ? 10 : 20);
  const ratio = "'add{payload:jsonb-manual} / add{payload:text}'";
  const failing = await runBlocks(`trials: 8\nthresholds: { ${ratio}: [avg<1.5] }`);
  expect([begun.length, failing.exitCode]).toEqual([16, ExitCode.thresholdFailed]);
  const holding = "[{ threshold: 'avg<2.5', abortOnFail: true }]";
  const { exitCode } = await runBlocks(`trials: 8\nthresholds: { ${ratio}: ${holding} }`);
  expect([begun.length, exitCode]).toEqual([32, ExitCode.done]);
});

const RACING = "trials: { min: 5, max: 12 }\norder: racing\nobjective: minimise add.avg\n";

/** `text` equals `jsonb` except in a slower and a faster block; `jsonb-manual` is much slower. */
const meanMsInRace: typeof meanMs = ({ id }, block) =>
  id === "jsonb-manual" ? 20 + block / 10 : id === "text" ? 10 * ([1.07, 0.94][block] ?? 1.001) : 10;

function race(): Promise<ExperimentOutcome> {
  meanMs = meanMsInRace;
  return runBlocks(`${RACING}include: [{ payload: jsonb }]`);
}

it("a race gives trials of eliminated treatments to the others and ends once the rest are the same", async () => {
  const { result, exitCode } = await race();
  expect(exitCode).toBe(ExitCode.done);
  const { reason, race: run, looks = [], level } = result.stopping ?? {};
  expect(run).toMatchObject({ best: "jsonb", running: ["text", "jsonb"], open: [] });
  expect(run?.left).toEqual([
    expect.objectContaining({ treatment: "jsonb-manual", blocks: 5, best: "jsonb" }),
  ]);
  expect(run?.left[0]?.ratio).toBeCloseTo(2, 1);
  expect([reason, looks.length > 1]).toEqual(["decided", true]);
  expect(level).toBe(Math.min(...looks.map((_, i) => levelAtLastLook(looks.slice(0, i + 1), 12))));
  const trials = Object.fromEntries(result.treatments.map((each) => [each.id, each.trials.length]));
  expect(trials).toEqual({ text: looks.at(-1), "jsonb-manual": 5, jsonb: looks.at(-1) });
  expect(notes[0]).toMatch(/^after 5 blocks: 1 of 2 comparisons open \(text against jsonb\)/);
  const summary = renderSummary(result, { directory: out }).replaceAll(/\s+/g, " ");
  expect(summary).toContain('Race for "minimise add.avg": jsonb is best; text the same within 5 %.');
  expect(summary).toMatch(/Left it as surely worse: jsonb-manual after 5 blocks \(2\.\d\dx of jsonb, /);
});

it("a duet runs both treatments at once, alternates their servers and pairs the trials", async () => {
  meanMs = ({ id }, block) => (id === "text" ? 10 : 20) + block;
  const { result, exitCode } = await runBlocks("trials: 6\norder: duet\ntarget: { kind: embedded }");
  expect([exitCode, begun.length, running.most]).toEqual([ExitCode.done, 12, 2]);
  expect(servers).toEqual([1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2]);
  const [text, other] = result.treatments;
  expect(text?.trials.map(({ duet }) => duet?.beside)).toEqual(Array(6).fill("jsonb-manual"));
  const sides = text?.trials.map(({ duet }) => duet?.server) ?? [];
  expect(sides.toSorted()).toEqual([1, 1, 1, 2, 2, 2]);
  expect(other?.trials.map(({ duet }) => duet?.server)).toEqual(
    sides.map((server) => (server === 1 ? 2 : 1)),
  );
  const [mean] = result.comparisons.filter((each) => each.operation === "add" && each.metric === "mean");
  expect(mean).toMatchObject({ verdict: "finding", blocks: 6 });
  const summary = renderSummary(result, { directory: out }).replaceAll(/\s+/g, " ");
  expect(summary).toContain("Both treatments ran at the same time");
});
