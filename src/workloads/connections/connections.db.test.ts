// The workload connections on the built program: what was acknowledged is in the table, and a row that goes is missed.
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { connectAdmin } from "../../database/admin.js";
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

it("the audit finds a lost row, and a row without an acknowledgement", async () => {
  const namespace = testNamespace();
  const admin = await connectAdmin(inject("adminEndpoint"));
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
  const audited = async (acknowledged: number, inDoubt: number) => {
    const told = [{ acknowledged, inDoubt }];
    const inputs = { settings, told, directory: "", unclosed: [], preloaded: undefined, isDrained: false };
    return (await connections.audit(admin, inputs)).findings;
  };
  try {
    await resetNamespace(admin, { workload: "connections", namespace });
    await admin.query(`INSERT INTO ${namespace}.test_tbl SELECT 1, 'x' FROM generate_series(1, 5)`);
    expect(await audited(5, 0)).toMatchObject({ verdict: "ok", published: 5 });
    expect(await audited(4, 2)).toMatchObject({ verdict: "ok", inDoubtFound: 1 });
    expect(await audited(6, 0)).toMatchObject({ verdict: "violated", lost: 1 });
    expect(await audited(3, 1)).toMatchObject({ verdict: "violated", unexpected: 1 });
  } finally {
    await admin.query(`DROP SCHEMA ${namespace} CASCADE`);
    await admin.close();
  }
});
