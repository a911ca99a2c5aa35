import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { EventBatch } from "../../../workloads/train-events/model/event-batch.js";
import { UsageError } from "../../../foundation/errors.js";
import { generateSecret } from "../../../foundation/prng.js";
import { makeBatch } from "../../../../test/support/make-batch.js";
import {
  ensureNamespace,
  ddl,
  dropNamespace,
  resetNamespace,
  testNamespace,
} from "../../../../test/support/namespace.js";
import { connectAdmin, type AdminClient } from "../admin.js";
import { PgConnection } from "../connection.js";
import { eventOperations } from "../../../workloads/train-events/stores/operations.js";
import { postgres } from "../dialects/postgres/dialect.js";
import { tablesMarked } from "../../../workloads/tables.js";
import { namespaceState, requireDroppableNamespace } from "./namespace.js";
import { ISOLATION_LEVELS } from "../../levels.js";
import { PAYLOADS, STATEMENT_SHAPES } from "../../../workloads/train-events/settings.js";

let admin: AdminClient;
let namespace: string;
beforeAll(async () => {
  admin = await connectAdmin(inject("adminEndpoint"), { purpose: "namespace" });
});
beforeEach(() => {
  namespace = testNamespace("ns");
});
afterEach(() => admin.query(`DROP SCHEMA IF EXISTS ${namespace} CASCADE`));
afterAll(() => admin.close());

async function tablesIn(schema: string): Promise<unknown[]> {
  const rows = await admin.query("SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY 1", [
    schema,
  ]);
  return rows.map(({ tablename }) => tablename);
}

async function refusalOf(change: Promise<unknown>): Promise<UsageError> {
  const error: unknown = await change.catch((e: unknown) => e);
  expect(error).toBeInstanceOf(UsageError);
  expect((error as UsageError).hint).not.toBe("");
  return error as UsageError;
}

