// One PgBouncer for several treatments, like an external one: its connections to the server outlive the tables of a trial,
// and with them the statements that it has prepared there, by their texts. Whatever the previous payload level was, the
// next treatment must write the same as it writes alone.
import { afterEach, beforeEach, expect, test } from "vitest";
import { EventBatch } from "../workloads/train-events/model/event-batch.js";
import type { Endpoint } from "../database/endpoint.js";
import type { PgBouncerSettings } from "./pgbouncer/pgbouncer-config.js";
import { isFull } from "../../test/support/lanes.js";
import { makeBatch } from "../../test/support/make-batch.js";
import { resetNamespace, testNamespace } from "../../test/support/namespace.js";
import { ownDatabase } from "../../test/support/own-database.js";
import { pgBouncerEnv, startPgBouncers } from "../../test/support/pgbouncers.js";
import { PgConnection } from "../database/postgres/connection.js";
import { eventOperations } from "../workloads/train-events/stores/operations.js";
import type { SqlRow } from "../database/sql.js";
import {
  PAYLOADS,
  STATEMENT_SHAPES,
  type Payload,
  type StatementShape,
} from "../workloads/train-events/settings.js";
import type { RunningPooler } from "./running-pooler.js";

const EVENTS = 3;
const SETTINGS: PgBouncerSettings = {
  mode: "transaction",
  size: 1,
  instances: 1,
  maxPreparedStatements: 100,
  maxClientConnections: 5,
};
const ORDERS = PAYLOADS.flatMap((first) =>
  PAYLOADS.filter((then) => then !== first).map((then) => [first, then] as const),
);

const namespace = testNamespace("pooled");
const own = ownDatabase("pooled");
let pooler: RunningPooler;
beforeEach(async () => {
  pooler = await startPgBouncers(SETTINGS, own.endpoint, pgBouncerEnv());
});
afterEach(() => pooler.stop());

/** The rows that one add and one pass of a fresh trial leave in the tables. */
async function writeEvents(
  payload: Payload,
  statementShape: StatementShape,
  by: Endpoint,
): Promise<SqlRow[]> {
  await resetNamespace(own.admin, { namespace, payload });
  const connection = new PgConnection({ endpoint: by, applicationName: "train-sim", prepared: true });
  await connection.connect();
  const documents = (): Promise<SqlRow[]> =>
    own.admin.query(`SELECT payload::text FROM ${namespace}.events ORDER BY id`);
  try {
    const levels = { locking: "skip-locked", isolation: "read committed" } as const;
    const workload = eventOperations({ dialect: "postgres", namespace, payload, statementShape, ...levels });
    await workload.add(EventBatch.of(makeBatch(EVENTS, 7)))(connection);
    const added = await documents();
    const chances = { claim: 1, complete: 1, fail: 0 };
    await workload.process({ limit: EVENTS, roll: () => 0.5, chances })(connection);
    return [...added, ...(await documents())];
  } finally {
    await connection.end();
  }
}

/** Each order of treatments with one statement shape or, under `npm run test:full`, with all. */
const CASES = ORDERS.flatMap(([first, then], order) =>
  STATEMENT_SHAPES.filter((_, i) => isFull || i === order % STATEMENT_SHAPES.length).map(
    (shape) => [shape, first, then] as const,
  ),
);

test.each(CASES)(
  "%s: payload %s and then %s through a single server connection writes the same as alone",
  async (shape, first, then) => {
    const alone = await writeEvents(then, shape, own.endpoint);
    const [pooled] = pooler.endpoints;
    if (!pooled) return expect.unreachable("a pooler has an endpoint");
    await writeEvents(first, shape, pooled);
    expect(await writeEvents(then, shape, pooled)).toEqual(alone);
  },
);
