// `report --verify` on results of real runs: unchanged results agree; any later change of a number, a ratio, a verdict, a
// list or a file is found at its place, and the command ends with 99.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { casesOf, fullIt } from "../support/lanes.js";
import { packageVersion } from "../../src/cli/package-info.js";
import { ExitCode } from "../../src/foundation/errors.js";
import { isVerified, type Verification } from "../../src/verify/verification.js";
import { verifyResult } from "#program/verify/verify.js";
import type { ResultDocument } from "../../src/results/result-schema.js";
import { onSuiteServer } from "../support/suite-server.js";
import { UNDISTURBED } from "../support/undisturbed.js";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  trainSim,
  untilLogged,
  writeScenarioFile,
} from "../support/train-sim.js";

const ON_OWN_SERVER = `
name: verified
seed: 5
factors: { payload: [text, jsonb-manual] }
batch: 5
actors:
  producers: { load: { executor: constant-arrival-rate, rate: 40, maxClients: 4 } }
  consumers: { load: { clients: 2, thinkTime: 15ms } }
  archivers: { load: { clients: 1, thinkTime: 15ms } }
trial: { warmUp: 200ms, duration: 1s, drain: 10s }
trials: 2
diagnosis: { ceiling: false }
thresholds:
  integrity: ['violations==0']
  add: ['max<60000', 'rate>=0']
  'add{payload:text} / add{payload:jsonb-manual}': ['events/s>0.01', 'p(97)<1000']
published:
  - { source: a blog, treatment: text, metric: add p(97), value: 10 }
  - { source: a blog, treatment: jsonb-manual, metric: add p(97), value: 20 }
`;
const SCENARIO = ON_OWN_SERVER + onSuiteServer("verified");

interface Verified {
  readonly exitCode: number | null;
  readonly verification: Verification;
  readonly stderr: string;
}

/** Verifies in this process, with the command's own code. */
async function recompute(directory: string): Promise<Omit<Verified, "stderr">> {
  const verification = await verifyResult(directory, packageVersion());
  return { exitCode: isVerified(verification) ? ExitCode.done : ExitCode.thresholdFailed, verification };
}

async function verify(directory: string): Promise<Verified> {
  const { exitCode, stdout, stderr } = await trainSim(["report", directory, "--verify", "--json"]);
  if (stdout === "") throw new Error(stderr);
  return { exitCode, stderr, verification: JSON.parse(stdout) as Verification };
}

/** Paths of the differing figures. Pages are left out, since they only repeat stored figures. */
function pathsOf({ differences }: Verification): string[] {
  return [...new Set(differences.filter(({ kind }) => kind !== "pages").map(({ path }) => path))];
}

let sound = "";
beforeAll(async () => {
  const out = scratchDirectory();
  const ended = await trainSim([
    "run",
    writeScenarioFile(SCENARIO),
    ...UNDISTURBED.flatMap((bound) => ["--set", bound]),
    "--out",
    out,
    "--quiet",
  ]);
  expect(ended.exitCode, ended.stderr).toBe(0);
  sound = onlyResultIn(out).directory;
});

/** A copy of the directory with a changed result. */
function copyWithChange(change: (result: ResultDocument) => void): string {
  const directory = join(scratchDirectory(), "copy");
  cpSync(sound, directory, { recursive: true });
  const file = join(directory, "result.json");
  const result = JSON.parse(readFileSync(file, "utf8")) as ResultDocument;
  change(result);
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  return directory;
}

function trialIn(directory: string, number: number): string {
  const name = readdirSync(join(directory, "trials")).find((each) => Number.parseInt(each, 10) === number);
  return join(directory, "trials", name ?? "");
}

describe("verification of an unchanged result", () => {
  it("agrees in every kind of figure, and writes nothing", async () => {
    const before = readdirSync(sound, { recursive: true });
    const { exitCode, verification } = await verify(sound);
    expect(verification.differences).toEqual([]);
    expect(exitCode).toBe(0);
    expect(verification.notRecomputed.filter(({ isMissing }) => isMissing)).toEqual([]);
    const kinds =
      "latencies counts log events rates copies judgement merged plan statistics thresholds published verdict pages";
    expect(verification.figures.map(({ kind }) => kind).sort()).toEqual(kinds.split(" ").sort());
    for (const { kind, recomputed } of verification.figures) expect(recomputed, kind).toBeGreaterThan(0);
    expect(readdirSync(sound, { recursive: true })).toEqual(before);
    const { stdout } = await trainSim(["report", sound, "--verify"]);
    expect(stdout).toMatch(/(\d+) of \1 recomputed figures agree with the stored ones\.\n$/);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(120);
  });
});

