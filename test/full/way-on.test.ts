// Continuing a stopped run: its printed command, run unchanged, completes the experiment. A hang-up of the terminal stops
// it like Ctrl-C.
import { chmodSync, readdirSync } from "node:fs";
import { expect, inject, it } from "vitest";
import { connectAdmin } from "../../src/database/postgres/admin.js";
import { namespaceState } from "../../src/database/postgres/namespace/namespace.js";
import { processesIn } from "../support/installation.js";
import { testNamespace } from "../support/namespace.js";
import { urlOf } from "../support/suite-server.js";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  trainSim,
  untilLogged,
  writeScenarioFile,
} from "../support/train-sim.js";

const LOAD = `
name: way-on
seed: 3
payload: text
appDelay: 0
actors: { producers: { load: { clients: 1, thinkTime: 20ms } }, consumers: { load: { clients: 1, thinkTime: 20ms } }, archivers: false }
trial: { warmUp: 0, duration: 3s, drain: false }
diagnosis: { ceiling: false }
evidence: { every: "off" }
`;

/**
 * Runs the command and stops it in its first trial. Resolves to the arguments of the command that it prints for continuing.
 */
async function stopRun(args: readonly string[], signal: NodeJS.Signals): Promise<string[]> {
  const out = scratchDirectory();
  const temporary = scratchDirectory();
  chmodSync(temporary, 0o755); // the server runs as another user if root starts it
  const started = startTrainSim(["run", ...args, "--out", out], {
    env: { ...process.env, TMPDIR: temporary },
  });
  await untilLogged(out, '"phase":"measure"');
  started.child.kill(signal);
  const ended = await started.ended;
  expect(ended.exitCode, ended.stderr).toBe(105);
  const { result, directory } = onlyResultIn(out);
  expect(result.verdict.reasons.join()).toContain(`stopped by ${signal} after 0 of 2 trials`);
  expect(result.treatments[0]?.trials).toMatchObject([{ status: "partial", integrity: { verdict: "ok" } }]);
  expect(readdirSync(directory)).not.toContain("running");
  expect(readdirSync(temporary)).toEqual([]);
  expect(await processesIn(temporary)).toEqual([]);
  const [, words = ""] = /Continue with: npx train-sim (.*)\n$/.exec(ended.stderr) ?? [];
  expect(words).toMatch(new RegExp(`--resume ${directory}$`));
  return words.split(" ");
}

async function expectCompleted(words: readonly string[]): Promise<void> {
  const resumed = await trainSim([...words, "--json"]);
  expect(resumed.exitCode, resumed.stderr).toBe(0);
  const { treatments } = JSON.parse(resumed.stdout) as { treatments: { trials: { status: string }[] }[] };
  expect(treatments[0]?.trials.map(({ status }) => status)).toEqual(["complete", "complete"]);
}

it("a run stopped by SIGHUP leaves no server, and the printed --resume command completes it", async () => {
  const words = await stopRun([writeScenarioFile(LOAD), "--trials", "2"], "SIGHUP");
  expect(words.slice(0, 2)).toEqual(["run", "--resume"]);
  await expectCompleted(words);
});

it("a run ended by a second signal prints the command that drops its schema", async () => {
  const namespace = testNamespace("wayon");
  const adminEndpoint = inject("adminEndpoint");
  const file = writeScenarioFile(`namespace: ${namespace}\ntarget: "${urlOf(adminEndpoint)}"\n${LOAD}`);
  const out = scratchDirectory();
  const started = startTrainSim(["run", file, "--out", out, "--duration", "60s"]);
  await untilLogged(out, '"phase":"measure"');
  // The lock keeps the current transactions from ending before the second signal.
  const holder = await connectAdmin(adminEndpoint);
  await holder.query(`BEGIN; LOCK TABLE ${namespace}.events IN ACCESS EXCLUSIVE MODE`);
  let hasEnded = false;
  void started.ended.then(() => (hasEnded = true));
  const signal = (): boolean => {
    started.child.kill("SIGHUP");
    return hasEnded;
  };
  await expect.poll(signal, { timeout: 200_000 }).toBe(true);
  await holder.close();
  const { exitCode, stderr } = await started.ended;
  expect(exitCode).toBe(105);
  const [, words = ""] =
    /Remove it with: npx train-sim (.*) \(with its password in PGPASSWORD\)\n/.exec(stderr) ?? [];
  const env = { ...process.env, PGPASSWORD: adminEndpoint.password };
  const dropped = await trainSim(words.split(" "), { env });
  expect(dropped.exitCode).toBe(0);
  // The run may have sent the DROP before it ended, and the server may have executed it once the lock was gone.
  expect(dropped.stdout).toMatch(new RegExp(`^namespace ${namespace}: (dropped|was not there)\n$`));
});

it("a stopped run whose directory lacks a password prints the scenario and its overrides to continue with", async () => {
  const namespace = testNamespace("wayon");
  const adminEndpoint = inject("adminEndpoint");
  const file = writeScenarioFile(`namespace: ${namespace}\ntarget: "${urlOf(adminEndpoint)}"\n${LOAD}`);
  const words = await stopRun([file, "--trials", "2", "--set", "batch=3"], "SIGTERM");
  expect(words).toEqual(["run", file, "--set", "batch=3", "--trials", "2", "--resume", words.at(-1)]);
  const admin = await connectAdmin(adminEndpoint);
  expect(await namespaceState(admin, namespace)).toEqual({ kind: "absent" });
  await admin.close();
  await expectCompleted(words);
});
