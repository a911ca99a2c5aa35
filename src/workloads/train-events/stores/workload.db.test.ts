// Combinations of levels: the same rolls lead to the model's statuses and documents, whatever shape, locking, isolation,
// storage.
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { keyBytes } from "../../event-id.js";
import { EventBatch } from "../model/event-batch.js";
import { deriveSeed, Prng } from "../../../foundation/prng.js";
import { applyBusinessRule } from "../model/business-rules.js";
import type { EventDocument, PreparedEvent } from "../model/event.js";
import {
  ARCHIVED_LEVELS,
  type ArchivedLevel,
  advance,
  isArchivable,
  isTerminal,
  type AdvanceProbabilities,
  type EventPass,
  type EventStatus,
} from "../model/lifecycle.js";
import { dropNamespace, resetNamespace, testNamespace } from "../../../../test/support/namespace.js";
import { combinations } from "../../../../test/support/combinations.js";
import { makeBatch } from "../../../../test/support/make-batch.js";
import { connectAdmin, type AdminClient } from "../../../database/postgres/admin.js";
import { PgConnection } from "../../../database/postgres/connection.js";
import { eventOperations } from "./operations.js";
import type { EventOperations } from "../store.js";
import { ISOLATION_LEVELS } from "../../../database/levels.js";
import { ARCHIVE_DELETES, CLAIM_INDEXES, LOCKINGS, PAYLOADS, STATEMENT_SHAPES } from "../settings.js";

const namespace = testNamespace("workload");
const TWO_STEPS = { claim: 0.7, complete: 0.4, fail: 0.2, isOneStep: false };
const ONE_STEP = { claim: 0.4, complete: 0.3, fail: 0.2, isOneStep: true };
let admin: AdminClient;
beforeAll(async () => {
  admin = await connectAdmin(inject("adminEndpoint"), { purpose: "conformance" });
});
afterAll(async () => {
  await dropNamespace(admin, namespace);
  await admin.close();
});

interface Live {
  status: EventStatus;
  attempts: number;
  document: EventDocument;
}

/** Expected contents of the tables, built from the batch and the rolls alone. */
class Expected {
  readonly live = new Map<string, Live>();

  constructor(readonly chances: AdvanceProbabilities) {}

  add(batch: readonly PreparedEvent[]): void {
    for (const { id, payload } of batch)
      this.live.set(id, { status: "PENDING", attempts: 0, document: JSON.parse(payload) as EventDocument });
  }

  /** Advances these events in key order; each takes the next roll. */
  pass(
    ids: readonly string[],
    roll: () => number,
  ): { passes: EventPass[]; claimed: number; completed: string[]; failed: string[] } {
    const outcome = {
      passes: [] as EventPass[],
      claimed: 0,
      completed: [] as string[],
      failed: [] as string[],
    };
    for (const id of [...ids].sort()) {
      const event = this.live.get(id);
      if (!event) throw new Error(`${id} is not live`);
      const was = event.status;
      event.status = advance(was, roll(), this.chances);
      event.attempts++;
      event.document = JSON.parse(
        applyBusinessRule(JSON.stringify(event.document), event.status),
      ) as EventDocument;
      outcome.passes.push({ id, was, status: event.status });
      if (was === "PENDING" && event.status === "PROCESSING") outcome.claimed++;
      if (event.status === "COMPLETE") outcome.completed.push(id);
      if (event.status === "FAILED") outcome.failed.push(id);
    }
    return outcome;
  }
}

interface StatusRow {
  readonly id: string;
  readonly attempts: number;
  readonly status: EventStatus;
  readonly updated_at: string;
}

async function statusRows(): Promise<StatusRow[]> {
  const rows = await admin.query(
    `SELECT event_id AS id, status, attempts, updated_at::text FROM ${namespace}.event_status ORDER BY event_id`,
  );
  return rows as unknown as StatusRow[];
}

async function checkLive(expected: Expected): Promise<void> {
  const rows =
    await admin.query(`SELECT e.id, e.payload::text AS payload, e.event_type, e.authority_id, e.train_id,
    s.status, s.attempts FROM ${namespace}.events e JOIN ${namespace}.event_status s ON s.event_id = e.id ORDER BY e.id`);
  const seen = rows.map(({ payload, ...row }) => ({
    ...row,
    document: JSON.parse(payload as string) as unknown,
  }));
  const wanted = [...expected.live]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, { status, attempts, document }]) => ({
      id,
      status,
      attempts,
      document,
      event_type: document.eventType,
      authority_id: document.authorityId,
      train_id: document.train.trainId,
    }));
  expect(seen).toEqual(wanted);
}