type Change = (result: ResultDocument) => void;
const first = (result: ResultDocument) => {
  const [treatment] = result.treatments;
  const [trial] = treatment?.trials ?? [];
  const { add } = trial?.operations ?? {};
  if (!treatment?.merged || !trial || !add?.responseTimeMs) throw new Error("nothing was measured");
  return { treatment, merged: treatment.merged, trial, add, response: add.responseTimeMs };
};

/**
 * Changes of a result, with the path of the figure that must differ. `npm test` uses the first ones, which are one of each
 * kind.
 */
const CHANGES: readonly [what: string, change: Change, path: RegExp][] = [
  [
    "a percentile of a trial",
    (r) => (first(r).response.p99 *= 0.9),
    /^treatments\[text\]\.trials\[\d\]\.operations\.add\.responseTimeMs\.p99$/,
  ],
  [
    "events published",
    (r) => ((first(r).trial.integrity ?? { published: 0 }).published += 5),
    /integrity\.published$/,
  ],
  [
    "a percentile of merged trials",
    (r) => ((first(r).merged.operations.add?.serviceTimeMs ?? { p50: 0 }).p50 /= 2),
    /^treatments\[text\]\.merged\.operations\.add\.serviceTimeMs\.p50$/,
  ],
  [
    "a ratio",
    (r) => ((r.comparisons[0] ?? { ratio: 0 }).ratio *= 0.9),
    /^comparisons\[payload add mean text jsonb-manual\]\.ratio$/,
  ],
  [
    "the value seen by a threshold on a ratio",
    (r) => ((r.thresholds?.find(({ against }) => against) ?? { seen: 0 }).seen = 7),
    /^thresholds\[add\{payload:text\} \/ .+\]\.seen$/,
  ],
  [
    "our ratio that is compared with a published ratio",
    (r) => ((r.published?.[1]?.ratio?.ours ?? { ratio: 0 }).ratio *= 2),
    /^published\[jsonb-manual add p\(97\)\]\.ratio\.ours\.ratio$/,
  ],
  [
    "the verdict",
    (r) => (r.verdict.timings.isValid = !r.verdict.timings.isValid),
    /^verdict\.timings\.isValid$/,
  ],
  ["an added finding", (r) => r.diagnosis.push({ kind: "finding", words: "x" }), /^diagnosis\[finding\]$/],
  ["a rate of a trial", (r) => (first(r).add.eventsPerSecond *= 1.1), /add\.eventsPerSecond$/],
  ["a count of a trial", (r) => (first(r).add.transactions += 1), /add\.transactions$/],
  [
    "a median",
    (r) => ((first(r).treatment.summary?.[0] ?? { median: 0 }).median *= 2),
    /^treatments\[text\]\.summary\[add mean\]\.median$/,
  ],
  [
    "a removed comparison",
    (r) => r.comparisons.splice(1, 1),
    /^comparisons\[payload add p50 text jsonb-manual\]$/,
  ],
  [
    "the value seen by a threshold",
    (r) => ((r.thresholds?.find(({ expression }) => expression === "max<60000") ?? { seen: 0 }).seen = 1),
    /^thresholds\[add max<60000 .+\]\.seen$/,
  ],
  [
    "a published figure",
    (r) => ((r.published?.[0] ?? { value: 0 }).value = 11),
    /^published\[text add p\(97\)\]\.value$/,
  ],
  [
    "the agreement with a published ratio",
    (r) => ((r.published?.[1]?.ratio ?? { direction: "" }).direction = "agrees"),
    /^published\[jsonb-manual add p\(97\)\]\.ratio\.direction$/,
  ],
];

