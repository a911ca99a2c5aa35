// The workload accounts on the built program: whatever the isolation and however transfers fail, the balances add up; and
// each change that breaks them is found by the audit.
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, inject, it } from "vitest";
import { connectAdmin, type AdminClient } from "../../database/admin.js";
import { casesOf } from "../../../test/support/lanes.js";
import { testNamespace } from "../../../test/support/namespace.js";
import { onSuiteServer } from "../../../test/support/suite-server.js";
import {
  onlyResultIn,
  scratchDirectory,
  trainSim,
  writeScenarioFile,
} from "../../../test/support/train-sim.js";
import { resetNamespace } from "../namespace.js";
import { audit } from "./audit.js";
import type { Treatment } from "./settings.js";

const VARIANTS = casesOf(["aggregates", "no-aggregates", "reads"], 2);

it("books every transfer of the budget as made or failed, and its balances add up", async () => {
  const out = join(scratchDirectory(), "results");
  const scenario = `
name: transfers
seed: 3
workload: accounts
${onSuiteServer("transfers")}
pool: { strategy: pg-pool, size: 6 }
factors: { isolation: [read committed, repeatable read], variant: [${VARIANTS.join(", ")}] }
retry: { attempts: 1 }
diagnosis: { ceiling: false, maxFailureRatio: 1 }
actors: { clients: { load: { executor: per-client-iterations, clients: 6, iterations: 40 } } }
trial: { warmUp: 0, drain: false }
trials: 1
thresholds: { "transfer{variant:no-aggregates}": ["failedShare<0.05"] }
`;
  const ended = await trainSim(["run", writeScenarioFile(scenario), "--out", out, "--quiet"]);
  expect(ended.exitCode, ended.stderr).toBe(0);
  const { result } = onlyResultIn(out);
  for (const { levels, trials } of result.treatments) {
    const [{ operations, integrity } = expect.fail("no trial")] = trials;
    const { transactions = 0, failures = {} } = operations.transfer ?? {};
    const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
    expect(transactions + failed, JSON.stringify(levels)).toBe(240);
    expect(integrity).toMatchObject({ verdict: "ok", published: transactions, lost: 0, unbalanced: 0 });
    const isContended = levels.variant === "aggregates" && levels.isolation === "repeatable read";
    expect(failed > 0, JSON.stringify(levels)).toBe(isContended);
    if (isContended) expect(Object.keys(failures)).toEqual(["40001"]);
  }
}, 120_000);

const namespace = testNamespace("accounts");
const [first, second] = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];
const settings: Treatment = {
  dialect: "postgres",
  namespace,
  prepared: true,
  actors: {},
  pool: { strategy: "direct", reconnect: "never" },
  retry: { attempts: 1, deadlineMs: 1, baseMs: 0, ceilingMs: 0 },
  log: { level: "info", slowTransactionMs: 1000 },
  variant: "aggregates",
  hotBranch: 0,
  isolation: "read committed",
  scale: 1,
};
let admin: AdminClient;

beforeAll(async () => {
  admin = await connectAdmin(inject("adminEndpoint"));
});
beforeEach(async () => {
  await resetNamespace(admin, { workload: "accounts", namespace });
  for (const statement of [
    "INSERT INTO pgbench_accounts VALUES (1, 1, 12, ''), (2, 1, 0, '')",
    "INSERT INTO pgbench_tellers VALUES (1, 1, 12, '')",
    "INSERT INTO pgbench_branches VALUES (1, 12, '')",
    `INSERT INTO pgbench_history VALUES ('${first}', 1, 1, 1, 5, now()), ('${second}', 1, 1, 1, 7, now())`,
  ])
    await admin.query(statement.replace("INTO ", `INTO ${namespace}.`));
});
afterAll(async () => {
  await admin.query(`DROP SCHEMA ${namespace} CASCADE`);
  await admin.close();
});

async function audited(acknowledged: number, delta: number, inDoubt: { id: string; delta: number }[] = []) {
  const told = [{ acknowledged, delta, inDoubt }];
  const inputs = { settings, told, directory: "", unclosed: [], preloaded: undefined, isDrained: false };
  return (await audit(admin, inputs)).findings;
}

it("takes what was acknowledged, and what is there of the transfers in doubt", async () => {
  expect(await audited(2, 12)).toMatchObject({ verdict: "ok", published: 2, inDoubt: 0 });
  const doubtful = [
    { id: second, delta: 7 },
    { id: "33333333-3333-4333-8333-333333333333", delta: 9 },
  ];
  expect(await audited(1, 5, doubtful)).toMatchObject({ verdict: "ok", inDoubt: 2, inDoubtFound: 1 });
});

it.each([
  [
    "a transfer that is gone",
    `DELETE FROM pgbench_history WHERE id = '${first}'`,
    { lost: 1, unbalanced: 3 },
  ],
  [
    "a transfer that was never acknowledged",
    "INSERT INTO pgbench_history VALUES (gen_random_uuid(), 1, 1, 1, 0, now())",
    { unexpected: 1, unbalanced: 0 },
  ],
  [
    "an account that lost an update",
    "UPDATE pgbench_accounts SET abalance = 7 WHERE aid = 1",
    { unbalanced: 1 },
  ],
  ["a branch that was paid twice", "UPDATE pgbench_branches SET bbalance = 19", { unbalanced: 1 }],
  ["a teller that was never paid", "UPDATE pgbench_tellers SET tbalance = 0", { unbalanced: 1 }],
  [
    "another amount all through",
    "UPDATE pgbench_history SET delta = delta + 1 WHERE tid = 1",
    { unbalanced: 4, lost: 0 },
  ],
])("finds %s", async (_, change, found) => {
  await admin.query(change.replace(/(FROM|INTO|UPDATE) /, `$1 ${namespace}.`));
  expect(await audited(2, 12)).toMatchObject({ verdict: "violated", ...found });
});
