// The workload accounts on the built program: whatever the isolation and however transfers fail, the balances add up; and
// each change that breaks them is found by the audit.
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, inject, it } from "vitest";
import { connectAdmin, type AdminClient } from "../../database/postgres/admin.js";
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
import type { Writes } from "../numbered-writes.js";
import { audit } from "./audit.js";
import type { Treatment } from "./settings.js";
import { Transfers, type Transfer } from "./transfer.js";

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
const SEED = 5;
const SECOND_CLIENT = { client: 70_000, sent: 2, failed: [], inDoubt: [] };
const drawn = (client: number, count: number): Transfer[] => {
  const transfers = new Transfers(settings, SEED, client);
  return Array.from({ length: count }, () => transfers.draw());
};
const all = [...drawn(0, 3), ...drawn(SECOND_CLIENT.client, SECOND_CLIENT.sent)];
const [first, second] = all as [Transfer, Transfer];
const total = all.reduce((sum, { delta }) => sum + delta, 0);
const STRANGE = "11111111-1111-4111-8111-111111111111";
const strangeLike = (id: string): string => `11111111${id.slice(8)}`;
let admin: AdminClient;

beforeAll(async () => {
  admin = await connectAdmin(inject("adminEndpoint"));
});
beforeEach(async () => {
  await resetNamespace(admin, { workload: "accounts", namespace });
  await admin.query(`INSERT INTO ${namespace}.pgbench_accounts SELECT n, 1, 0 FROM generate_series(1, 100000) AS n;
    INSERT INTO ${namespace}.pgbench_tellers SELECT n, 1, 0 FROM generate_series(1, 10) AS n;
    INSERT INTO ${namespace}.pgbench_branches VALUES (1, 0)`);
  for (const { id, tid, bid, aid, delta } of all)
    await admin.query(`INSERT INTO ${namespace}.pgbench_history VALUES ($1, $2, $3, $4, $5, now())`, [
      ...[id, tid, bid, aid, delta],
    ]);
  await balance();
});
afterAll(async () => {
  await admin.query(`DROP SCHEMA ${namespace} CASCADE`);
  await admin.close();
});

/** Gives each account, teller and branch the balance that the history has for it. */
async function balance(): Promise<void> {
  for (const [table, key] of [
    ["account", "a"],
    ["teller", "t"],
    ["branche", "b"],
  ])
    await admin.query(`UPDATE ${namespace}.pgbench_${table}s AS t SET ${key}balance = h.sum
      FROM (SELECT ${key}id, sum(delta) FROM ${namespace}.pgbench_history GROUP BY ${key}id) AS h
      WHERE t.${key}id = h.${key}id`);
}

const inTables = (change: string) =>
  admin.query(change.replace(/\b(FROM|INTO|UPDATE|TABLE) pgbench/g, `$1 ${namespace}.pgbench`));

async function audited(writes: Partial<Writes> = {}, unclosed: readonly string[] = []) {
  const told = [[{ client: 0, sent: 3, failed: [], inDoubt: [], ...writes }], [{ ...SECOND_CLIENT }]];
  const inputs = { settings, told, directory: "", unclosed, preloaded: { seed: SEED }, isDrained: false };
  return (await audit(admin, inputs)).findings;
}

it("accepts the transfers that were acknowledged, and each of those in doubt that is there", async () => {
  expect(await audited()).toMatchObject({ verdict: "ok", published: 5, inDoubt: 0, named: [] });
  const { id } = drawn(0, 4)[3] ?? expect.fail("no transfer");
  const doubtful = { sent: 4, failed: [2, 3], inDoubt: [2, 3] };
  expect(await audited(doubtful)).toMatchObject({
    ...{ verdict: "ok", published: 4, inDoubt: 2, inDoubtFound: 1 },
  });
  expect((await audited({ sent: 4 })).named).toEqual([
    { kind: "lost", id, words: "acknowledged, and not in the history" },
  ]);
});

it("does not judge transfers of a worker that ended without its account", async () => {
  await inTables(
    "INSERT INTO pgbench_history SELECT md5(id::text)::uuid, 1, 1, 1, 0 FROM pgbench_history LIMIT 1",
  );
  expect(await audited()).toMatchObject({ verdict: "violated", unexpected: 1 });
  expect(await audited({}, ["worker 2"])).toMatchObject({
    ...{ verdict: "ok", notAudited: [expect.stringMatching(/^worker 2 ended/)] },
  });
});

