// The workload calls: a run on the built program (all of them: test/full/calls.test.ts), and each change that breaks a batch,
// which the audit finds.
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { connectAdmin, type AdminClient } from "../../database/admin.js";
import { PgConnection } from "../../database/connection.js";
import { CopyRows } from "../../database/wire/copy-call.js";
import { PROBES, resultOf } from "../../../test/support/day-of-calls.js";
import { testNamespace } from "../../../test/support/namespace.js";
import { resetNamespace } from "../namespace.js";
import { audit } from "./audit.js";
import { copyBatch, placeOf, sumBatch, type BatchPlace } from "./batch.js";
import { preload } from "./preload.js";
import type { Treatment } from "./settings.js";
import { statementsOf } from "./statements.js";

it("loads the day once by COPY and by INSERT, and answers meanwhile", async () => {
  const result = await resultOf(`
factors: { ingest: [copy, insert] }
storage: partitioned
indexes: brin
actors:
  loaders: { load: { executor: shared-iterations, clients: 1, iterations: 24 } }
  probes: { load: { executor: per-client-iterations, clients: 2, iterations: 4, thinkTime: 5ms } }
`);
  expect(result.treatments).toHaveLength(2);
  for (const { trials } of result.treatments) {
    const [{ operations, integrity } = expect.fail("no trial")] = trials;
    expect(operations.load?.transactions).toBe(24);
    expect(integrity).toMatchObject({
      verdict: "ok",
      published: operations.load?.events,
      lost: 0,
      damaged: 0,
    });
    for (const probe of PROBES) expect(operations[probe]?.transactions, probe).toBe(2);
  }
}, 120_000);

function rowsOfLines(lines: readonly string[]): CopyRows {
  const rows = new CopyRows();
  for (const line of lines) rows.add(line);
  return rows.end();
}

describe("a COPY", () => {
  it("that fails leaves a session that can be used, and says what it was", async () => {
    const endpoint = inject("adminEndpoint");
    const session = await new PgConnection({ endpoint, applicationName: "test", prepared: true }).connect();
    try {
      await session.query("CREATE TEMPORARY TABLE numbers (n int)");
      const statement = { name: "numbers.copy", text: "COPY numbers FROM STDIN" };
      const long = Array.from({ length: 200_000 }, (_, n) => String(n));
      const rows = rowsOfLines([...long, "none"]);
      await expect(session.copyIn(statement, rows)).rejects.toMatchObject({ sqlstate: "22P02" });
      await expect(
        session.copyIn({ ...statement, text: "COPY nowhere FROM STDIN" }, rows),
      ).rejects.toMatchObject({
        sqlstate: "42P01",
      });
      expect(await session.copyIn(statement, rowsOfLines(long))).toBe(200_000);
      expect((await session.query("SELECT count(*)::int AS n FROM numbers")).rows).toEqual([{ n: 200_000 }]);
    } finally {
      await session.end();
    }
  });
});

const namespace = testNamespace("calls");
const SEED = 9;
const settings: Treatment = {
  dialect: "postgres",
  namespace,
  storage: "default",
  prepared: true,
  actors: {},
  pool: { strategy: "direct", reconnect: "never" },
  retry: { attempts: 1, deadlineMs: 1, baseMs: 0, ceilingMs: 0 },
  log: { level: "info", slowTransactionMs: 1000 },
  ingest: "copy",
  indexes: "none",
  commit: "per-batch",
  batchesPerDay: 10,
  sizes: { small: 4, medium: 20, large: 30 },
  batchesBefore: 2,
};
const at = (number: number): BatchPlace => placeOf(number, settings);
const rowsOf = (number: number): number => sumBatch(settings, SEED, at(number)).rows;
const made = { ...settings, workload: "calls" };
let admin: AdminClient;

beforeAll(async () => {
  admin = await connectAdmin(inject("adminEndpoint"));
});
/** Batches 0 and 1 were there before; 2 to 5 are loaded. */
beforeEach(async () => {
  await resetNamespace(admin, made);
  const preloaded = await preload(admin, { settings, seed: SEED, directory: "", isWanted: () => true });
  expect(preloaded).toEqual({ seed: SEED, batches: 2 });
  const session = await new PgConnection({
    ...{ endpoint: admin.endpoint, applicationName: "test", prepared: true },
  }).connect();
  for (const number of [2, 3, 4, 5])
    await session.copyIn(statementsOf(settings).copy, copyBatch(settings, SEED, at(number)).copy);
  await session.end();
});
afterAll(async () => {
  await admin.query(`DROP SCHEMA ${namespace} CASCADE`);
  await admin.close();
});

