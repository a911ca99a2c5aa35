// The program computes the same sums and checksums as the database for every key and document; otherwise the audit would be
// slow.
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { connectAdmin, type AdminClient } from "../../../database/postgres/admin.js";
import { eventRows, readKeySums } from "../stores/audit-scans.js";
import { postgres } from "../../../database/postgres/dialects/postgres/dialect.js";
import { inSnapshot } from "../../../database/postgres/namespace/snapshot.js";
import { tablesOf } from "../stores/tables.js";
import { batchNumberOf, ID_KINDS, workerOf } from "../../event-id.js";
import { KeySum } from "../model/key-sum.js";
import { BATCHES_PER_RANGE } from "../model/ledger.js";
import { LedgerFile, ledgerPath } from "./ledger-file.js";
import { makeAuditedTrial } from "../../../../test/support/audited-trial.js";
import { isFull } from "../../../../test/support/lanes.js";
import { dropNamespace, testNamespace } from "../../../../test/support/namespace.js";
import { ExpectedDocuments } from "./expected-document.js";
import { PAYLOADS, STATEMENT_SHAPES } from "../settings.js";

const namespace = testNamespace("sieves");
const tables = tablesOf(postgres, namespace);
const plain = ({ count, u, v }: KeySum) => ({ count, u, v });
/** A span that contains all times. */
const TRIAL = { startedAt: "2000-01-01", endedAt: "2100-01-01" };
let admin: AdminClient;
beforeAll(async () => {
  admin = await connectAdmin(inject("adminEndpoint"), { purpose: "sieves" });
});
afterAll(async () => {
  await dropNamespace(admin, namespace);
  await admin.close();
});

test.each(ID_KINDS)(
  "the database computes the same sums of keys by range as a producer, ids %s",
  async (ids) => {
    await makeAuditedTrial(admin, { namespace, payload: "text", ids });
    // No ledger contains these events. Each bit of a key is set in the key of some event.
    await admin.query(`INSERT INTO ${tables.events} (id, payload, event_type, authority_id, train_id)
    SELECT md5(n::text)::uuid, '{}', 'DISPATCH_NOTE', md5('')::uuid, '' FROM generate_series(1, 500) AS n`);
    const rows = await admin.query(
      `SELECT id FROM ${tables.events} UNION ALL SELECT id FROM ${tables.archive}`,
    );
    const wanted = new Map<string, KeySum>();
    for (const { id } of rows as { id: string }[]) {
      const place = `${workerOf(id)}/${Math.floor(batchNumberOf(id) / BATCHES_PER_RANGE)}`;
      const sum = wanted.get(place) ?? new KeySum();
      wanted.set(place, sum);
      sum.add(id);
    }
    const seen = await readKeySums(admin, tables);
    expect(wanted.size).toBeGreaterThan(400);
    expect(new Map(seen.map(({ worker, range, ...sum }) => [`${worker}/${range}`, sum]))).toEqual(
      new Map([...wanted].map(([place, sum]) => [place, plain(sum)])),
    );
  },
);

/** Levels of the keys of documents, with statement shapes that change documents in the program or in the database. */
const DOCUMENT_LEVELS = [
  { statementShape: "set-based" as const, levels: { documentShape: "source" as const } },
  { statementShape: "in-database" as const, levels: { documentShape: "source" as const } },
  { statementShape: "in-database" as const, levels: { documentEvolution: "new-member" as const } },
  { statementShape: "set-based" as const, levels: { documentEvolution: "new-member" as const } },
  ...STATEMENT_SHAPES.map((statementShape) => ({
    statementShape,
    levels: { documentPlace: "database" as const, documentEvolution: "new-member" as const },
  })),
  {
    statementShape: "set-based" as const,
    levels: { documentPlace: "database" as const, documentShape: "source" as const, documentSize: "2kB" },
  },
];

describe.each(PAYLOADS)("checksums with payload %s", (payload) => {
  // A payload meets each level of documents, and in the lane `full` with each statement shape.
  const chosen = DOCUMENT_LEVELS.filter(
    (_, i) => isFull || (i + PAYLOADS.indexOf(payload)) % 2 === 0 || i === DOCUMENT_LEVELS.length - 1,
  );
  const levels = [...STATEMENT_SHAPES.map((statementShape) => ({ statementShape })), ...chosen];
  test.each(levels)("equal the program's for every document, $statementShape $levels", async (changes) => {
    const { settings, directory } = await makeAuditedTrial(admin, { namespace, payload, ...changes });
    const ledgers = new Map(
      [3, 255].map((worker) => [worker, LedgerFile.read(ledgerPath(directory, worker))]),
    );
    const documents = new ExpectedDocuments(ledgers, settings, postgres);
    let compared = 0;
    await inSnapshot(admin, async () => {
      for await (const rows of eventRows(admin, tables, { ...TRIAL, skewMs: 0 })) {
        for (const { id, status, attempts, checksum } of rows) {
          if (status === null || attempts === null) throw new Error(`${id} is orphaned`);
          expect(checksum).toBe(documents.expectedDocument({ id, status, attempts })?.checksum);
          compared++;
        }
      }
    });
    expect(compared).toBe(240);
  });
});

test.each([
  { skewMs: 0, isInOrder: false },
  { skewMs: 500, isInOrder: true },
  { skewMs: 200, isInOrder: false },
])(
  "times 300 ms out of order count as in order $isInOrder for clocks that differ by $skewMs ms",
  async (each) => {
    await makeAuditedTrial(admin, { namespace, payload: "text" });
    const earlier = "created_at - interval '300 ms'";
    await admin.query(`UPDATE ${tables.status} SET updated_at = ${earlier}
    FROM ${tables.events} WHERE id = event_id`);
    await admin.query(`UPDATE ${tables.archive} SET archived_at = ${earlier}`);
    const seen = new Set<string>();
    await inSnapshot(admin, async () => {
      for await (const rows of eventRows(admin, tables, { ...TRIAL, skewMs: each.skewMs }))
        for (const { isArchived, isInOrder } of rows) seen.add(`${isArchived} ${isInOrder}`);
    });
    expect(seen).toEqual(new Set([`false ${each.isInOrder}`, `true ${each.isInOrder}`]));
  },
);