it.each([
  [
    "a transfer that is gone",
    `DELETE FROM pgbench_history WHERE id = '${first.id}'`,
    { lost: 1, unbalanced: 3 },
    [
      ["lost", first.id, "acknowledged, and not in the history"],
      ["unbalanced", `account ${first.aid}`, `balance ${first.delta} instead of 0`],
    ],
  ],
  [
    "a transfer under another id",
    `UPDATE pgbench_history SET id = '${STRANGE}' WHERE id = '${first.id}'`,
    { lost: 1, unexpected: 1, unbalanced: 0 },
    [
      ["lost", first.id, "acknowledged, and not in the history"],
      ["unexpected", STRANGE, "in the history, and never sent"],
    ],
  ],
  [
    "an id that differs in its random part alone",
    `UPDATE pgbench_history SET id = '${strangeLike(first.id)}' WHERE id = '${first.id}'`,
    { lost: 1, unexpected: 1 },
    [["unexpected", strangeLike(first.id), "in the history, and never sent"]],
  ],
  [
    "two transfers that exchanged amounts",
    `UPDATE pgbench_history SET delta = ${first.delta} + ${second.delta} - delta WHERE id IN ('${first.id}', '${second.id}')`,
    { changed: 2, lost: 0, unexpected: 0 },
    [
      ["changed", first.id, `amount ${second.delta} instead of ${first.delta}`],
      ["changed", second.id, `amount ${first.delta} instead of ${second.delta}`],
    ],
  ],
  [
    "an amount that is NULL",
    `UPDATE pgbench_history SET delta = NULL WHERE id = '${first.id}'`,
    { changed: 1 },
    [["changed", first.id, `amount null instead of ${first.delta}`]],
  ],
  [
    "a transfer that is there twice",
    `ALTER TABLE pgbench_history DROP CONSTRAINT pgbench_history_pkey;
     INSERT INTO pgbench_history SELECT * FROM pgbench_history WHERE id = '${first.id}'`,
    { duplicated: 1, unbalanced: 3 },
    [["duplicated", first.id, "in the history 2 times"]],
  ],
  [
    "money that was moved between two accounts",
    "UPDATE pgbench_accounts SET abalance = abalance + aid - 99999 WHERE aid IN (99998, 100000)",
    { changed: 0, unbalanced: 2 },
    [
      ["unbalanced", "account 99998", "balance -1 instead of 0"],
      ["unbalanced", "account 100000", "balance 1 instead of 0"],
    ],
  ],
  [
    "an account that is gone",
    "DELETE FROM pgbench_accounts WHERE aid = 99998",
    { unbalanced: 1 },
    [["unbalanced", "account 99998", "not there; its transfers add up to 0"]],
  ],
  [
    "an account that was added",
    "INSERT INTO pgbench_accounts VALUES (100001, 1, 0, '')",
    { unbalanced: 1 },
    [["unbalanced", "account 100001", "there, and not of the preload"]],
  ],
  [
    "a teller that is there twice",
    `ALTER TABLE pgbench_tellers DROP CONSTRAINT pgbench_tellers_pkey;
     INSERT INTO pgbench_tellers VALUES (3, 1, 0, '')`,
    { unbalanced: 1 },
    [["unbalanced", "teller 3", "there 2 times"]],
  ],
  [
    "a branch that was paid twice",
    `UPDATE pgbench_branches SET bbalance = ${total} + 7`,
    { unbalanced: 1 },
    [["unbalanced", "branch 1", `balance ${total + 7} instead of ${total}`]],
  ],
  [
    "another amount all through",
    "UPDATE pgbench_history SET delta = delta + 1",
    { lost: 0, changed: 5 },
    [["changed", first.id, `amount ${first.delta + 1} instead of ${first.delta}`]],
  ],
])("finds %s, and names it", async (_, change, found, names) => {
  await inTables(change);
  const { named = [], ...findings } = await audited();
  expect(findings).toMatchObject({ verdict: "violated", ...found });
  for (const [kind, id, words] of names) expect(named).toContainEqual({ kind, id, words });
});

it("names 20 of a kind, however many there are, and counts all of them", async () => {
  await inTables("UPDATE pgbench_accounts SET abalance = -1 WHERE aid BETWEEN 70001 AND 70030");
  const { named = [], ...findings } = await audited();
  expect(findings).toMatchObject({ unbalanced: 30 });
  expect(named.filter(({ kind }) => kind === "unbalanced")).toHaveLength(20);
});
