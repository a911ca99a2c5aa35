// The workload calls: a run on the built program (all of them: test/full/calls.test.ts), and each change that breaks a batch,
// which the audit finds.
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { connectAdmin, type AdminClient } from "../../database/postgres/admin.js";
import { PgConnection } from "../../database/postgres/connection.js";
import { CopyRows } from "../../database/postgres/wire/copy-call.js";
import { callChanges, inSchema, SEED, trialOfCalls } from "../../../test/support/audited-calls.js";
import { PROBES, resultOf } from "../../../test/support/day-of-calls.js";
import { testNamespace } from "../../../test/support/namespace.js";
import { audit } from "./audit.js";

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
const { settings, at, rowsOf, fill, audited } = trialOfCalls(() => admin, namespace);
let admin: AdminClient;

beforeAll(async () => {
  admin = await connectAdmin(inject("adminEndpoint"));
});
beforeEach(fill);
afterAll(async () => {
  await admin.query(`DROP SCHEMA ${namespace} CASCADE`);
  await admin.close();
});

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

it.each(callChanges(rowsOf))("finds $what, and names it", async ({ change, found, named }) => {
  await admin.query(inSchema(change, namespace));
  const findings = await audited();
  expect(findings).toMatchObject({ verdict: "violated", ...found });
  expect(findings.named?.map(({ kind, id }) => `${kind} ${id}`)).toEqual(named);
});

it("compares the small tables if the preload was not interrupted, and says so otherwise", async () => {
  await admin.query(`DELETE FROM ${namespace}.rate_plans`);
  expect(await audited({ isReferenced: false })).toMatchObject({
    verdict: "ok",
    notAudited: ["the preload was interrupted: the small tables were not compared"],
  });
});

it("finds a day in one transaction of which a batch is missing", async () => {
  const once = { commit: "once", batchesPerDay: 10, batchesBefore: 0 } as const;
  // Batches 0 to 5 of ten are there: the transaction is neither whole nor absent.
  const told = [{ acknowledged: [], inDoubt: [at(0)] }];
  const preloaded = { seed: SEED, batches: 0, isReferenced: true };
  const { findings } = await audit(admin, {
    ...{ settings: { ...settings, ...once }, told, directory: "", unclosed: [], preloaded, isDrained: false },
  });
  const missing = [6, 7, 8, 9].map(rowsOf).reduce((sum, each) => sum + each);
  expect(findings).toMatchObject({ verdict: "violated", lost: missing, damaged: 0, unexpected: 0 });
});
