// Every statement of the workload, run for real, is known by its text in the server's `pg_stat_statements`, whatever the
// statement's shape and the storage of the payload. The library is loaded in train-sim's own servers by default.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { PAYLOADS, STATEMENT_SHAPES } from "../scenario/settings.js";
import { makeBatch } from "../testing/make-batch.js";
import { testNamespace } from "../testing/namespace.js";
import { connectAdmin, type AdminClient } from "./admin.js";
import { PgConnection } from "./connection.js";
import { createWorkload } from "./create-workload.js";
import { dropNamespace, resetNamespace } from "./namespace.js";
import { statementNamer } from "./statement-names.js";

const namespace = testNamespace("statements");
let admin: AdminClient;
let connection: PgConnection;
beforeAll(async () => {
  const endpoint = inject("adminEndpoint");
  admin = await connectAdmin(endpoint, { purpose: "statements" });
  connection = await new PgConnection({
    endpoint,
    applicationName: "train-sim/test",
    prepared: false,
  }).connect();
  // Another test file may be making it at this moment: then this fails, and it is there.
  await admin.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements").catch(() => undefined);
});
afterAll(async () => {
  await dropNamespace(admin, namespace);
  await connection.end();
  await admin.close();
});

const COMBINATIONS = STATEMENT_SHAPES.flatMap((shape) =>
  PAYLOADS.map((payload) => [shape, payload] as const),
);
const EVENTS = 5;

/** One transaction of each kind, with work in each. */
async function runAll(workload: ReturnType<typeof createWorkload>, seed: number): Promise<void> {
  const batch = makeBatch(EVENTS, seed);
  const [probe] = batch;
  if (!probe) throw new Error("an empty batch");
  const chances = { claim: 1, complete: 1, fail: 0 };
  await workload.add(connection, batch);
  for (let pass = 0; pass < 2; pass++)
    await workload.process(connection, { limit: EVENTS, roll: () => 0.5, chances });
  await workload.read(connection, probe);
  await workload.countPresent(connection, [probe.id]);
  await workload.archive(connection, EVENTS);
}

test.each(COMBINATIONS)(
  "%s on %s: every statement is found, and nothing else",
  async (statementShape, payload) => {
    await resetNamespace(admin, { namespace, payload });
    const workload = createWorkload({
      ...{ dialect: "postgres", namespace, payload, statementShape },
      ...{ locking: "skip-locked", isolation: "read committed" },
    });
    await admin.query(
      "SELECT pg_stat_statements_reset(0, 0, queryid) FROM pg_stat_statements WHERE strpos(query, $1) > 0",
      [namespace],
    );
    await runAll(
      workload,
      COMBINATIONS.findIndex(([s, p]) => s === statementShape && p === payload),
    );
    const rows = await admin.query("SELECT query FROM pg_stat_statements");
    const nameOf = statementNamer(workload.statements);
    const found = new Set(rows.flatMap(({ query }) => nameOf(String(query)) ?? []));
    expect([...found].sort()).toEqual(workload.statements.map(({ name }) => name).sort());
    const known = rows.filter(({ query }) => nameOf(String(query)) !== undefined);
    expect(known.every(({ query }) => String(query).includes(namespace))).toBe(true);
  },
);
