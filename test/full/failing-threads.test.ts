// Threads that fail in every way, in the built program: each is named with its cause, ends the trial and the run with 107,
// and leaves readable results that report it; and a clock that is set during a trial. A module that Node loads into each
// thread before the program (NODE_OPTIONS) causes the failures.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, inject, it } from "vitest";
import { connectAdmin } from "../../src/database/postgres/admin.js";
import { dropNamespace, testNamespace } from "../support/namespace.js";
import { urlOf } from "../support/suite-server.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

const namespace = testNamespace("failing");

const SCENARIO = `
name: failing
seed: 1
namespace: ${namespace}
target: { kind: url, urls: ["${urlOf(inject("adminEndpoint"))}"] }
payload: text
batch: 5
actors:
  producers: { load: { clients: 1, thinkTime: 60ms } }
  consumers: { workers: 2, load: { clients: 2, thinkTime: 15ms } }
  archivers: false
trial: { warmUp: 200ms, duration: 60s, drain: 1s }
trials: 2
diagnosis: { ceiling: false }
`;

afterAll(async () => {
  const admin = await connectAdmin(inject("adminEndpoint"));
  await dropNamespace(admin, namespace);
  await admin.close();
});

/** Runs the program with `module` in each of its threads. */
async function runWith(module: string, nodeOptions = "", args: readonly string[] = []) {
  const file = join(scratchDirectory(), "fault.mjs");
  writeFileSync(
    file,
    `import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";\n${module}`,
  );
  const out = join(scratchDirectory(), "results");
  const ended = await trainSim(["run", writeScenarioFile(SCENARIO), "--out", out, "--quiet", ...args], {
    env: { ...process.env, NODE_OPTIONS: `--import=${pathToFileURL(file).href} ${nodeOptions}` },
  });
  return { ended, ...onlyResultIn(out) };
}

/** Text of a module that runs `deed` in the second thread of the consumers, as soon as the window begins. */
const inWorker = (deed: string) => `
if (!isMainThread && workerData?.role === "consumers" && workerData.index === 1)
  parentPort.on("message", ({ kind }) => kind === "measure" && setImmediate(() => { ${deed} }));
`;

/** Text of a module that runs `deed` in the main thread, a moment after the window has begun. */
const inCoordinator = (deed: string) => `
const { postMessage } = Worker.prototype;
let isDone = false;
if (isMainThread)
  Worker.prototype.postMessage = function (message, ...rest) {
    if (message.kind === "measure" && !isDone) {
      isDone = true;
      setTimeout(() => { ${deed} }, 200);
    }
    return postMessage.call(this, message, ...rest);
  };
`;

const OUT_OF_MEMORY_IN_A_LOOP = "const kept = []; for (let i = 0; ; i++) kept.push(new Array(1000).fill(i));";

describe("failures of worker threads", () => {
  it.each([
    [
      "throws",
      'throw new Error("out of the blue")',
      /consumers worker 1: out of the blue|crashed: out of the blue/,
    ],
    [
      "rejects without a handler",
      'Promise.reject(new Error("never caught"))',
      /consumers worker 1: never caught/,
    ],
    ["exits", "process.exit(3)", /consumers worker 1 ended unexpectedly \(exit code 3\)/],
    ["hangs", "for (;;);", /consumers worker 1 hangs: it has reported nothing for 1[5-9] s/],
  ])(
    "a worker thread that %s fails the trial with its name and cause, and the run with 107",
    async (_, deed, words) => {
      const { ended, directory, result } = await runWith(inWorker(deed));
      expect(ended.exitCode, ended.stderr).toBe(107);
      expect(ended.stderr).toMatch(words);
      expect(ended.stderr).toContain(`Partial results are in ${directory}`);
      expect(ended.stderr).not.toContain("please report it");
      expect(result.verdict.status).toBe("aborted");
      const trials = result.treatments.flatMap((treatment) => treatment.trials);
      expect(trials).toHaveLength(1);
      // Files of the other workers are audited nevertheless, and the caveat names the worker whose last work is not known.
      const notAudited = ["consumers worker 1 ended without closing its ledger: its last work is not known"];
      expect(trials[0]).toMatchObject({ status: "failed", integrity: { verdict: "ok", notAudited } });
      expect(trials[0]?.integrity?.published).toBeGreaterThan(0);
      expect(trials[0]?.reason).toMatch(words);
      const report = await trainSim(["report", directory]);
      expect(report.exitCode).toBe(0);
      expect(report.stdout).toMatch(words);
    },
  );

  it.each([
    ["cannot start", 'throw new Error("no timer today")', /producers worker 0: no timer today/],
    ["ends by itself", "process.exit(3)", /producers worker 0: the timer thread ended with code 3/],
  ])("a worker reports that its timer thread %s, and the run ends with 107", async (_, deed, words) => {
    const { ended, result } = await runWith(
      `if (!isMainThread && workerData?.due instanceof Float64Array) { ${deed} }`,
      "",
      [
        ...["--set", "actors.producers.load={executor: constant-arrival-rate, rate: 20, maxClients: 1}"],
        // A think time would give the consumers a timer thread too.
        ...["--set", "actors.consumers.load.thinkTime=0"],
      ],
    );
    expect(ended.exitCode, ended.stderr).toBe(107);
    expect(ended.stderr).toMatch(words);
    expect(result.verdict.status).toBe("aborted");
  });

  it("a worker that runs out of memory over several turns is named, and the run ends with 107", async () => {
    const leak =
      "const leak = () => { for (let i = 0; i < 1000; i++) kept.push(new Array(1000).fill(i)); setImmediate(leak); };";
    const { ended, result } = await runWith(
      inWorker(`const kept = []; ${leak} leak();`),
      "--max-old-space-size=192",
    );
    expect(ended.exitCode, ended.stderr).toBe(107);
    expect(ended.stderr).toMatch(/consumers worker 1 ran out of memory: .*memory limit/);
    expect(ended.stderr).toContain("--max-old-space-size");
    expect(result.verdict.status).toBe("aborted");
  });

  it("a worker that runs out of memory in one loop is named, and the run ends even if Node keeps the thread", async () => {
    const { ended, directory, result } = await runWith(
      inWorker(OUT_OF_MEMORY_IN_A_LOOP),
      "--max-old-space-size=192",
    );
    expect(ended.exitCode, ended.stderr).toBe(107);
    // Node 20 and 22 end a thread that runs out of memory; in 24 and 26 it hangs and is terminated.
    expect(ended.stderr).toMatch(/consumers worker 1 (ran out of memory|hangs: [\s\S]*was terminated)/);
    expect(ended.stderr).toContain(`Partial results are in ${directory}`);
    expect(result.verdict.status).toBe("aborted");
  });
});

