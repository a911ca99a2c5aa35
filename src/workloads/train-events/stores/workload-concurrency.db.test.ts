// Many clients on the same rows: no deadlock in the default levels, nothing lost or done twice, no document overwritten.
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { keyBytes } from "../../event-id.js";
import { EventBatch } from "../model/event-batch.js";
import { codeOf } from "../../../foundation/errors.js";
import { Prng } from "../../../foundation/prng.js";
import { BUSINESS_RULES } from "../model/business-rules.js";
import type { EventDocument, PreparedEvent } from "../model/event.js";
import type { EventStatus } from "../model/lifecycle.js";
import { makeBatch } from "../../../../test/support/make-batch.js";
import { casesOf } from "../../../../test/support/lanes.js";
import { dropNamespace, resetNamespace, testNamespace } from "../../../../test/support/namespace.js";
import { connectAdmin, type AdminClient } from "../../../database/postgres/admin.js";
import { readTableCounts } from "./audit-queries.js";
import { PgConnection } from "../../../database/postgres/connection.js";
import { eventOperations } from "./operations.js";
import { StatementError } from "../../../database/errors.js";
import { classifyFailure } from "../../../database/postgres/sqlstates.js";
import type { ProcessOutcome, EventOperations } from "../store.js";
import type { Isolation } from "../../../database/levels.js";
import { STATEMENT_SHAPES, type Locking } from "../settings.js";

const namespace = testNamespace("crowd");
const payload = "jsonb";
const chances = { claim: 0.8, complete: 0.4, fail: 0.1 };
let admin: AdminClient;
const open: PgConnection[] = [];

beforeAll(async () => {
  admin = await connectAdmin(inject("adminEndpoint"), { purpose: "crowd" });
});
beforeEach(() => resetNamespace(admin, { namespace, payload }));
afterAll(async () => {
  await Promise.all(open.map((connection) => connection.end()));
  await dropNamespace(admin, namespace);
  await admin.close();
});

async function connect(): Promise<PgConnection> {
  const connection = new PgConnection({
    endpoint: inject("adminEndpoint"),
    applicationName: "train-sim/crowd",
    prepared: false,
  });
  open.push(connection);
  return connection.connect();
}

function workloadOf(
  statementShape: (typeof STATEMENT_SHAPES)[number],
  locking: Locking,
  isolation: Isolation,
): EventOperations {
  return eventOperations({ dialect: "postgres", namespace, payload, statementShape, locking, isolation });
}

/** Work that many clients acknowledged. */
class Ledger {
  readonly passes: ProcessOutcome[] = [];
  readonly archived: string[] = [];
  readonly retriedCodes = new Set<string>();

  /** Runs one transaction until it is acknowledged, and retries retryable errors at once. */
  async insist<T>(transaction: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await transaction();
      } catch (error) {
        if (classifyFailure(error).kind !== "retry") throw error;
        this.retriedCodes.add(classifyFailure(error).sqlstate);
      }
    }
  }
}

/** Ten clients add, process and archive until every event is in the archive. */
async function runCrowd(workload: EventOperations, batches: readonly PreparedEvent[][]): Promise<Ledger> {
  const ledger = new Ledger();
  const total = batches.reduce((sum, batch) => sum + batch.length, 0);
  const isDone = (): boolean => ledger.archived.length >= total;
  const producers = batches.map(async (batch) => {
    const connection = await connect();
    await ledger.insist(() => workload.add(EventBatch.of(batch))(connection));
  });
  const consumers = [1, 2, 3, 4, 5].map(async (seed) => {
    const connection = await connect();
    const prng = new Prng(seed);
    // The pause lasts one turn of the event loop while locks are held, so that clients contend for them.
    const appDelay = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    while (!isDone()) {
      const request = { limit: 40, chances, roll: () => prng.float(), ...(seed % 2 === 1 && { appDelay }) };
      ledger.passes.push(await ledger.insist(() => workload.process(request)(connection)));
    }
  });
  const archivers = [1, 2].map(async () => {
    const connection = await connect();
    while (!isDone())
      ledger.archived.push(...(await ledger.insist(() => workload.archive(30)(connection))).archivedIds);
  });
  await Promise.all([...producers, ...consumers, ...archivers]);
  return ledger;
}

async function checkEverythingArchivedOnce(ledger: Ledger, events: readonly PreparedEvent[]): Promise<void> {
  const ids = events.map(({ id }) => id).sort();
  expect([...ledger.archived].sort()).toEqual(ids);
  const counts = await readTableCounts(admin, namespace);
  expect(counts).toEqual({
    pending: 0,
    processing: 0,
    complete: 0,
    failed: 0,
    archived: events.length,
    orphaned: 0,
    duplicated: 0,
  });
  const rows = await admin.query(
    `SELECT id, status, attempts, payload::text AS payload FROM ${namespace}.events_archive ORDER BY id`,
  );
  const terminalIds = (status: EventStatus): unknown[] =>
    rows.filter((row) => row.status === status).map(({ id }) => id);
  expect(ledger.passes.flatMap(({ completedIds }) => completedIds).sort()).toEqual(terminalIds("COMPLETE"));
  expect(ledger.passes.flatMap(({ failedIds }) => failedIds).sort()).toEqual(terminalIds("FAILED"));
  expect(ledger.passes.reduce((sum, { claimed }) => sum + claimed, 0)).toBe(events.length);
  const attempts = rows.reduce((sum, row) => sum + (row.attempts as number), 0);
  expect(ledger.passes.reduce((sum, pass) => sum + pass.events, 0)).toBe(attempts);

  // A toggled flag counts its toggles, so that a write of a stale document would show.
  const original = new Map(events.map((event) => [event.id, JSON.parse(event.payload) as EventDocument]));
  for (const row of rows) {
    const document = JSON.parse(row.payload as string) as EventDocument;
    if (BUSINESS_RULES[document.eventType].fleeted !== "toggle") continue;
    const isOdd = (row.attempts as number) % 2 === 1;
    const was = original.get(row.id as string)?.metrics.flags.fleeted;
    expect(document.metrics.flags.fleeted, `after ${String(row.attempts)} passes`).toBe(was !== isOdd);
  }
}

