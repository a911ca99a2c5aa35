// The workload connections on the built program: what was acknowledged is in the table, and a row that goes is missed.
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, inject, it } from "vitest";
import { connectAdmin, type AdminClient } from "../../database/postgres/admin.js";
import { pgBouncerEnv } from "../../../test/support/pgbouncers.js";
import { fullIt } from "../../../test/support/lanes.js";
import { testNamespace } from "../../../test/support/namespace.js";
import { onSuiteServer } from "../../../test/support/suite-server.js";
import {
  onlyResultIn,
  scratchDirectory,
  trainSim,
  writeScenarioFile,
} from "../../../test/support/train-sim.js";
import { resetNamespace } from "../namespace.js";
import type { Writes } from "../numbered-writes.js";
import { connections } from "./workload.js";

const SCENARIO = `
name: reconnecting
seed: 3
workload: connections
target: { kind: embedded, auth: trust }
prepared: simple
factors:
  pool:
    - { strategy: direct, reconnect: per-transaction }
    - { strategy: pgbouncer, mode: session, size: 2, reconnect: per-transaction }
    - { strategy: pg-pool, size: 2 }
actors: { clients: { load: { executor: per-client-iterations, clients: 4, iterations: 50 } } }
trial: { warmUp: 0, drain: false }
trials: 1
diagnosis: { ceiling: false }
`;

fullIt("every transaction of the budget is done and audited, over each pool", async () => {
  const out = join(scratchDirectory(), "results");
  const ended = await trainSim(["run", writeScenarioFile(SCENARIO), "--out", out, "--quiet"], {
    env: pgBouncerEnv("1.24"),
  });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const { result } = onlyResultIn(out);
  expect(result.treatments).toHaveLength(3);
  for (const { id, trials } of result.treatments) {
    const [{ operations, integrity } = expect.fail("no trial")] = trials;
    const { account, script } = operations;
    expect((account?.transactions ?? 0) + (script?.transactions ?? 0), id).toBe(200);
    expect(integrity, id).toMatchObject({ verdict: "ok", published: script?.transactions, lost: 0 });
  }
  const [direct, , kept] = result.treatments.map(
    ({ trials }) => trials[0]?.operations.account?.poolWaitMs?.mean,
  );
  expect(direct).toBeGreaterThan(kept ?? Number.POSITIVE_INFINITY);
});

it("accounts for every arrival of an open loop under the script that it would have started", async () => {
  const yaml = `name: arrivals
seed: 4
workload: connections
${onSuiteServer("arrivals")}actors:
  clients: { load: { executor: constant-arrival-rate, rate: 3000, maxClients: 2, maxWait: 0 }, workers: 2 }
trials: 1
trial: { warmUp: 0, duration: 3s, drain: false }
diagnosis: { ceiling: false }
`;
  const out = join(scratchDirectory(), "results");
  const ended = await trainSim(["run", writeScenarioFile(yaml), "--out", out, "--quiet"]);
  expect(ended.exitCode, ended.stderr).toBe(0);
  const [trial] = onlyResultIn(out).result.treatments[0]?.trials ?? [];
  for (const name of ["account", "script"]) {
    const {
      offered = 0,
      dropped = 0,
      unfinished = 0,
      transactions = 0,
      startDelayMs,
    } = trial?.operations[name] ?? {};
    expect(offered, name).toBeGreaterThan(3_500);
    expect(transactions + dropped + unfinished, name).toBe(offered);
    expect(startDelayMs, name).not.toBeNull();
  }
}, 120_000);

const namespace = testNamespace("connections");
let admin: AdminClient;
beforeAll(async () => {
  admin = await connectAdmin(inject("adminEndpoint"));
});
afterAll(async () => {
  await admin.query(`DROP SCHEMA ${namespace} CASCADE`);
  await admin.close();
});
beforeEach(async () => {
  await resetNamespace(admin, { workload: "connections", namespace });
  await admin.query(`INSERT INTO ${namespace}.test_tbl SELECT n, 'some random name' FROM generate_series(0, 3) AS n
    UNION ALL SELECT 20000000000, 'some random name'`);
});

