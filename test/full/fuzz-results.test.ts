// Damaged results: files of a real run, changed in hundreds of ways one at a time, through every reader of the program and
// in a few ways through its commands. The answer is correct as far as can be checked, or a refusal that names the file; a
// command leaves no half-written file, and changes no file that it only reads.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ExitCode, TrainSimError, UsageError } from "../../src/foundation/errors.js";
import { deriveSeed, Prng } from "../../src/foundation/prng.js";
import { readInterrupted, readInterruptedScenario } from "../../src/engine/session/resume.js";
import { collectReport } from "../../src/report/html/collect.js";
import { renderReport } from "../../src/report/html/render.js";
import { readStoredTrial } from "../../src/report/html/trial-series.js";
import { readLogs } from "../../src/logs/read-logs.js";
import { renderLogReport } from "../../src/logs/render.js";
import { KeyMaker } from "../../src/workloads/train-events/model/ledger.js";
import { compareRuns } from "../../src/analysis/comparison/run-comparison.js";
import { renderRunComparison } from "../../src/report/terminal/run-comparison-text.js";
import { runsAsCsv } from "../../src/report/terminal/run-csv.js";
import { renderSummary } from "../../src/report/terminal/summary.js";
import { plainMarks } from "../../src/foundation/text/text-table.js";
import { readEvidence } from "../../src/results/evidence-file.js";
import { mergedHistogramLog } from "../../src/results/histogram-log.js";
import { LedgerFile } from "../../src/workloads/train-events/audit/ledger-file.js";
import { logFilesIn } from "../../src/results/log-reader.js";
import { readResult } from "../../src/results/reader.js";
import { lockDirectory, unlockDirectory } from "../../src/results/run-lock.js";
import { readTimeseries } from "../../src/results/timeseries.js";
import { readWorkRecords } from "../../src/workloads/train-events/audit/work-file.js";
import { fuzz, FUZZ_SEED, type FuzzedReader } from "../support/fuzz.js";
import { onSuiteServer } from "../support/suite-server.js";
import { mutate, type Format } from "../support/mutate.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

const SCENARIO = `
name: fuzzed
seed: 5
factors: { payload: [jsonb, text] }
batch: { min: 5, max: 20 }
actors:
  producers: { load: { clients: 2, thinkTime: 60ms } }
  consumers: { load: { clients: 2, thinkTime: 15ms } }
  archivers: { load: { clients: 1, thinkTime: 15ms } }
trial: { warmUp: 100ms, duration: 1s, drain: 5s }
trials: 1
diagnosis: { ceiling: false }
thresholds: { integrity: violations==0 }
${onSuiteServer("fuzzed")}`;

/**
 * Directory of the unchanged run, directory of a copy whose files are damaged and restored, and path of a trial within
 * both.
 */
let [sound, damaged, trial] = ["", "", ""];
beforeAll(async () => {
  const out = scratchDirectory();
  const { exitCode, stderr } = await trainSim(["run", writeScenarioFile(SCENARIO), "--out", out, "--quiet"]);
  if (exitCode !== ExitCode.done) throw new Error(stderr);
  sound = onlyResultIn(out).directory;
  damaged = join(scratchDirectory(), "damaged");
  cpSync(sound, damaged, { recursive: true });
  trial = join("trials", readdirSync(join(sound, "trials")).sort()[0] ?? "");
});

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

async function resume(): Promise<unknown> {
  return readInterrupted(damaged, await readInterruptedScenario(damaged, undefined, {}));
}

async function compare(): Promise<string> {
  const runs = await Promise.all(
    [sound, damaged].map(async (directory) => ({ directory, result: await readResult(directory) })),
  );
  const [before, after] = runs as [(typeof runs)[0], (typeof runs)[0]];
  return renderRunComparison(compareRuns(before, [after], 0.05)) + runsAsCsv(runs).csv;
}

async function storedTrial(): Promise<unknown> {
  const [treatment] = (await readResult(sound)).treatments.filter(({ trials }) => trials[0]?.number === 1);
  const [first] = treatment?.trials ?? [];
  return first && readStoredTrial(damaged, first, treatment?.id ?? "", 30);
}

async function report(): Promise<unknown> {
  const result = await readResult(damaged);
  const page = renderReport(await collectReport(damaged, result, "0.0.0"), { script: "", style: "" });
  expect(page.trimEnd().endsWith("</html>")).toBe(true);
  return renderSummary(result, { directory: damaged });
}

const logs = async (path: string): Promise<string> =>
  renderLogReport(await readLogs(await logFilesIn([path]), {}, 10), plainMarks);

/** Reads a ledger and makes the keys of its first batches, as an audit does. */
function ledger(path: string): number {
  const file = LedgerFile.read(path);
  const keys = new KeyMaker(file.source);
  return [...file.batches()].slice(0, 20).reduce((sum, batch) => sum + keys.keysOf(batch).length, 0);
}

