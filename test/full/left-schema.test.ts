// A run removes each schema that it made on a server that it did not start, on each of its servers, and no other run's. A
// schema that cannot be dropped is named, and no measurement is lost for it.
import { readdirSync } from "node:fs";
import { expect, inject, it } from "vitest";
import { connectAdmin } from "../../src/database/postgres/admin.js";
import type { Endpoint } from "../../src/database/endpoint.js";
import { testNamespace } from "../support/namespace.js";
import { ownDatabase } from "../support/own-database.js";
import { urlOf } from "../support/suite-server.js";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  trainSim,
  untilLogged,
  writeScenarioFile,
} from "../support/train-sim.js";

const other = ownDatabase("left");
const REST = `
actors:
  producers: { workers: 1, load: { executor: constant-clients, clients: 1, thinkTime: 20ms } }
  consumers: { workers: 1, load: { executor: constant-clients, clients: 1, thinkTime: 20ms } }
  archivers: false
payload: text
appDelay: 0
diagnosis: { ceiling: false }
evidence: { every: "off" }
trial: { warmUp: 0, duration: 600ms, drain: false }
trials: 1
`;

async function schemasAt(endpoint: Endpoint, names: readonly string[]): Promise<unknown[]> {
  const admin = await connectAdmin(endpoint);
  const rows = await admin.query("SELECT nspname AS name FROM pg_namespace WHERE nspname = ANY ($1)", [
    `{${names.join(",")}}`,
  ]);
  await admin.close();
  return rows.map(({ name }) => name);
}

/** Ends the remaining sessions: the server notices a client's end only when it next sends to it. */
async function sessionsGone(): Promise<void> {
  const ours =
    "datname = current_database() AND (application_name = 'train-sim' OR application_name LIKE 'train-sim/%/%')";
  let rows: readonly unknown[];
  do
    rows = await other.admin.query(
      `SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity WHERE ${ours}`,
    );
  while (rows.length > 0);
}

/** Runs the printed command that drops a schema, unchanged, with the password in its place. */
async function expectDropped(stderr: string, namespace: string): Promise<void> {
  expect(await schemasAt(other.endpoint, [namespace])).toEqual([namespace]);
  const [, words = ""] =
    /Remove it with: npx train-sim (.*) \(with its password in PGPASSWORD\)/.exec(stderr) ?? [];
  expect(words).not.toContain(other.endpoint.password);
  const dropped = await trainSim(words.split(" "), {
    env: { ...process.env, PGPASSWORD: other.endpoint.password },
  });
  expect(dropped).toMatchObject({ exitCode: 0, stdout: `namespace ${namespace}: dropped\n` });
  expect(await schemasAt(other.endpoint, [namespace])).toEqual([]);
}

it("a run drops each schema on each server if both are factors", async () => {
  const names = [testNamespace("left"), testNamespace("left")];
  const suite = inject("adminEndpoint");
  const out = scratchDirectory();
  const yaml = `name: t
seed: 1
target: { kind: url }
factors: { target.url: ["${urlOf(suite)}", "${urlOf(other.endpoint)}"], namespace: [${names.join(", ")}] }
${REST}`;
  const ended = await trainSim(["run", writeScenarioFile(yaml), "--out", out]);
  expect(ended.stderr).not.toContain("schema drop");
  expect(onlyResultIn(out).result.treatments).toHaveLength(4);
  expect(await schemasAt(suite, names)).toEqual([]);
  expect(await schemasAt(other.endpoint, names)).toEqual([]);
});

it("doctor names a killed run's schema and the command that drops the schema, but not during the run", async () => {
  const namespace = testNamespace("left");
  const out = scratchDirectory();
  const yaml = `name: t\nseed: 1\nnamespace: ${namespace}\ntarget: "${urlOf(other.endpoint)}"\n${REST.replace("600ms", "600s")}`;
  const file = writeScenarioFile(yaml);
  const started = startTrainSim(["run", file, "--out", out]);
  await untilLogged(out, '"phase":"measure"');
  expect((await trainSim(["doctor", file])).stdout).not.toContain("left behind");
  started.child.kill("SIGKILL");
  await started.ended;
  await sessionsGone();
  const { exitCode, stdout } = await trainSim(["doctor", file]);
  expect(exitCode, stdout).toBe(0);
  expect(stdout).toMatch(new RegExp(`schema "${namespace}" on \\S+ was left by a run that has ended`));
  await expectDropped(stdout, namespace);
  expect((await trainSim(["doctor", file])).stdout).not.toContain(namespace);
});

it("a run that cannot drop its locked schema completes, and names the schema with the command", async () => {
  const namespace = testNamespace("left");
  const out = scratchDirectory();
  const yaml = `name: t\nseed: 1\nnamespace: ${namespace}\ntarget: "${urlOf(other.endpoint)}"\n${REST}`;
  const started = startTrainSim(["run", writeScenarioFile(yaml), "--out", out]);
  await untilLogged(out, '"phase":"measure"');
  await other.admin.query(`BEGIN; LOCK TABLE ${namespace}.events IN ACCESS SHARE MODE`);
  const ended = await started.ended;
  await other.admin.query("ROLLBACK");
  expect(ended.stderr).toMatch(
    new RegExp(`warning: schema "${namespace}" stays on postgresql://.*used the tables.*schema drop`),
  );
  const { result } = onlyResultIn(out);
  expect(result.treatments[0]?.trials).toMatchObject([{ status: "complete", integrity: { verdict: "ok" } }]);
  expect(ended.exitCode).toBe(0);
  expect(ended.stdout).toContain("Verdict");
  await expectDropped(ended.stderr, namespace);
  expect(JSON.stringify(result.diagnosis)).toContain("Remove it with: npx train-sim schema drop --url");
});

it("a run that fails keeps its schema, and names the command that drops the schema", async () => {
  const namespace = testNamespace("left");
  const out = scratchDirectory();
  const yaml = `name: t\nseed: 1\nnamespace: ${namespace}\ntarget: "${urlOf(other.endpoint)}"\n${REST}`;
  const started = startTrainSim(["run", writeScenarioFile(yaml), "--out", out, "--duration", "60s"]);
  await untilLogged(out, '"phase":"measure"');
  await other.admin.query(`DROP TABLE ${namespace}.event_status`);
  const ended = await started.ended;
  expect(ended.exitCode).toBe(107);
  await expectDropped(ended.stderr, namespace);
});

it("neither a second run nor `schema drop` touches the schema of a run at work", async () => {
  const namespace = testNamespace("left");
  const out = scratchDirectory();
  const url = urlOf(other.endpoint);
  const file = writeScenarioFile(`name: t\nseed: 1\nnamespace: ${namespace}\ntarget: "${url}"\n${REST}`);
  const first = startTrainSim(["run", file, "--out", out, "--duration", "60s"]);
  await untilLogged(out, '"phase":"measure"');
  const outOfSecond = scratchDirectory();
  const second = await trainSim(["run", file, "--out", outOfSecond]);
  const drop = await trainSim(["schema", "drop", "--url", url, "--namespace", namespace]);
  for (const { exitCode, stderr } of [second, drop]) {
    expect(stderr).toContain(`schema "${namespace}" is in use by another train-sim (process`);
    expect(exitCode).toBe(104);
  }
  expect(readdirSync(outOfSecond)).toEqual([]);
  first.child.kill("SIGINT");
  expect((await first.ended).exitCode).toBe(105);
  expect(onlyResultIn(out).result.treatments[0]?.trials).toMatchObject([{ integrity: { verdict: "ok" } }]);
  expect(await schemasAt(other.endpoint, [namespace])).toEqual([]);
});