describe("a namespace of train-sim", () => {
  test.each(PAYLOADS)("is created with its three tables and its mark, payload %s", async (payload) => {
    expect(await namespaceState(admin, namespace)).toEqual({ kind: "absent" });
    expect(await ensureNamespace(admin, { namespace, payload })).toBe("created");
    expect(await namespaceState(admin, namespace)).toMatchObject({
      kind: "ours",
      version: 1,
      variant: `payload ${payload}`,
      storage: "default",
    });
    expect(await tablesIn(namespace)).toEqual(["event_status", "events", "events_archive"]);
  });

  test("is unchanged if applied again, and refused for another payload level", async () => {
    await ensureNamespace(admin, { namespace, payload: "text" });
    await admin.query(`INSERT INTO ${namespace}.events (id, payload, event_type, authority_id, train_id)
      VALUES (gen_random_uuid(), '{}', 'SIGNAL_CLEAR', gen_random_uuid(), 'RR')`);
    expect(await ensureNamespace(admin, { namespace, payload: "text" })).toBe("unchanged");
    expect((await refusalOf(ensureNamespace(admin, { namespace, payload: "jsonb" }))).message).toContain(
      "payload text",
    );
    expect(await admin.query(`SELECT FROM ${namespace}.events`)).toHaveLength(1);
  });

  test("is empty and of the new payload level after a reset", async () => {
    await ensureNamespace(admin, { namespace, payload: "text" });
    await admin.query(`INSERT INTO ${namespace}.events (id, payload, event_type, authority_id, train_id)
      VALUES (gen_random_uuid(), '{}', 'SIGNAL_CLEAR', gen_random_uuid(), 'RR')`);
    await resetNamespace(admin, { namespace, payload: "jsonb-manual" });
    expect(await namespaceState(admin, namespace)).toMatchObject({ variant: "payload jsonb-manual" });
    expect(await admin.query(`SELECT FROM ${namespace}.events`)).toEqual([]);
  });

  test("is dropped completely, and a missing one is not an error", async () => {
    await ensureNamespace(admin, { namespace, payload: "jsonb" });
    expect(await dropNamespace(admin, namespace)).toBe(true);
    expect(await namespaceState(admin, namespace)).toEqual({ kind: "absent" });
    expect(await dropNamespace(admin, namespace)).toBe(false);
  });

  test("exists after two resets at the same time", async () => {
    const other = await connectAdmin(inject("adminEndpoint"));
    const settings = { namespace, payload: "jsonb" } as const;
    await Promise.all([resetNamespace(admin, settings), resetNamespace(other, settings)]);
    await other.close();
    expect(await tablesIn(namespace)).toHaveLength(3);
  });

  test("is not left half-made if it cannot be finished", async () => {
    const grantTo = `nobody_${generateSecret(4)}`;
    const error = await refusalOf(ensureNamespace(admin, { namespace, payload: "jsonb", grantTo }));
    expect(error.message).toContain(grantTo);
    expect(await namespaceState(admin, namespace)).toEqual({ kind: "absent" });
  });

  test.each([
    ["view public.NAME_v", "CREATE VIEW NAME_v AS SELECT id FROM NAME.events"],
    ["table NAME.theirs", "CREATE TABLE NAME.theirs ()"],
    [
      "foreign table NAME.far",
      "CREATE FOREIGN DATA WRAPPER NAME_w; CREATE SERVER NAME_s FOREIGN DATA WRAPPER NAME_w; " +
        "CREATE FOREIGN TABLE NAME.far (id int) SERVER NAME_s",
    ],
    ["materialized view NAME.m", "CREATE MATERIALIZED VIEW NAME.m AS SELECT 1 AS one"],
    ["sequence NAME.s", "CREATE SEQUENCE NAME.s"],
    ["type NAME.level", "CREATE TYPE NAME.level AS ENUM ('low')"],
    ["function NAME.one()", "CREATE FUNCTION NAME.one() RETURNS int LANGUAGE sql AS 'SELECT 1'"],
    [
      "table constraint NAME_t_id_fkey on public.NAME_t",
      "CREATE TABLE NAME_t (id uuid REFERENCES NAME.events)",
    ],
  ])("is not dropped while a foreign %s depends on it, which is named", async (stranger, sql) => {
    await ensureNamespace(admin, { namespace, payload: "jsonb" });
    await admin.query(sql.replaceAll("NAME", namespace));
    try {
      const named = `did not make, so it is not dropped: ${stranger.replaceAll("NAME", namespace)}`;
      expect((await refusalOf(dropNamespace(admin, namespace))).message).toContain(named);
      expect(
        (await refusalOf(requireDroppableNamespace(admin, namespace, postgres, tablesMarked))).message,
      ).toContain(named);
      expect(await tablesIn(namespace)).toContain("events");
    } finally {
      await admin.query(`DROP FOREIGN DATA WRAPPER IF EXISTS ${namespace}_w CASCADE`);
      await admin.query(`DROP TABLE IF EXISTS ${namespace}_t`);
    }
  });

  test("is dropped with indexes, triggers and statistics that others gave its tables", async () => {
    await ensureNamespace(admin, { namespace, payload: "jsonb" });
    await admin.query(`CREATE INDEX ON ${namespace}.events (train_id)`);
    await admin.query(`CREATE STATISTICS ON id, train_id FROM ${namespace}.events`);
    await requireDroppableNamespace(admin, namespace, postgres, tablesMarked);
    expect(await dropNamespace(admin, namespace)).toBe(true);
  });
});

