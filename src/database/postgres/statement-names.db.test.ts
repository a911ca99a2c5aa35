// Every statement of the workload, run for real, is known by its text in the server's `pg_stat_statements`, whatever the
// statement's shape and the storage of the payload. The library is loaded in train-sim's own servers by default.
import { afterAll, beforeAll, expect, test } from "vitest";
import { keyBytes } from "../../workloads/event-id.js";
import { EventBatch } from "../../workloads/train-events/model/event-batch.js";
import { makeBatch } from "../../../test/support/make-batch.js";
import { resetNamespace, testNamespace } from "../../../test/support/namespace.js";
import { ownDatabase } from "../../../test/support/own-database.js";
import type { AdminClient } from "./admin.js";
import { PgConnection } from "./connection.js";
import { eventOperations } from "../../workloads/train-events/stores/operations.js";
import { statementNamer } from "./statement-names.js";
import type { EventOperations } from "../../workloads/train-events/store.js";
import {
  PAYLOADS,
  STATEMENT_SHAPES,
  type Payload,
  type StatementShape,
} from "../../workloads/train-events/settings.js";

const namespace = testNamespace("statements");
// A separate database: statements are counted by database, and the entries would include statements of other tests.
const own = ownDatabase("statements");
let admin: AdminClient;
let connection: PgConnection;
/** Major version of the server. */
let version: number;
beforeAll(async () => {
  admin = own.admin;
  connection = await new PgConnection({
    endpoint: own.endpoint,
    applicationName: "train-sim/test",
    prepared: false,
  }).connect();
  await admin.query("CREATE EXTENSION pg_stat_statements");
  const [row] = await admin.query("SELECT current_setting('server_version_num')::int / 10000 AS major");
  version = Number(row?.major);
});
afterAll(async () => {
  await connection.end();
});

const COMBINATIONS = STATEMENT_SHAPES.flatMap((shape) =>
  PAYLOADS.map((payload) => [shape, payload] as const),
);
const EVENTS = 5;

/** Runs one transaction of each kind, each with work to do. */
async function runAll(workload: EventOperations, seed: number): Promise<void> {
  const batch = makeBatch(EVENTS, seed);
  const [probe] = batch;
  if (!probe) throw new Error("an empty batch");
  const chances = { claim: 1, complete: 1, fail: 0 };
  await workload.add(EventBatch.of(batch))(connection);
  for (let pass = 0; pass < 2; pass++)
    await workload.process({ limit: EVENTS, roll: () => 0.5, chances })(connection);
  await workload.read(probe)(connection);
  await workload.countPresent(connection, keyBytes([probe.id]));
  await workload.archive(EVENTS)(connection);
}

const OWN = "dbid = (SELECT oid FROM pg_database WHERE datname = current_database())";

/** Texts that the server has counted in this database since the last reset. */
async function readOwnStatements(): Promise<string[]> {
  const rows = await admin.query(`SELECT query FROM pg_stat_statements WHERE ${OWN}`);
  return rows.map(({ query }) => String(query));
}

async function reset(): Promise<void> {
  await admin.query(
    `SELECT pg_stat_statements_reset(0, oid, 0) FROM pg_database WHERE datname = current_database()`,
  );
}

function workloadOf(statementShape: StatementShape, payload: Payload, schema: string): EventOperations {
  return eventOperations({
    dialect: "postgres",
    namespace: schema,
    payload,
    statementShape,
    locking: "skip-locked",
    isolation: "read committed",
  });
}

function namesIn(workload: EventOperations, texts: readonly string[]): string[] {
  const nameOf = statementNamer(workload.statements, version);
  return [...new Set(texts.flatMap((query) => nameOf(query) ?? []))].sort();
}

test.each(COMBINATIONS)(
  "%s statements on %s: pg_stat_statements identifies exactly the statements of the workload",
  async (statementShape, payload) => {
    await resetNamespace(admin, { namespace, payload });
    const workload = workloadOf(statementShape, payload, namespace);
    await reset();
    await runAll(
      workload,
      COMBINATIONS.findIndex(([s, p]) => s === statementShape && p === payload),
    );
    const texts = await readOwnStatements();
    expect(namesIn(workload, texts)).toEqual(workload.statements.map(({ name }) => name).sort());
    const nameOf = statementNamer(workload.statements, version);
    const known = texts.filter((query) => nameOf(query) !== undefined);
    expect(known.every((query) => query.includes(namespace))).toBe(true);
  },
);

test("statements are identified although equal ones ran in another namespace before", async () => {
  const later = testNamespace("statements");
  await resetNamespace(admin, { namespace, payload: "text" });
  await resetNamespace(admin, { namespace: later, payload: "text" });
  await reset();
  for (const [schema, seed] of [
    [namespace, 100],
    [later, 101],
  ] as const)
    await runAll(workloadOf("set-based", "text", schema), seed);
  const workload = workloadOf("set-based", "text", later);
  expect(namesIn(workload, await readOwnStatements())).toEqual(
    workload.statements.map(({ name }) => name).sort(),
  );
});
