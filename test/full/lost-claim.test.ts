// A run on a user's server that loses the lock on its namespace while it works: its session is ended, the server restarts,
// or another run takes the schema. The first run goes on in its own tables or ends at once, and names them.
import { afterAll, beforeAll, expect, it } from "vitest";
import { namespaceState } from "../../src/database/postgres/namespace/namespace.js";
import { dropNamespace, testNamespace } from "../support/namespace.js";
import { ownDatabase } from "../support/own-database.js";
import { urlOf } from "../support/suite-server.js";
import {
  onlyResultIn,
  outputMatch,
  scratchDirectory,
  startTrainSim,
  trainSim,
  untilLogged,
  writeScenarioFile,
} from "../support/train-sim.js";
import { startEmbedded } from "../../src/targets/embedded/embedded.js";
import type { RunningTarget } from "../../src/targets/running-target.js";

const own = ownDatabase("lostclaim");
let server: RunningTarget | undefined;
beforeAll(async () => {
  server = await startEmbedded({}, { maxConnectionsNeeded: 40 });
});
afterAll(() => server?.stop());

const scenarioOn = (url: string, namespace: string): string =>
  writeScenarioFile(`
name: t
seed: 1
namespace: ${namespace}
target: "${url}"
actors:
  producers: { load: { clients: 1, thinkTime: 20ms } }
  consumers: { load: { clients: 1, thinkTime: 20ms } }
  archivers: false
payload: text
appDelay: 0
diagnosis: { ceiling: false }
evidence: { every: "off" }
trial: { warmUp: 0, duration: 600s, drain: false }
trials: 1
`);

const endClaim = (): Promise<unknown> =>
  own.admin.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'train-sim/claim%'",
  );

async function runAt(url: string, namespace: string) {
  const file = scenarioOn(url, namespace);
  const out = scratchDirectory();
  const first = startTrainSim(["run", file, "--out", out]);
  const retaken = outputMatch(first, /lost \((.*)\) and is held again/);
  retaken.catch(() => undefined);
  await untilLogged(out, '"phase":"measure"');
  return { file, out, first, retaken };
}

/** Expects that a second run in the namespace is refused, and that the first run then ends with its events in the tables. */
async function expectUndisturbed({ file, out, first }: Awaited<ReturnType<typeof runAt>>): Promise<void> {
  const second = await trainSim(["run", file, "--out", scratchDirectory(), "--duration", "1s"]);
  expect(second.stderr).toMatch(/schema ".*" is in use by another train-sim \(process/);
  expect(second.exitCode).toBe(104);
  first.child.kill("SIGINT");
  expect((await first.ended).exitCode).toBe(105);
  expect(onlyResultIn(out).result.treatments[0]?.trials).toMatchObject([
    { status: "partial", integrity: { verdict: "ok" } },
  ]);
}

it("a run whose claim session is ended claims its schema again and keeps a second run away", async () => {
  const run = await runAt(urlOf(own.endpoint), testNamespace("lost"));
  await endClaim();
  await expectUndisturbed(run);
  expect((await run.retaken)[1]).toMatch(/terminating connection/);
});

it("a run whose server restarts claims its schema again and keeps a second run away", async () => {
  if (!server?.control) throw new Error("the server is started before");
  const run = await runAt(urlOf(server.admin), testNamespace("lost"));
  server.control.expectLoss();
  await server.control.shutDown("fast");
  await server.control.start();
  await expectUndisturbed(run);
  await run.retaken;
});

it("a run whose schema another run has taken ends with 111, names the schema and drops nothing", async () => {
  const namespace = testNamespace("lost");
  const { first, out } = await runAt(urlOf(own.endpoint), namespace);
  const state = await namespaceState(own.admin, namespace);
  if (state.kind !== "ours") throw new Error("the run has made its namespace");
  const mark = state.mark.replace(/run \w+$/, "run 0a1b2c3d");
  await own.admin.query(`COMMENT ON SCHEMA ${namespace} IS '${mark}'`);
  await endClaim();
  const ended = await first.ended;
  expect(ended.exitCode).toBe(111);
  expect(ended.stderr).toMatch(
    new RegExp(`lost its lock on schema "${namespace}" \\(.*\\), and another run has taken the schema`),
  );
  expect(ended.stderr).not.toContain("schema drop");
  expect(onlyResultIn(out).result.treatments[0]?.trials).toMatchObject([{ status: "failed" }]);
  expect(await dropNamespace(own.admin, namespace)).toBe(true);
});