/** Client 0 has sent 4 rows, and client 2 one. */
async function audited(writes: Partial<Writes> = {}, unclosed: readonly string[] = []) {
  const settings = {
    dialect: "postgres",
    namespace,
    prepared: true,
    actors: {},
    pool: { strategy: "direct", reconnect: "never" },
    retry: { attempts: 1, deadlineMs: 1, baseMs: 0, ceilingMs: 0 },
    log: { level: "info", slowTransactionMs: 1000 },
    script: "insert",
    weights: { account: 1, script: 1 },
    scale: 1,
  } as const;
  const none = { failed: [], inDoubt: [] };
  const told = [[{ client: 0, sent: 4, ...none, ...writes }], [{ client: 2, sent: 1, ...none }]];
  const inputs = { settings, told, directory: "", unclosed, preloaded: undefined, isDrained: false };
  return (await connections.audit(admin, inputs)).findings;
}

it("accepts the rows that were acknowledged, and each in doubt as often as it was sent", async () => {
  expect(await audited()).toMatchObject({ verdict: "ok", published: 5, inDoubt: 0, named: [] });
  expect(await audited({ sent: 5, failed: [3, 4], inDoubt: [3, 4] })).toMatchObject({
    ...{ verdict: "ok", published: 4, inDoubt: 2, inDoubtFound: 1 },
  });
  await admin.query(`INSERT INTO ${namespace}.test_tbl VALUES (3, 'some random name')`);
  expect(await audited({ inDoubt: [3] })).toMatchObject({ verdict: "ok", inDoubt: 1, inDoubtFound: 1 });
  expect(await audited()).toMatchObject({ verdict: "violated", duplicated: 1 });
});

it("does not judge rows of a worker that ended without its account", async () => {
  await admin.query(`INSERT INTO ${namespace}.test_tbl VALUES (10000000000, 'some random name')`);
  expect(await audited()).toMatchObject({ verdict: "violated", unexpected: 1 });
  expect(await audited({}, ["worker 1"])).toMatchObject({ verdict: "ok", unexpected: 0 });
});

it.each([
  [
    "a row that is gone and another in its place",
    "UPDATE test_tbl SET id = 77 WHERE id = 2",
    { lost: 1, unexpected: 1 },
    [
      ["lost", "2", "acknowledged, and not in the table"],
      ["unexpected", "77", "in the table, and never sent"],
    ],
  ],
  [
    "a row without an id",
    "UPDATE test_tbl SET id = NULL WHERE id = 2",
    { lost: 1, unexpected: 1 },
    [["unexpected", "null", "in the table, and never sent"]],
  ],
  [
    "a row that is there three times",
    "INSERT INTO test_tbl SELECT t.* FROM test_tbl AS t, generate_series(1, 2) WHERE id = 1",
    { duplicated: 1 },
    [["duplicated", "1", "in the table 3 times"]],
  ],
  [
    "a row with another name",
    "UPDATE test_tbl SET name = 'x' WHERE id = 20000000000",
    { changed: 1, lost: 0 },
    [["changed", "20000000000", "another name than was sent"]],
  ],
])("finds %s, and names it", async (_, change, found, names) => {
  await admin.query(`SET search_path TO ${namespace}; ${change}`);
  const { named = [], ...findings } = await audited();
  expect(findings).toMatchObject({ verdict: "violated", ...found });
  for (const [kind, id, words] of names) expect(named).toContainEqual({ kind, id, words });
});

it("finds a row whose insert failed", async () => {
  const { named, ...findings } = await audited({ failed: [2] });
  expect(findings).toMatchObject({ verdict: "violated", published: 4, unexpected: 1 });
  expect(named).toEqual([{ kind: "unexpected", id: "2", words: "in the table, and never acknowledged" }]);
});
