import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { connectAdmin, type AdminClient } from "../../database/postgres/admin.js";
import { connections as family } from "../../../test/support/audits/connections.js";
import { AuditedTrial } from "../../../test/support/audits/trial.js";
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
import type { Writes } from "../numbered-writes.js";

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

fullIt(
  "workload connections completes and audits every transaction of the budget over each pool",
  async () => {
    const out = join(scratchDirectory(), "results");
    const ended = await trainSim(["run", writeScenarioFile(SCENARIO), "--out", out, "--quiet"], {
      env: pgBouncerEnv(),
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
  },
);

it("workload connections counts each arrival of an open loop under the script that it would have started", async () => {
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

describe("the audit of connections", () => {
  const namespace = testNamespace("connections");
  let admin: AdminClient;
  beforeAll(async () => {
    admin = await connectAdmin(inject("adminEndpoint"));
  });
  afterAll(async () => {
    await admin.query(`DROP SCHEMA ${namespace} CASCADE`);
    await admin.close();
  });

  /** Audits a table in which client 0 has sent rows 0 to 3. */
  async function auditWrites(writes: Partial<Writes>, change = "") {
    const trial = await AuditedTrial.begin(admin, namespace, family.scenario);
    await trial.change(
      `INSERT INTO test_tbl SELECT n, 'some random name' FROM generate_series(0, 3) AS n; ${change}`,
    );
    return trial.audit({ workerAccounts: [[{ client: 0, sent: 4, failed: [], inDoubt: [], ...writes }]] });
  }

  it("accepts a second copy of a row only if its insert is in doubt", async () => {
    const again = "INSERT INTO test_tbl VALUES (3, 'some random name')";
    expect(await auditWrites({ inDoubt: [3] }, again)).toMatchObject({
      verdict: "ok",
      inDoubt: 1,
      inDoubtFound: 1,
    });
    expect(await auditWrites({}, again)).toMatchObject({ verdict: "violated", duplicated: 1 });
  });

  it("finds a row whose insert failed", async () => {
    const { named, ...findings } = await auditWrites({ failed: [2] });
    expect(findings).toMatchObject({ verdict: "violated", published: 3, unexpected: 1 });
    expect(named).toEqual([{ kind: "unexpected", id: "2", words: "in the table, and never acknowledged" }]);
  });
});
