import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { makeBatch } from "../../../../test/support/make-batch.js";
import { dropNamespace, resetNamespace, testNamespace } from "../../../../test/support/namespace.js";
import { connectAdmin, type AdminClient } from "../../../database/postgres/admin.js";
import { PgConnection } from "../../../database/postgres/connection.js";
import { EventBatch } from "../model/event-batch.js";
import { eventOperations } from "./operations.js";
import { createVerification } from "./verification.js";

const namespace = testNamespace("verification");
const settings = { dialect: "postgres", namespace } as const;
let admin: AdminClient;
beforeAll(async () => {
  admin = await connectAdmin(inject("adminEndpoint"), { purpose: "verification" });
  await resetNamespace(admin, { namespace, payload: "jsonb" });
});
afterAll(async () => {
  await dropNamespace(admin, namespace);
  await admin.close();
});

it("events that another session locked do not count as passed over, even after its transaction", async () => {
  const workload = eventOperations({
    ...settings,
    payload: "jsonb",
    statementShape: "set-based",
    locking: "skip-locked",
    isolation: "read committed",
  });
  const connection = await new PgConnection({
    endpoint: inject("adminEndpoint"),
    applicationName: "train-sim/consumers",
    prepared: false,
  }).connect();
  const made = makeBatch(12, 1);
  const [early, late] = [made.slice(0, 11), made.slice(11)];
  for (const batch of [early, late]) await workload.add(EventBatch.of(batch))(connection);
  const [claimed, earlier] = [late.map(({ id }) => id), early.map(({ id }) => id).sort()];
  const verification = createVerification(settings);
  const readPassedOver = async (): Promise<string[]> =>
    (await verification.passedOverIds(connection, claimed, 100)).sort();
  expect(await readPassedOver()).toEqual(earlier);
  const [one = "", ...others] = earlier;
  await admin.query("BEGIN");
  await admin.query(`SELECT FROM ${namespace}.event_status WHERE event_id <> $1 FOR UPDATE`, [one]);
  expect(await readPassedOver()).toEqual([one]);
  await admin.query("COMMIT");
  expect(await readPassedOver()).toEqual([one]);
  await admin.query(`UPDATE ${namespace}.event_status SET attempts = attempts WHERE event_id = $1`, [
    others[0],
  ]);
  expect(await readPassedOver()).toEqual([one, others[0]].sort());
  await connection.end();
});