/** Files of a result with their formats and readers; files of a trial are the first trial's. A new reader is one line. */
const READERS: readonly (readonly [
  file: string,
  format: Format,
  who: string,
  read: (path: string) => unknown,
])[] = [
  ["result.json", "json", "report", report],
  ["result.json", "json", "compare", compare],
  ["result.json", "json", "run --resume", resume],
  ["trial/trial.json", "json", "run --resume", resume],
  ["trial/histograms.hlog", "text", "run --resume", resume],
  ["trial/histograms.hlog", "text", "merged", mergedHistogramLog],
  ["trial/histograms.hlog", "text", "report", storedTrial],
  ["trial/timeseries.csv", "text", "report", storedTrial],
  ["trial/timeseries.csv", "text", "rows", (path) => all(readTimeseries(path))],
  ["trial/evidence.csv", "text", "report", storedTrial],
  ["trial/evidence.csv", "text", "rows", (path) => all(readEvidence(join(path, "..")))],
  ["trial/log.ndjson", "ndjson", "logs", logs],
  ["trial/ledger-0.bin", "text", "audit", ledger],
  ["trial/work-1.bin", "text", "audit", (path) => [...readWorkRecords(path)].length],
  ["running", "text", "run --resume", () => lockDirectory(damaged).then(() => unlockDirectory(damaged))],
];

const LOCK = "2147483647 another-host\n";
const pathOf = (directory: string, file: string): string =>
  join(directory, file.replace(/^trial\//, `${trial}/`));
const soundBytes = (file: string): Buffer =>
  file === "running" ? Buffer.from(LOCK) : readFileSync(pathOf(sound, file));

function mend(file: string): void {
  if (file === "running") rmSync(pathOf(damaged, file), { force: true });
  else writeFileSync(pathOf(damaged, file), soundBytes(file));
}

test.each(READERS)(
  "a damaged %s (%s) is read correctly or refused by %s",
  async (file, format, who, read) => {
    const path = pathOf(damaged, file);
    const reader: FuzzedReader = {
      ...{ name: `${file}, ${who}`, format, sample: soundBytes(file) },
      // The audit does not report a damaged ledger as a UsageError: the program wrote it, and not the user.
      isRefusal: (error) =>
        error instanceof UsageError || (who === "audit" && error instanceof TrainSimError),
      read: async (bytes) => {
        writeFileSync(path, bytes);
        return read(path);
      },
    };
    const { complaints } = await fuzz(reader);
    mend(file);
    expect(complaints).toEqual([]);
  },
);

const NESTED = Buffer.from(`{"version":2,"diagnosis":[${"[".repeat(200_000)}`);
const BROKEN: Readonly<Record<string, (sample: Buffer) => Buffer>> = {
  "cut in half": (sample) => sample.subarray(0, sample.length / 2),
  "all zeros": (sample) => Buffer.alloc(sample.length),
  "nested without end": () => NESTED,
  "changed at random": (sample) => mutate(sample, "text", new Prng(deriveSeed(FUZZ_SEED, "cli"))).bytes,
};

/** Contents of all files, by path below the directory. */
function contentsOf(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    files
      .filter((name) => statSync(join(directory, name)).isFile())
      .map((name) => [name, readFileSync(join(directory, name), "latin1")]),
  );
}

/** Commands with each file that they read, and the exit codes that are right if the file is broken. */
const COMMANDS: readonly (readonly [command: string, file: string, exitCodes: readonly number[]])[] = [
  ["report DIR", "result.json", [ExitCode.invalid]],
  ["report DIR", "trial/histograms.hlog", [ExitCode.done]],
  ["compare SOUND DIR", "result.json", [ExitCode.invalid]],
  ["logs DIR", "trial/log.ndjson", [ExitCode.done]],
  ["run --resume DIR", "result.json", [ExitCode.invalid]],
  ["run --resume DIR", "trial/trial.json", [ExitCode.invalid]],
  ["run --resume DIR", "trial/histograms.hlog", [ExitCode.invalid]],
  ["validate DIR/scenario.yaml", "scenario.yaml", [ExitCode.invalid]],
];

test.each(COMMANDS)(
  "`%s` with a damaged %s ends with the right exit code and changes no other file",
  async (command, file, exitCodes) => {
    for (const [how, broken] of Object.entries(BROKEN)) {
      writeFileSync(pathOf(damaged, file), broken(soundBytes(file)));
      const before = contentsOf(damaged);
      const args = command.split(" ").map((word) => word.replace("SOUND", sound).replace("DIR", damaged));
      const { exitCode, signal, stdout, stderr } = await trainSim(args);
      const seen = `${how}: ${stderr}`;
      // Half of a scenario, or a scenario with a few other characters, may be valid.
      const mayBeSound = file === "scenario.yaml" && /^(cut|changed)/.test(how);
      const isRight = exitCodes.includes(exitCode ?? -1) || (mayBeSound && exitCode === ExitCode.done);
      expect({ seen, signal, isRight }).toEqual({
        seen,
        signal: null,
        isRight: true,
      });
      expect(stderr).not.toMatch(/\n\s+at .*:\d+:\d+|unexpected error/);
      if (exitCode === ExitCode.invalid) expect(stderr).toContain(file.replace(/^trial\//, ""));
      if (exitCode === ExitCode.invalid) expect(stdout).toBe("");
      const after = contentsOf(damaged);
      if (command === "report DIR" && exitCode === ExitCode.done)
        expect(after["report.html"]?.trimEnd().endsWith("</html>")).toBe(true);
      expect({ ...after, "report.html": "" }).toEqual({ ...before, "report.html": "" });
    }
    mend(file);
    expect(existsSync(join(damaged, "running"))).toBe(false);
  },
);