describe("many concurrent clients", () => {
  // Levels that most queues use, for every shape: the rows that `npm test` runs.
  const LEVELS = [
    ["skip-locked", "read committed"],
    ["for-update", "read committed"],
    ["nowait", "read committed"],
    ["skip-locked", "serializable"],
    ["for-update", "repeatable read"],
  ] as const;
  const CASES = LEVELS.flatMap((levels) => STATEMENT_SHAPES.map((shape) => [shape, ...levels] as const));

  test.each(casesOf(CASES, 2 * STATEMENT_SHAPES.length))(
    "archive every event exactly once and lose no change: %s, %s, %s",
    async (...levels) => {
      const [shape, locking, isolation] = levels;
      const batches = [0, 1, 2].map((number) => makeBatch(60, 7, number));
      const ledger = await runCrowd(workloadOf(shape, locking, isolation), batches);
      await checkEverythingArchivedOnce(ledger, batches.flat());
      expect(ledger.retriedCodes).not.toContain("40P01");
      if (isolation === "read committed" && locking !== "nowait")
        expect(ledger.retriedCodes).toEqual(new Set());
    },
  );
});

describe.each(STATEMENT_SHAPES)(
  "transactions of shape %s while another client holds the oldest rows",
  (shape) => {
    const roll = (): number => 0;
    const holding = `SELECT event_id FROM ${namespace}.event_status ORDER BY updated_at LIMIT 4 FOR UPDATE`;

    beforeEach(async () => {
      await workloadOf("set-based", "skip-locked", "read committed").add(EventBatch.of(makeBatch(10, 3)))(
        await connect(),
      );
    });

    test("fail with 55P03 and the statement's name with nowait, and leave the connection usable", async () => {
      const [holder, client] = [await connect(), await connect()];
      const workload = workloadOf(shape, "nowait", "read committed");
      await holder.query("BEGIN");
      await holder.query(holding);
      const error: unknown = await workload
        .process({ limit: 5, chances, roll })(client)
        .catch((e: unknown) => e);
      expect(error).toBeInstanceOf(StatementError);
      expect(error).toMatchObject({ statement: shape === "single-statement" ? "process" : "process.claim" });
      expect(classifyFailure(error)).toEqual({ kind: "retry", sqlstate: "55P03" });
      await holder.query("ROLLBACK");
      expect((await workload.process({ limit: 5, chances, roll })(client)).events).toBe(5);
    });

    test("claim the other rows with skip-locked", async () => {
      const [holder, client] = [await connect(), await connect()];
      await holder.query("BEGIN");
      const held = (await holder.query(holding)).rows.map((row: { event_id: string }) => row.event_id);
      const outcome = await workloadOf(shape, "skip-locked", "read committed").process({
        limit: 100,
        chances,
        roll,
      })(client);
      expect(outcome.events).toBe(6);
      await holder.query("ROLLBACK");
      const rows = await admin.query(`SELECT event_id FROM ${namespace}.event_status WHERE attempts = 0`);
      expect(rows.map((row) => row.event_id).sort()).toEqual(held.sort());
    });

    test("wait with for-update, and then see the other client's changes", async () => {
      const [holder, client] = [await connect(), await connect()];
      await holder.query("BEGIN");
      await holder.query(holding);
      const waiting = workloadOf(shape, "for-update", "read committed").process({
        limit: 5,
        chances,
        roll,
      })(client);
      await untilWaiting();
      await holder.query(
        `UPDATE ${namespace}.event_status SET status = 'COMPLETE' WHERE event_id IN (SELECT event_id
       FROM ${namespace}.event_status ORDER BY updated_at LIMIT 2)`,
      );
      await holder.query("COMMIT");
      expect((await waiting).events).toBe(3);
      expect(await readTableCounts(admin, namespace)).toMatchObject({
        pending: 5,
        processing: 3,
        complete: 2,
        failed: 0,
      });
    });

    test("leave no rows after an add that fails, and leave the connection usable", async () => {
      const client = await connect();
      const workload = workloadOf(shape, "skip-locked", "read committed");
      const [first] = makeBatch(10, 3) as [PreparedEvent];
      const fresh = makeBatch(5, 3, 9);
      const error: unknown = await workload
        .add(EventBatch.of([...fresh, first]))(client)
        .catch((e: unknown) => e);
      expect(codeOf((error as Error).cause)).toBe("23505");
      expect(await workload.countPresent(client, keyBytes(fresh.map(({ id }) => id)))).toBe(0);
      await workload.add(EventBatch.of(fresh))(client);
      expect((await readTableCounts(admin, namespace)).pending).toBe(15);
    });
  },
);

/** Resolves once a session of these tests waits for a row that another session has locked. */
async function untilWaiting(): Promise<void> {
  for (;;) {
    const [row] = await admin.query(
      `SELECT count(*) AS waiting FROM pg_stat_activity
       WHERE application_name = 'train-sim/crowd' AND wait_event_type = 'Lock' AND query LIKE '%${namespace}%'`,
    );
    if (Number(row?.waiting) > 0) return;
  }
}
