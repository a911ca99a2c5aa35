import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { dropNamespace, resetNamespace, testNamespace } from "../../../../test/support/namespace.js";
import { connectAdmin, type AdminClient } from "../../../database/postgres/admin.js";
import { eventOperations, type OperationSettings } from "./operations.js";
import { postgres } from "../../../database/postgres/dialects/postgres/dialect.js";
import { preload } from "../preload.js";
import { postgres as store } from "./postgres.js";
import { tablesOf } from "./tables.js";
import { refreshStatistics } from "../../../database/postgres/statistics.js";
import {
  LOCKINGS,
  PAYLOADS,
  READ_KINDS,
  STATEMENT_SHAPES,
  type Payload,
  type ReadWeights,
} from "../settings.js";

const namespace = testNamespace("plans");
const base = { dialect: "postgres", namespace, isolation: "read committed" } as const;
let admin: AdminClient;
beforeAll(async () => {
  admin = await connectAdmin(inject("adminEndpoint"), { purpose: "plans" });
});
afterAll(async () => {
  await dropNamespace(admin, namespace);
  await admin.close();
});

/** Plans of the prepared statements that do not depend on the values of parameters, by statement name. */
async function genericPlans(settings: OperationSettings): Promise<Map<string, string>> {
  const plans = new Map<string, string>();
  for (const { name, text } of eventOperations(settings).statements) {
    const rows = await admin.query(`EXPLAIN (GENERIC_PLAN, COSTS OFF) ${text}`);
    plans.set(name, rows.map((row) => row["QUERY PLAN"] as string).join("\n"));
  }
  return plans;
}

const READS_EVERYTHING = /Seq Scan on (events|event_status)/;
const COLLECTS_THE_BACKLOG = /Bitmap Index Scan on event_status_(workable|terminal|status)/;

/** True for look-ups by containment in the document, which need extended statistics: see `statistics.ts`. */
const isContainment = (name: string, payload: Payload): boolean =>
  payload === "jsonb" && ["read.find", "read", "readPath"].includes(name);

/** True for statements that no index supports. */
const isScan = (name: string, payload: Payload): boolean =>
  ["readNewest", "readByType"].includes(name) || (payload !== "jsonb" && name === "readPath");
const reads = Object.fromEntries(READ_KINDS.map((kind) => [kind, 1])) as ReadWeights;

describe.each(PAYLOADS)("plans made on empty tables with payload %s", (payload) => {
  beforeEach(() => resetNamespace(admin, { namespace, payload }));

  test.each(STATEMENT_SHAPES.flatMap((shape) => LOCKINGS.map((locking) => [shape, locking] as const)))(
    "use indexes, and scan the claim's index in order: %s, %s",
    async (statementShape, locking) => {
      const plans = await genericPlans({ ...base, payload, statementShape, locking, reads });
      for (const [name, plan] of plans) {
        if (!isContainment(name, payload) && !isScan(name, payload))
          expect(plan, name).not.toMatch(READS_EVERYTHING);
        expect(plan, name).not.toMatch(COLLECTS_THE_BACKLOG);
      }
      const [claim, archive] =
        statementShape === "single-statement" ? ["process", "archive"] : ["process.claim", "archive.claim"];
      expect(plans.get(claim)).toContain("Index Scan using event_status_workable_idx");
      expect(plans.get(archive)).toContain("Index Scan using event_status_terminal_idx");
    },
  );
});

/** A queue after 30 000 events, 50 of which are not archived yet: nearly all entries of the archivers' index are dead. */
const CHURN = `
ALTER TABLE NAMESPACE.event_status SET (autovacuum_enabled = off);
INSERT INTO NAMESPACE.events (id, payload, event_type, authority_id, train_id)
  SELECT md5(n::text)::uuid, '{}', 'DISPATCH_NOTE', md5('a')::uuid, 'T' FROM generate_series(1, 30000) AS n;
INSERT INTO NAMESPACE.event_status (event_id, status) SELECT id, 'COMPLETE' FROM NAMESPACE.events;
DELETE FROM NAMESPACE.event_status WHERE ctid NOT IN (SELECT ctid FROM NAMESPACE.event_status LIMIT 50);
INSERT INTO NAMESPACE.event_status (event_id)
  SELECT id FROM NAMESPACE.events WHERE id NOT IN (SELECT event_id FROM NAMESPACE.event_status);
ANALYZE NAMESPACE.event_status;`;

test.each(STATEMENT_SHAPES)(
  "claims of shape %s scan their index in order although most of its entries are dead",
  async (shape) => {
    const settings = { ...base, payload: "text", statementShape: shape, locking: "skip-locked" } as const;
    await resetNamespace(admin, settings);
    for (const statement of CHURN.replaceAll("NAMESPACE", `"${namespace}"`).split(";").slice(0, -1))
      await admin.query(statement);
    const { statements } = eventOperations(settings);
    const archive = statements.find(({ name }) => /^archive(\.claim)?$/.test(name))?.text ?? "";
    const rows = await admin.query(`EXPLAIN (COSTS OFF) ${archive.replaceAll("$1", "55")}`);
    const plan = rows.map((row) => row["QUERY PLAN"] as string).join("\n");
    expect(plan).toContain("Index Scan using event_status_terminal_idx");
  },
);

describe("statistics of tables", () => {
  const settings = {
    ...base,
    payload: "jsonb",
    ids: "uuidv7",
    documentBytes: 900,
    documentShape: "default",
  } as const;
  const load = { ...settings, statementShape: "set-based", locking: "skip-locked", reads } as const;

  test("are not refreshed while a table is small", async () => {
    await resetNamespace(admin, settings);
    await preload(store, admin, { ...settings, preload: 50 }, 1);
    expect(
      await refreshStatistics(admin, { namespace, tables: Object.values(tablesOf(postgres, namespace)) }),
    ).toEqual([]);
    for (const [name, plan] of await genericPlans(load)) {
      if (!isContainment(name, "jsonb") && !isScan(name, "jsonb"))
        expect(plan, name).not.toMatch(READS_EVERYTHING);
    }
  });

  test("let a look-up by containment use the document's index", async () => {
    await resetNamespace(admin, settings);
    await preload(store, admin, { ...settings, preload: 2_500 }, 1);
    expect(
      await refreshStatistics(admin, { namespace, tables: Object.values(tablesOf(postgres, namespace)) }),
    ).toEqual([`"${namespace}".events`, `"${namespace}".event_status`]);
    const plans = await genericPlans(load);
    for (const name of ["read.find", "readPath"])
      expect(plans.get(name)).toContain("Bitmap Index Scan on events_payload_idx");
    for (const [name, plan] of plans)
      if (!isScan(name, "jsonb")) expect(plan, name).not.toMatch(READS_EVERYTHING);
  });
});
