// Worker threads that fail in every way a thread can, in the built program as its users run it: each is named with its
// cause, ends the trial and the run with 107, and leaves results that say so and can be read. The threads are made to
// fail from outside, by a module that Node loads into each of them before the program (NODE_OPTIONS).
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, inject, it } from "vitest";
import { connectAdmin } from "../database/admin.js";
import { dropNamespace } from "../database/namespace.js";
import { testNamespace } from "../testing/namespace.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../testing/train-sim.js";

const { user, password, host, port, database } = inject("adminEndpoint");
const namespace = testNamespace("failing");

const SCENARIO = `
name: failing
seed: 1
namespace: ${namespace}
target: { kind: url, urls: ["postgresql://${user}:${password ?? ""}@${host}:${port}/${database}"] }
payload: text
batch: 5
actors:
  producers: { load: { clients: 1, thinkTime: 20ms } }
  consumers: { workers: 2, load: { clients: 2 } }
  archivers: { load: { clients: 1 } }
trial: { warmUp: 200ms, duration: 60s, drain: 1s }
trials: 2
diagnosis: { ceiling: false }
`;

afterAll(async () => {
  const admin = await connectAdmin(inject("adminEndpoint"));
  await dropNamespace(admin, namespace);
  await admin.close();
});

/** A run in which the second thread of the consumers does `deed` as soon as the window begins. */
async function runWith(deed: string, nodeOptions = "") {
  const module = join(scratchDirectory(), "fault.mjs");
  writeFileSync(
    module,
    `import { isMainThread, parentPort, workerData } from "node:worker_threads";
if (!isMainThread && workerData?.role === "consumers" && workerData.index === 1)
  parentPort.on("message", ({ kind }) => kind === "measure" && setImmediate(() => { ${deed} }));
`,
  );
  const out = join(scratchDirectory(), "results");
  const ended = await trainSim(["run", writeScenarioFile(SCENARIO), "--out", out, "--quiet"], {
    env: { ...process.env, NODE_OPTIONS: `--import=${pathToFileURL(module).href} ${nodeOptions}` },
  });
  return { ended, ...onlyResultIn(out) };
}

describe("a worker thread", () => {
  it.each([
    [
      "throws",
      'throw new Error("out of the blue")',
      /consumers worker 1: out of the blue|crashed: out of the blue/,
    ],
    ["rejects unheard", 'Promise.reject(new Error("never caught"))', /consumers worker 1: never caught/],
    ["ends without a word", "process.exit(3)", /consumers worker 1 ended without a word \(exit code 3\)/],
    ["hangs", "for (;;);", /consumers worker 1 hangs: it has reported nothing for 1[5-9] s/],
  ])(
    "that %s fails the trial with its name and cause, and the run with 107",
    async (_, deed, words) => {
      const { ended, directory, result } = await runWith(deed);
      expect(ended.exitCode, ended.stderr).toBe(107);
      expect(ended.stderr).toMatch(words);
      expect(ended.stderr).toContain(`Partial results are in ${directory}`);
      expect(ended.stderr).not.toContain("please report it");
      expect(result.verdict.status).toBe("aborted");
      const trials = result.treatments.flatMap((treatment) => treatment.trials);
      expect(trials).toHaveLength(1);
      expect(trials[0]).toMatchObject({ status: "failed", integrity: null });
      expect(trials[0]?.reason).toMatch(words);
      const report = await trainSim(["report", directory]);
      expect(report.exitCode).toBe(0);
      expect(report.stdout).toMatch(words);
    },
    90_000,
  );

  it("that runs out of memory is named, and takes only its own trial with it", async () => {
    const { ended, result } = await runWith(
      "const kept = []; for (;;) kept.push(new Array(1000).fill(kept.length));",
      "--max-old-space-size=192",
    );
    expect(ended.exitCode, ended.stderr).toBe(107);
    expect(ended.stderr).toMatch(/consumers worker 1 ran out of memory: .*memory limit/);
    expect(ended.stderr).toContain("--max-old-space-size");
    expect(result.verdict.status).toBe("aborted");
  }, 90_000);
});