describe("verification of a changed result", () => {
  it.each(casesOf(CHANGES, 5))("finds exactly the changed figure: %s", async (_, change, path) => {
    const { exitCode, verification } = await recompute(copyWithChange(change));
    const paths = pathsOf(verification);
    expect(paths).toHaveLength(1);
    expect(paths[0]).toMatch(path);
    expect(exitCode).toBe(99);
    expect(verification.differences.map(({ path }) => path)).toContain("report.html");
  });

  it("finds a changed figure although trial.json and the pages were changed in the same way", async () => {
    const directory = copyWithChange((result) => (first(result).response.p99 *= 0.9));
    const { trial } = first(
      JSON.parse(readFileSync(join(directory, "result.json"), "utf8")) as ResultDocument,
    );
    writeFileSync(join(trialIn(directory, trial.number), "trial.json"), JSON.stringify(trial));
    const again = await trainSim(["report", directory, "--verbose"]);
    expect(again.exitCode).toBe(0);
    writeFileSync(join(directory, "summary.txt"), again.stdout.replace(/^Report: .*\n/m, ""));
    const { exitCode, verification } = await recompute(directory);
    expect(exitCode).toBe(99);
    const kinds = verification.differences.map(({ kind, path }) => [kind, path.split(".").at(-1)]);
    expect(kinds).toEqual(
      expect.arrayContaining([
        ["latencies", "p99"],
        ["log", "p99"],
      ]),
    );
    expect(kinds.map(([kind]) => kind)).not.toContain("copies");
    expect(kinds.map(([kind]) => kind)).not.toContain("pages");
  });

  it("finds a changed count of one worker by adding up all workers", async () => {
    const directory = copyWithChange((result) => {
      const add = result.treatments[0]?.trials[0]?.workers?.[0]?.operations.add;
      if (add) add.transactions += 1;
    });
    const { trial } = first(
      JSON.parse(readFileSync(join(directory, "result.json"), "utf8")) as ResultDocument,
    );
    writeFileSync(join(trialIn(directory, trial.number), "trial.json"), JSON.stringify(trial));
    const { exitCode, verification } = await recompute(directory);
    expect(exitCode).toBe(99);
    expect(pathsOf(verification)).toEqual([
      expect.stringMatching(/operations\.add\.transactions of workers, added up$/),
    ]);
  });

  it("finds that a trial was removed", async () => {
    const directory = copyWithChange(({ treatments }) => treatments[0]?.trials.pop());
    const { exitCode, verification } = await recompute(directory);
    expect(exitCode).toBe(99);
    expect(pathsOf(verification)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^trials\/\d{3}-text$/)]),
    );
  });

  it.each([
    ["timeseries.csv", "counts"],
    ["histograms.hlog", "latencies"],
    ["log.ndjson", "log"],
  ])("finds a %s that belongs to another trial", async (file, kind) => {
    const directory = copyWithChange(() => undefined);
    cpSync(join(trialIn(directory, 1), file), join(trialIn(directory, 2), file));
    const { exitCode, verification } = await recompute(directory);
    expect(exitCode).toBe(99);
    const missing = verification.notRecomputed.filter(({ isMissing }) => isMissing);
    expect(verification.differences.some((each) => each.kind === kind) || missing.length === 1).toBe(true);
  });
});

it("verification finds a batch that is missing in a ledger", async () => {
  const directory = copyWithChange(() => undefined);
  const ledger = join(trialIn(directory, 1), "ledger-0.bin");
  writeFileSync(ledger, readFileSync(ledger).subarray(0, -44));
  const { exitCode, verification } = await recompute(directory);
  expect(exitCode).toBe(99);
  expect(pathsOf(verification)).toEqual([expect.stringMatching(/\.integrity\.published$/)]);
});

describe("verification of an incomplete result", () => {
  it("names each missing or damaged file, and ends with 99", async () => {
    const directory = copyWithChange(() => undefined);
    rmSync(join(trialIn(directory, 1), "histograms.hlog"));
    writeFileSync(join(trialIn(directory, 2), "timeseries.csv"), "second,operation\n0,add\n");
    const { verification } = await recompute(directory);
    const missing = verification.notRecomputed.filter(({ isMissing }) => isMissing);
    expect(missing.map(({ what }) => what)).toEqual([
      expect.stringMatching(/^trial 1 \(.+\): latencies$/),
      expect.stringMatching(/^trial 2 \(.+\): counts$/),
    ]);
    expect(missing[0]?.reason).toMatch(/^trials.001-.+histograms\.hlog is not there$/);
    const { exitCode, stdout } = await trainSim(["report", directory, "--verify"]);
    expect(exitCode).toBe(99);
    expect(stdout).toContain("2 files could not be read: figures from them are not verified.");
    expect(stdout).not.toContain(directory);
  });

  it.each(["scenario.yaml", "summary.txt", "report.html"])("ends with 99 if %s is missing", async (file) => {
    const directory = copyWithChange(() => undefined);
    rmSync(join(directory, file));
    const { exitCode, verification } = await recompute(directory);
    expect(exitCode).toBe(99);
    expect(verification.notRecomputed.filter(({ isMissing }) => isMissing)).toMatchObject([
      { what: file, reason: "it is not there" },
    ]);
  });
});

fullIt("verification agrees for a run that was stopped, and for its continuation", async () => {
  const out = join(scratchDirectory(), "results");
  const { child, ended } = startTrainSim(["run", writeScenarioFile(ON_OWN_SERVER), "--out", out, "--quiet"]);
  await untilLogged(out, '"trial":2,');
  child.kill("SIGINT");
  expect((await ended).exitCode).toBe(105);
  const { directory } = onlyResultIn(out);
  const stopped = await verify(directory);
  expect(stopped.verification.differences).toEqual([]);
  expect(stopped.exitCode).toBe(0);
  expect((await trainSim(["run", "--resume", directory, "--quiet"])).exitCode).toBe(0);
  const whole = await verify(directory);
  expect(whole.verification.differences).toEqual([]);
  expect(whole.exitCode).toBe(0);
});