async function audited(
  { acknowledged = [2, 3, 4, 5], inDoubt = [] }: { acknowledged?: number[]; inDoubt?: number[] } = {},
  unclosed: string[] = [],
) {
  const told = [{ acknowledged: acknowledged.map(at), inDoubt: inDoubt.map(at) }];
  const preloaded = { seed: SEED, batches: 2 };
  const inputs = { settings, told, directory: "", unclosed, preloaded, isDrained: false };
  return (await audit(admin, inputs)).findings;
}

it("takes what was acknowledged, and of transactions in doubt all or nothing", async () => {
  const rows = [0, 1, 2, 3, 4, 5].map(rowsOf).reduce((sum, each) => sum + each);
  expect(await audited()).toMatchObject({ verdict: "ok", published: rows, inDoubt: 0 });
  expect(await audited({ acknowledged: [2, 3, 4], inDoubt: [5, 6] })).toMatchObject({
    verdict: "ok",
    inDoubt: rowsOf(5) + rowsOf(6),
    inDoubtFound: rowsOf(5),
  });
});

it("does not know what a worker did that ended without its account", async () => {
  const found = await audited({ acknowledged: [2, 3] }, ["loaders worker 0"]);
  expect(found).toMatchObject({ verdict: "ok", unexpected: 0 });
  expect(found.notAudited).toHaveLength(1);
});

const one = (batch: number): string => `call_id = 'c${batch}-1'`;
const MUTANTS: readonly (readonly [what: string, change: string, found: Record<string, unknown>])[] = [
  ["a call that is gone", `DELETE FROM cdr WHERE ${one(3)}`, { lost: 1 }],
  ["a batch that is gone", "DELETE FROM cdr WHERE call_id LIKE 'c4-%'", { lost: rowsOf(4) }],
  [
    "a batch that was preloaded and is gone",
    "DELETE FROM cdr WHERE call_id LIKE 'c0-%'",
    { lost: rowsOf(0) },
  ],
  ["a call that is there twice", `INSERT INTO cdr SELECT * FROM cdr WHERE ${one(3)}`, { unexpected: 1 }],
  [
    "a batch that went in twice",
    "INSERT INTO cdr SELECT * FROM cdr WHERE call_id LIKE 'c5-%'",
    { unexpected: rowsOf(5) },
  ],
  [
    "a part of a batch that was never acknowledged",
    "INSERT INTO cdr SELECT 'c7-0', call_timestamp FROM cdr LIMIT 1",
    { unexpected: 1 },
  ],
  ["a call of no batch", "INSERT INTO cdr (call_id) VALUES ('stranger')", { unexpected: 1 }],
  [
    "one call in place of another",
    `UPDATE cdr SET call_id = 'c3-0' WHERE ${one(3)}`,
    { damaged: 1, lost: 0, unexpected: 0 },
  ],
  ...(
    [
      ["call_timestamp", "call_timestamp + interval '1 second'"],
      ["call_date", "call_date + 1"],
      ["call_hour", "call_hour + 1"],
      ["caller_number", "callee_number"],
      ["callee_number", "caller_number"],
      ["duration_seconds", "duration_seconds + 1"],
      ["cell_tower_id", "cell_tower_id + 1"],
      ["call_type", "'fax'"],
      ["network_type", "NULL"],
      ["bytes_transferred", "coalesce(bytes_transferred, 0) + 1"],
      ["termination_code", "-1"],
      ["billing_amount", "billing_amount + 0.01"],
      ["rate_plan_id", "0"],
      ["is_roaming", "NOT is_roaming"],
      ["signal_quality", "9"],
    ] as const
  ).map(
    ([column, value]) =>
      [
        `another ${column}`,
        `UPDATE cdr SET ${column} = ${value} WHERE ${one(2)}`,
        { damaged: 1, lost: 0 },
      ] as const,
  ),
];

it.each(MUTANTS)("finds %s", async (_, change, found) => {
  await admin.query(change.replace(/(FROM|INTO|UPDATE) cdr/g, `$1 ${namespace}.cdr`));
  expect(await audited()).toMatchObject({ verdict: "violated", ...found });
});

it("finds a day in one transaction of which a batch is missing", async () => {
  const once = { commit: "once", batchesPerDay: 10, batchesBefore: 0 } as const;
  // Batches 0 to 5 of ten are there: the transaction is neither whole nor absent.
  const told = [{ acknowledged: [], inDoubt: [at(0)] }];
  const preloaded = { seed: SEED, batches: 0 };
  const { findings } = await audit(admin, {
    ...{ settings: { ...settings, ...once }, told, directory: "", unclosed: [], preloaded, isDrained: false },
  });
  const missing = [6, 7, 8, 9].map(rowsOf).reduce((sum, each) => sum + each);
  expect(findings).toMatchObject({ verdict: "violated", lost: missing, damaged: 0, unexpected: 0 });
});
