// Audits of every combination of levels that a dialect has, on the suite's PostgreSQL or on `TRAIN_SIM_TEST_URL`, whose
// server is asked for its dialect. `workload.db.test.ts` checks PostgreSQL in more detail.
import { DIALECTS, missingLevel, type DialectName } from "../../../database/registry.js";
import { afterAll, afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { keyBytes } from "../../event-id.js";
import type { EventDocument } from "../model/event.js";
import { EventBatch } from "../model/event-batch.js";
import { parseConnectionUrl } from "../../../database/postgres/endpoint/parse-url.js";
import { makeAuditedTrial } from "../../../../test/support/audited-trial.js";
import { combinations } from "../../../../test/support/combinations.js";
import { makeBatch } from "../../../../test/support/make-batch.js";
import { dropNamespace, testNamespace } from "../../../../test/support/namespace.js";
import { connectAdmin } from "../../../database/postgres/admin.js";
import { countPresent, readTableCounts } from "./audit-queries.js";
import { PgConnection } from "../../../database/postgres/connection.js";
import { eventOperations } from "./operations.js";
import type { Question } from "../store.js";
import { dialectOf } from "../../../database/postgres/dialects/registry.js";
import { readServerInfo } from "../../../database/postgres/server-info.js";
import { ISOLATION_LEVELS } from "../../../database/levels.js";
import { EVENT_STORAGES, LOCKINGS, PAYLOADS, STATEMENT_SHAPES } from "../settings.js";

const url = process.env["TRAIN_SIM_TEST_URL"];
const endpoint = url === undefined ? inject("adminEndpoint") : parseConnectionUrl(url);
const namespace = testNamespace("dialect");

const admin = await connectAdmin(endpoint, { purpose: "conformance" });
const { product, dialect: spoken, versionText } = await readServerInfo(admin);
const name = DIALECTS.find((each) => each === spoken);
if (name === undefined) throw new Error(`nobody knows a server that calls itself "${versionText}"`);
const dialect = dialectOf(name);

/** Levels among `levels` that the dialect has. */
function offeredLevels<Level extends string>(
  of: DialectName,
  factor: string,
  levels: readonly Level[],
): Level[] {
  return levels.filter((level) => missingLevel(of, factor, level) === undefined);
}

const [isolation] = offeredLevels(name, "isolation", ISOLATION_LEVELS);
if (isolation === undefined) throw new Error(`${name} has no isolation level`);

const COMBINATIONS = combinations({
  payload: offeredLevels(name, "payload", PAYLOADS),
  storage: offeredLevels(name, "storage", EVENT_STORAGES),
  locking: offeredLevels(name, "locking", LOCKINGS),
  statementShape: offeredLevels(name, "statementShape", STATEMENT_SHAPES),
});

/** A separate session for each combination, because statements of all combinations have the same names. */
let connection: PgConnection;
beforeEach(async () => {
  connection = new PgConnection({ endpoint, applicationName: "train-sim/conformance", prepared: true });
  await connection.connect();
});
afterEach(() => connection.end());
afterAll(async () => {
  await dropNamespace(admin, namespace, name);
  await admin.close();
});

describe(`${product} as ${name}`, () => {
  test.each(COMBINATIONS)(
    "$payload, storage $storage, $locking, $statementShape: every event is published, done, archived and accounted for",
    async ({ payload, storage, locking, statementShape }) => {
      const trial = await makeAuditedTrial(admin, {
        namespace,
        payload,
        statementShape,
        isDrained: true,
        batchEvents: 4,
        levels: { dialect: name, storage, locking, isolation },
      });
      const { conservation } = await trial.audit();
      expect(conservation).toMatchObject({
        verdict: "ok",
        lost: 0,
        duplicated: 0,
        pending: 0,
        processing: 0,
      });
      const { archived } = await readTableCounts(admin, namespace, dialect);
      expect(archived).toBe(conservation.archived);
      const { failed, found } = trial.keys;
      expect(await countPresent(admin, namespace, [...failed, ...found], dialect)).toBe(found.length);

      const workload = eventOperations(trial.settings);
      const batch = makeBatch(8, 5);
      const [first] = batch;
      if (!first) throw new Error("a batch has a first event");
      await workload.add(EventBatch.of(batch))(connection);
      expect((await workload.read(first)(connection)).answers.flat()).not.toEqual([]);
      const { metrics } = JSON.parse(first.payload) as EventDocument;
      for (const question of [
        { kind: "id", id: first.id },
        { kind: "authority", authorityId: first.authorityId },
        { kind: "typeTime", eventType: first.eventType, from: new Date(0), to: "2999-01-01 00:00:00+00" },
        { kind: "path", part: { metrics: { circuitIds: metrics.circuitIds.slice(0, 1) } } },
        { kind: "newest" },
        { kind: "byType" },
      ] satisfies Question[])
        expect(await workload.ask(question)(connection), question.kind).not.toEqual([]);
      const sought = { authorityIds: [first.authorityId], eventType: first.eventType, most: 1 };
      expect((await workload.someLive(connection, sought)).length).toBeGreaterThanOrEqual(1);
      const ids = batch.map(({ id }) => id);
      expect(await workload.countPresent(connection, keyBytes([...ids, ...failed]))).toBe(batch.length);
      const claim = { limit: 5, roll: () => 0, chances: { claim: 1, complete: 1, fail: 0 } };
      expect(await workload.process(claim)(connection)).toMatchObject({ events: 5, claimed: 5 });
      expect(await readTableCounts(admin, namespace, dialect)).toMatchObject({ pending: 3, processing: 5 });
    },
  );
});