describe("a schema that is not train-sim's", () => {
  test.each([
    ["without a comment", ""],
    ["with somebody's comment", "our train-sim namespace, version 1"],
  ])("is never changed: %s", async (_, comment) => {
    await admin.query(`CREATE SCHEMA ${namespace}`);
    await admin.query(`CREATE TABLE ${namespace}.events ()`);
    if (comment) await admin.query(`COMMENT ON SCHEMA ${namespace} IS '${comment}'`);
    expect(await namespaceState(admin, namespace)).toEqual({ kind: "foreign" });
    const applied = await refusalOf(ensureNamespace(admin, { namespace, payload: "jsonb" }));
    expect(applied.message).toContain("not made by train-sim");
    expect((await refusalOf(resetNamespace(admin, { namespace, payload: "jsonb" }))).message).toContain(
      namespace,
    );
    expect((await refusalOf(dropNamespace(admin, namespace))).message).toContain(namespace);
    expect(await tablesIn(namespace)).toEqual(["events"]);
  });

  test.each([
    "public",
    "pg_catalog",
    "information_schema",
    "",
    "1st",
    "a b",
    'x"; DROP',
    "ж",
    "x".repeat(64),
  ])("has a name that is refused: %j", async (name) => {
    await refusalOf(ensureNamespace(admin, { namespace: name, payload: "jsonb" }));
    await refusalOf(dropNamespace(admin, name));
    expect(() => ddl({ namespace: name, payload: "jsonb" })).toThrow(UsageError);
  });
});

describe("a role that is not the owner", () => {
  const role = `load_${generateSecret(4)}`;
  const password = generateSecret();
  const endpoint = (): ReturnType<typeof inject<"adminEndpoint">> => ({
    ...inject("adminEndpoint"),
    user: role,
    password,
  });
  beforeAll(() => admin.query(`CREATE ROLE ${role} LOGIN PASSWORD '${password}'`));
  afterAll(async () => {
    await admin.query(`DROP OWNED BY ${role}`);
    await admin.query(`DROP ROLE ${role}`);
  });

  test("can run the whole load after a grant, in every statement shape", async () => {
    for (const payload of PAYLOADS) {
      await resetNamespace(admin, { namespace, payload, grantTo: role });
      const connection = await new PgConnection({
        endpoint: endpoint(),
        applicationName: "t",
        prepared: false,
      }).connect();
      for (const [number, statementShape] of STATEMENT_SHAPES.entries()) {
        const workload = eventOperations({
          dialect: "postgres",
          namespace,
          payload,
          statementShape,
          locking: "for-update",
          isolation: ISOLATION_LEVELS[number] ?? "read committed",
        });
        const batch = makeBatch(5, number);
        const request = { limit: 5, roll: () => 0, chances: { claim: 1, complete: 1, fail: 0 } };
        await workload.add(EventBatch.of(batch))(connection);
        expect((await workload.process(request)(connection)).claimed).toBe(5);
        expect((await workload.process(request)(connection)).completedIds).toHaveLength(5);
        for (const probe of batch.slice(0, 1))
          expect((await workload.read(probe)(connection)).answers.flat()).not.toEqual([]);
        expect((await workload.archive(10)(connection)).archivedIds).toHaveLength(5);
      }
      await connection.end();
    }
  });

  test("is refused creation and deletion of the namespace, with the reason", async () => {
    await ensureNamespace(admin, { namespace, payload: "jsonb" });
    const client = await connectAdmin(endpoint());
    expect((await refusalOf(dropNamespace(client, namespace))).message).toContain("not allowed");
    const other = testNamespace("ns");
    expect(
      (await refusalOf(ensureNamespace(client, { namespace: other, payload: "jsonb" }))).message,
    ).toContain(other);
    await client.close();
  });
});

describe("ddl", () => {
  test.each(PAYLOADS)("prints the single statements of apply without placeholders: %s", async (payload) => {
    const statements = ddl({ namespace, payload });
    for (const statement of statements) expect(statement).not.toMatch(/\{\{|;\s*$/);
    await admin.query(`${statements.join(";\n")};`);
    expect(await namespaceState(admin, namespace)).toMatchObject({
      kind: "ours",
      variant: `payload ${payload}`,
    });
    expect(await tablesIn(namespace)).toHaveLength(3);
  });
});