/** Runs one process transaction and compares the tables before and after. Resolves to the number of events. */
async function checkedPass(
  workload: EventOperations,
  connection: PgConnection,
  expected: Expected,
  limit: number,
  seed: number,
): Promise<number> {
  const before = new Map((await statusRows()).map((row) => [row.id, row]));
  const ofProgram = new Prng(seed);
  const outcome = await workload.process({ limit, chances: expected.chances, roll: () => ofProgram.float() })(
    connection,
  );
  const after = await statusRows();
  const touched = after.filter((row) => row.attempts !== before.get(row.id)?.attempts).map(({ id }) => id);
  const ofModel = new Prng(seed);
  const { passes, claimed, completed, failed } = expected.pass(touched, () => ofModel.float());
  const counted = { events: touched.length, claimed, completedIds: completed, failedIds: failed };
  const lifePasses = outcome.passes.map(({ id, was, status }) => ({ id, was, status }));
  expect({ ...outcome, passes: lifePasses }).toEqual({ passes, ...counted });

  // The oldest events were taken, and every processed event went to the back of the queue.
  const workable = [...before.values()].filter(({ status }) => !isTerminal(status));
  expect(touched).toHaveLength(Math.min(limit, workable.length));
  const updatedAt = (ids: readonly string[]) => ids.map((id) => before.get(id)?.updated_at ?? "").sort();
  const left = workable.map(({ id }) => id).filter((id) => !touched.includes(id));
  if (left.length > 0) expect((updatedAt(touched).at(-1) ?? "") <= (updatedAt(left)[0] ?? "")).toBe(true);
  const earliest = after
    .filter(({ id }) => touched.includes(id))
    .map((row) => row.updated_at)
    .sort()[0];
  for (const row of before.values()) if (earliest !== undefined) expect(earliest > row.updated_at).toBe(true);
  return touched.length;
}

async function checkArchive(
  workload: EventOperations,
  connection: PgConnection,
  expected: Expected,
  archived: ArchivedLevel,
): Promise<void> {
  const terminal = [...expected.live]
    .filter(([, { status }]) => isArchivable(status, archived))
    .map(([id]) => id)
    .sort();
  const first = await workload.archive(3)(connection);
  expect(first.archivedIds).toHaveLength(Math.min(3, terminal.length));
  const second = await workload.archive(100)(connection);
  expect([...first.archivedIds, ...second.archivedIds].sort()).toEqual(terminal);
  expect(await workload.archive(100)(connection)).toEqual({ archivedIds: [] });

  const rows =
    await admin.query(`SELECT id, payload::text AS payload, event_type, authority_id, train_id, status,
    attempts, archived_at >= created_at AS "isLater" FROM ${namespace}.events_archive ORDER BY id`);
  expect(
    rows.map(({ payload, ...row }) => ({ ...row, document: JSON.parse(payload as string) as unknown })),
  ).toEqual(
    terminal.map((id) => {
      const { status, attempts, document } = expected.live.get(id) as Live;
      const { eventType: event_type, authorityId: authority_id, train } = document;
      return {
        id,
        status,
        attempts,
        document,
        event_type,
        authority_id,
        train_id: train.trainId,
        isLater: true,
      };
    }),
  );
  for (const id of terminal) expected.live.delete(id);
  await checkLive(expected);
}

const COMBINATIONS = combinations({
  payload: PAYLOADS,
  statementShape: STATEMENT_SHAPES,
  locking: LOCKINGS,
  isolation: ISOLATION_LEVELS,
  prepared: [true, false],
  isPipelined: [false, true],
  claimIndex: CLAIM_INDEXES,
  archived: ARCHIVED_LEVELS,
  archiveDelete: ARCHIVE_DELETES,
  advance: [TWO_STEPS, ONE_STEP],
});

describe.each(PAYLOADS)("transactions with payload %s", (payload) => {
  test.each(COMBINATIONS.filter((each) => each.payload === payload))(
    "match the model: $statementShape $locking $isolation $prepared $isPipelined $claimIndex $archived $archiveDelete",
    async ({ prepared, isPipelined, ...levels }) => {
      await resetNamespace(admin, { namespace, ...levels });
      const workload = eventOperations({
        ...{ dialect: "postgres", namespace, ...levels },
        ...(isPipelined && { pipeline: true }),
      });
      const connection = new PgConnection({
        endpoint: inject("adminEndpoint"),
        applicationName: "train-sim/test",
        prepared,
      });
      await connection.connect();
      try {
        const { advance: chances } = levels;
        const expected = new Expected(chances);
        const batch = makeBatch(
          23,
          deriveSeed(...Object.values(levels).map((level) => JSON.stringify(level))),
        );
        const [first] = batch as [PreparedEvent];

        expect(await workload.process({ limit: 5, chances, roll: () => 0 })(connection)).toEqual({
          passes: [],
          events: 0,
          claimed: 0,
          completedIds: [],
          failedIds: [],
        });
        await workload.add(EventBatch.of([]))(connection);
        await workload.add(EventBatch.of(batch))(connection);
        expected.add(batch);
        await checkLive(expected);
        expect((await workload.read(first)(connection)).answers.flat().length).toBeGreaterThanOrEqual(2);

        for (let pass = 0; pass < 6; pass++)
          await checkedPass(workload, connection, expected, pass === 3 ? 100 : 15, pass);
        await checkLive(expected);
        expect([...expected.live.values()].some(({ status }) => isTerminal(status))).toBe(true);

        await checkArchive(workload, connection, expected, levels.archived);
        const ids = batch.map(({ id }) => id);
        expect(
          await workload.countPresent(connection, keyBytes([...ids, "0198c5a0-0000-7000-8000-000000000000"])),
        ).toBe(23);
        expect(await workload.countPresent(connection, Buffer.alloc(0))).toBe(0);
      } finally {
        await connection.end();
      }
    },
  );
});