describe("the coordinator", () => {
  it("ends with 107, a stack and readable results on an unexpected error", async () => {
    const { ended, directory, result } = await runWith(
      inCoordinator('throw new TypeError("nobody foresaw me")'),
    );
    expect(ended.exitCode).toBe(107);
    expect(ended.stderr).toMatch(/unexpected error, please report it: TypeError: nobody foresaw me\n\s+at /);
    expect(result.verdict.reasons.join()).toContain("unfinished: 0 of 2 trials complete");
    expect((await trainSim(["report", directory])).exitCode).toBe(0);
  });

  it("ends with 107 on an unexpected error although Node cannot end a worker thread", async () => {
    const later = 'setTimeout(() => { throw new TypeError("nobody foresaw me"); }, 2_000)';
    const { ended } = await runWith(
      inWorker(OUT_OF_MEMORY_IN_A_LOOP) + inCoordinator(later),
      "--max-old-space-size=192",
    );
    expect(ended.exitCode, ended.stderr).toBe(107);
    expect(ended.stderr).toContain("please report it: TypeError: nobody foresaw me");
  });

  it("ends with 107 and a message if it waits for an event that cannot occur", async () => {
    const file = join(scratchDirectory(), "silence.mjs");
    writeFileSync(
      file,
      `import { ChildProcess } from "node:child_process";
const { emit } = ChildProcess.prototype;
ChildProcess.prototype.emit = function (name, ...rest) {
  return !(name === "exit" && this.spawnfile.includes("initdb")) && emit.call(this, name, ...rest);
};`,
    );
    const args = ["--out", scratchDirectory(), "--quiet", "--set", "target={ kind: embedded }"];
    const ended = await trainSim(["run", writeScenarioFile(SCENARIO), ...args], {
      env: { ...process.env, NODE_OPTIONS: `--import=${pathToFileURL(file).href}` },
    });
    expect(ended.exitCode).toBe(107);
    expect(ended.stderr).toContain(
      "please report it: Error: the command waits for an event that cannot occur",
    );
  });

  it("is terminated with its exit code and a message if an open timer keeps it from ending", async () => {
    const file = join(scratchDirectory(), "holder.mjs");
    writeFileSync(file, "setInterval(() => undefined, 60_000);");
    const ended = await trainSim(["validate", join(scratchDirectory(), "none.yaml")], {
      env: { ...process.env, NODE_OPTIONS: `--import=${pathToFileURL(file).href}` },
    });
    expect(ended.exitCode, ended.stderr).toBe(104);
    expect(ended.stderr).toContain("train-sim: a part did not stop and was terminated");
  });

  it("reports that the wall clock was set during a trial, and keeps the step out of all times", async () => {
    const forward = "const real = Date.now; Date.now = () => real() + 3_600_000;";
    const { ended, result } = await runWith(inCoordinator(forward), "", [
      "--trials",
      "1",
      "--duration",
      "1s",
    ]);
    expect(ended.exitCode, ended.stderr).toBe(0);
    const [trial] = result.treatments[0]?.trials ?? [];
    expect(result.verdict).toMatchObject({ counts: { isValid: true }, timings: { isValid: false } });
    expect(trial?.diagnosis?.map(({ check }) => check)).toContain("clock-step");
    expect(trial?.client?.clockStepMs).toBeGreaterThan(3_590_000);
    expect(trial?.windowSeconds).toBeCloseTo(1, 1);
    expect(trial?.operations.add?.responseTimeMs?.max).toBeLessThan(60_000);
    expect(trial?.lifecycle.completedMs?.max ?? 0).toBeLessThan(60_000);
  });
});
