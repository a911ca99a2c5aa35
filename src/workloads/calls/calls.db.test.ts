// One run and the audit of transactions in doubt; `test/full/calls.test.ts` has every run.
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { connectAdmin, type AdminClient } from "../../database/postgres/admin.js";
import { PgConnection } from "../../database/postgres/connection.js";
import { CopyRows } from "../../database/postgres/wire/copy-call.js";
import { calls as family, rowsOf } from "../../../test/support/audits/calls.js";
import { AuditedTrial, SEED } from "../../../test/support/audits/trial.js";
import { PROBES, resultOf } from "../../../test/support/day-of-calls.js";
import { testNamespace } from "../../../test/support/namespace.js";
import type { Mapping } from "../../syntax/paths.js";
import { SIZES } from "./audit.js";

it("workload calls loads the same day by COPY and by INSERT while probes read", async () => {
  const result = await resultOf(`
factors: { ingest: [copy, insert] }
storage: partitioned
indexes: brin
dimensions: all
batchesBefore: 2
analyze: false
actors:
  loaders: { load: { executor: shared-iterations, clients: 1, iterations: 24 } }
  probes: { load: { executor: per-client-iterations, clients: 2, iterations: 5, thinkTime: 5ms } }
`);
  expect(result.treatments).toHaveLength(2);
  for (const { trials } of result.treatments) {
    const [{ operations, integrity, database } = expect.fail("no trial")] = trials;
    expect(operations.load?.transactions).toBe(24);
    expect(integrity).toMatchObject({ verdict: "ok", lost: 0, damaged: 0 });
    const { published = 0, rawBytes = 0, storedBytes = 0, keyCardinality = 0 } = integrity ?? {};
    expect(published).toBeGreaterThan(operations.load?.events ?? Infinity);
    expect(rawBytes / published).toBeGreaterThan(80);
    expect(rawBytes / published).toBeLessThan(200);
    expect(integrity?.compressionRatio).toBeCloseTo(rawBytes / storedBytes);
    expect(storedBytes).toBeGreaterThan(100_000);
    const { tableBytes = 0, indexBytes = 0, toastBytes = 0 } = database;
    expect(storedBytes).toBeLessThan(tableBytes + indexBytes + toastBytes);
    expect(keyCardinality).toBeGreaterThan(published - 100);
    expect(keyCardinality).toBeLessThanOrEqual(published);
    for (const probe of [...PROBES, "byPlan"]) expect(operations[probe]?.transactions, probe).toBe(2);
  }
}, 120_000);

function rowsOfLines(lines: readonly string[]): CopyRows {
  const rows = new CopyRows();
  for (const line of lines) rows.add(line);
  return rows.end();
}

describe("a COPY that fails", () => {
  it("leaves a usable session and reports the SQLSTATE", async () => {
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

describe("the audit of calls", () => {
  const namespace = testNamespace("calls");
  let admin: AdminClient;
  beforeAll(async () => {
    admin = await connectAdmin(inject("adminEndpoint"));
  });
  afterAll(async () => {
    await admin.query(`DROP SCHEMA ${namespace} CASCADE`);
    await admin.close();
  });

  const runTrial = async (own: Mapping = {}): Promise<AuditedTrial> => {
    const trial = await AuditedTrial.begin(admin, namespace, { ...family.scenario, ...own });
    await trial.work(family.iterations);
    return trial;
  };

  it("accepts transactions in doubt of which the tables hold either every row or none", async () => {
    const at = (number: number) => ({ number, day: (number + 0.5) / 10 });
    const workerAccounts = [{ acknowledged: [2, 3, 4].map(at), inDoubt: [5, 6].map(at) }];
    expect(await (await runTrial()).audit({ workerAccounts })).toMatchObject({
      verdict: "ok",
      inDoubt: rowsOf(5) + rowsOf(6),
      inDoubtFound: rowsOf(5),
    });
  });

  it("states sizes only if every worker reported its batches", async () => {
    const trial = await runTrial();
    expect(await trial.audit()).toMatchObject({ compressionRatio: expect.any(Number) as number });
    const found = await trial.audit({ unclosed: ["worker 2"] });
    for (const size of SIZES) expect(found).not.toHaveProperty(size);
  });

  it("compares reference tables only if the preload was complete, and says so", async () => {
    const trial = await runTrial();
    await trial.change("DELETE FROM rate_plans");
    expect(await trial.audit({ preloaded: { seed: SEED, batches: 2, isReferenced: false } })).toMatchObject({
      verdict: "ok",
      notAudited: ["the preload was interrupted: the small tables were not compared"],
    });
  });

  it("finds a batch that is missing in a day's single transaction", async () => {
    const trial = await AuditedTrial.begin(admin, namespace, {
      ...family.scenario,
      commit: "once",
      batchesBefore: 0,
    });
    await trial.work({ loaders: 1 });
    await trial.change("DELETE FROM cdr WHERE call_id LIKE 'c6-%'");
    const inDoubt = [{ acknowledged: [], inDoubt: [{ number: 0, day: 0.05 }] }];
    // The table has a part of the transaction's rows only.
    expect(await trial.audit({ workerAccounts: inDoubt })).toMatchObject({
      verdict: "violated",
      lost: rowsOf(6),
      damaged: 0,
      unexpected: 0,
    });
  });
});
