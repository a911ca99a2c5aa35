import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { TargetError } from "../../../foundation/errors.js";
import { DocumentGenerator } from "../model/document-generator.js";
import { PRELOAD_WORKER, workerOf } from "../../event-id.js";
import { makeBatch } from "../../../../test/support/make-batch.js";
import { dropNamespace, resetNamespace, testNamespace } from "../../../../test/support/namespace.js";
import { connectAdmin, type AdminClient } from "../../../database/postgres/admin.js";
import { countPresent, readPassesPerEvent, readQueueState, readTableCounts } from "./audit-queries.js";
import { preload } from "../preload.js";
import { postgres } from "./postgres.js";
import { PAYLOADS } from "../settings.js";

const namespace = testNamespace("preload");
let admin: AdminClient;
beforeAll(async () => {
  admin = await connectAdmin(inject("adminEndpoint"), { purpose: "preload" });
});
afterAll(async () => {
  await dropNamespace(admin, namespace);
  await admin.close();
});

const NOTHING = {
  pending: 0,
  processing: 0,
  complete: 0,
  failed: 0,
  archived: 0,
  orphaned: 0,
  duplicated: 0,
};

describe.each(PAYLOADS)("the preload with payload %s", (payload) => {
  test.each(["uuidv7", "uuidv4"] as const)("inserts the seed's documents as PENDING, ids %s", async (ids) => {
    await resetNamespace(admin, { namespace, payload });
    const batches: number[] = [];
    const settings = {
      dialect: "postgres",
      namespace,
      payload,
      ids,
      documentBytes: 900,
      documentShape: "default",
      preload: 2_345,
    } as const;
    expect(
      await preload(postgres, admin, settings, 7, { onBatch: ({ events }) => batches.push(events) }),
    ).toBe(2_345);
    expect(batches).toEqual([1_000, 1_000, 345]);
    expect(await readTableCounts(admin, namespace)).toEqual({ ...NOTHING, pending: 2_345 });

    const rows = await admin.query(`SELECT id, payload::text AS payload FROM ${namespace}.events`);
    expect(new Set(rows.map(({ id }) => workerOf(id as string)))).toEqual(new Set([PRELOAD_WORKER]));
    const generator = new DocumentGenerator(7, "preload/0", 900);
    const canonical = (json: string): string => JSON.stringify(sortKeys(JSON.parse(json)));
    const wanted = Array.from({ length: 2_345 }, (_, i) => canonical(generator.at(i).json)).sort();
    expect(rows.map((row) => canonical(row.payload as string)).sort()).toEqual(wanted);
  });
});

/** The value with its keys in alphabetical order, since JSONB keeps another order. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  );
}

describe("audit queries", () => {
  const settings = {
    dialect: "postgres",
    namespace,
    payload: "text",
    ids: "uuidv7",
    documentBytes: 900,
    documentShape: "default",
  } as const;
  const { events, status, archive } = {
    events: `${namespace}.events`,
    status: `${namespace}.event_status`,
    archive: `${namespace}.events_archive`,
  };
  const toArchive = `INSERT INTO ${archive} (id, created_at, payload, event_type, authority_id, train_id, status, attempts)
    SELECT id, created_at, payload, event_type, authority_id, train_id, 'COMPLETE', 1 FROM ${events}`;

  test("find no rows if another session's lock prevented the preload", async () => {
    await resetNamespace(admin, settings);
    const other = await connectAdmin(inject("adminEndpoint"), { purpose: "other" });
    try {
      await other.query(`BEGIN; LOCK TABLE ${events} IN SHARE MODE`);
      const refused = await preload(postgres, admin, { ...settings, preload: 5 }, 1, {
        lockTimeout: "50ms",
      }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(TargetError);
      expect((refused as TargetError).message).toMatch(
        /^schema "\w+" not filled: another session held a lock/,
      );
    } finally {
      await other.close();
    }
    expect(await readTableCounts(admin, namespace)).toEqual(NOTHING);
  });

  test("count each status, and 0 in an empty namespace", async () => {
    await resetNamespace(admin, settings);
    expect(await readTableCounts(admin, namespace)).toEqual(NOTHING);
    expect(await readQueueState(admin, namespace)).toEqual({ workable: false, terminal: false });
    await preload(postgres, admin, { ...settings, preload: 20 }, 1);
    expect(await readQueueState(admin, namespace)).toEqual({ workable: true, terminal: false });
    for (const [name, rows] of Object.entries({ PROCESSING: 3, COMPLETE: 4, FAILED: 5 })) {
      await admin.query(`UPDATE ${status} SET status = '${name}' WHERE event_id IN (SELECT event_id FROM ${status}
        WHERE status = 'PENDING' LIMIT ${rows})`);
    }
    const depth = { pending: 8, processing: 3, complete: 4, failed: 5 };
    expect(await readTableCounts(admin, namespace)).toEqual({ ...NOTHING, ...depth });
    await admin.query(`DELETE FROM ${status} WHERE status IN ('PENDING', 'PROCESSING')`);
    expect(await readQueueState(admin, namespace)).toEqual({ workable: false, terminal: true });
  });

  test("give the mean passes of completed and failed events, live or archived", async () => {
    await resetNamespace(admin, settings);
    expect(await readPassesPerEvent(admin, namespace)).toBeNull();
    await preload(postgres, admin, { ...settings, preload: 6 }, 1);
    expect(await readPassesPerEvent(admin, namespace)).toBeNull();
    await admin.query(`WITH numbered AS (SELECT event_id, row_number() OVER () AS n FROM ${status})
      UPDATE ${status} AS s SET attempts = 2 * n, status = CASE n WHEN 1 THEN 'COMPLETE' WHEN 2 THEN 'FAILED'
        ELSE 'PROCESSING' END FROM numbered WHERE numbered.event_id = s.event_id`);
    await admin.query(`${toArchive} LIMIT 2`); // each archived event has one pass
    expect(await readPassesPerEvent(admin, namespace)).toBe((2 + 4 + 1 + 1) / 4);
  });

  test("find events without a status row, and events both live and archived", async () => {
    await resetNamespace(admin, settings);
    await preload(postgres, admin, { ...settings, preload: 10 }, 1);
    await admin.query(`${toArchive} LIMIT 2`);
    await admin.query(`DELETE FROM ${status} WHERE event_id IN (SELECT e.id FROM ${events} AS e
      WHERE NOT EXISTS (SELECT FROM ${archive} AS a WHERE a.id = e.id) LIMIT 3)`);
    expect(await readTableCounts(admin, namespace)).toEqual({
      ...NOTHING,
      pending: 7,
      archived: 2,
      orphaned: 3,
      duplicated: 2,
    });
  });

  test("count the keys that are live or archived", async () => {
    await resetNamespace(admin, settings);
    await preload(postgres, admin, { ...settings, preload: 3 }, 1);
    await admin.query(`${toArchive} LIMIT 1`);
    await admin.query(`DELETE FROM ${status} WHERE event_id IN (SELECT id FROM ${archive})`);
    await admin.query(`DELETE FROM ${events} WHERE id IN (SELECT id FROM ${archive})`);
    const rows = await admin.query(`SELECT id FROM ${events} UNION SELECT id FROM ${archive}`);
    const strangers = makeBatch(4, 1).map(({ id }) => id);
    expect(await countPresent(admin, namespace, [...rows.map(({ id }) => id as string), ...strangers])).toBe(
      3,
    );
  });
});
