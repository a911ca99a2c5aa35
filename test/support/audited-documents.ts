// A trial of workload documents without worker threads: a preload, and clients that run their statements one after the other;
// and changes of its table that the audit has to find and to name.
import type { TransactionEnd, TransactionPlan } from "../../src/actors/transactor.js";
import type { AdminClient } from "../../src/database/postgres/admin.js";
import type { Connection } from "../../src/database/contract.js";
import { insertedKey, preloadedKey } from "../../src/workloads/documents/document.js";
import type { DocumentsSettings, Treatment } from "../../src/workloads/documents/settings.js";
import { documents } from "../../src/workloads/documents/workload.js";
import { resetNamespace } from "../../src/workloads/namespace.js";
import type { ClientContext } from "../../src/workloads/workload.js";

export const SEED = 11;
const CLIENTS = 2;

export type Execute = Connection["execute"];
export type Run = <T>(plan: TransactionPlan<T>) => Promise<TransactionEnd<T>>;

export function runningOn(execute: Execute): Run {
  return async (plan) => {
    const connection = { execute, isBroken: false } as unknown as Connection;
    const result = await plan.body(connection, undefined as never);
    return { kind: "committed", result, finishedMs: 0, endpoint: 0 };
  };
}

/** The workload's tables and clients on that server, in a namespace of their own. */
export function trialOfDocuments(client: () => AdminClient, namespace: string) {
  function treatmentOf(own: Partial<DocumentsSettings>): Treatment {
    return {
      dialect: "postgres",
      namespace,
      prepared: true,
      actors: {},
      pool: { strategy: "direct", reconnect: "never" },
      retry: { attempts: 1, deadlineMs: 1, baseMs: 0, ceilingMs: 0 },
      log: { level: "info", slowTransactionMs: 1000 },
      column: "jsonb",
      index: "btree-id",
      shape: "small",
      bytes: undefined,
      toast: "extended",
      update: undefined,
      slice: "paths",
      mix: { read: 1, insert: 1, update: 2, slice: 0 },
      keys: "uniform",
      skew: 0.99,
      documents: 20,
      ...own,
    };
  }

  async function fill(settings: Treatment): Promise<unknown> {
    await resetNamespace(client(), { ...settings, workload: "documents" });
    return documents.preload(client(), { settings, seed: SEED, directory: "", isWanted: () => true });
  }

  /** What clients told of 40 statements each. */
  async function worked(settings: Treatment, run: Run): Promise<unknown> {
    const client = documents.client({
      assignment: {
        ...{ settings, role: "clients", firstClient: 0, clients: CLIENTS },
        trial: { number: 1, treatmentId: "t1", seed: SEED },
      },
      transactor: { run },
    } as unknown as ClientContext<Treatment>);
    for (let i = 0; i < 80; i++) {
      client.prepare(i % CLIENTS);
      await client.iterate(i % CLIENTS, 0);
    }
    return client.close?.();
  }

  async function findingsOf(settings: Treatment, told: readonly unknown[], preloaded: unknown) {
    const inputs = { settings, told, directory: "", unclosed: [], preloaded, isDrained: false };
    return (await documents.audit(client(), inputs)).findings;
  }

  async function audited(own: Partial<DocumentsSettings>, run: Run, change?: string) {
    const settings = treatmentOf(own);
    const preloaded = await fill(settings);
    const told = await worked(settings, run);
    if (change !== undefined)
      await client().query(change.replaceAll(/\bdocuments\b/g, `${namespace}.documents`));
    return findingsOf(settings, [told], preloaded);
  }

  const plainly: Execute = (statement, values) => client().execute(statement, values);

  return { treatmentOf, fill, worked, findingsOf, audited, plainly };
}

export interface TableChange {
  readonly what: string;
  /** SQL in which tables have no schema. */
  readonly change: string;
  /** Fields of the findings. */
  readonly found: Readonly<Record<string, unknown>>;
  /** Kind and id of each finding. */
  readonly named: readonly string[];
}

interface DocumentChange extends TableChange {
  /** Settings of the treatment besides the usual ones. */
  readonly own?: Partial<DocumentsSettings>;
}

const inserted = insertedKey(1, 0);
const other = insertedKey(0, 0);
const preloaded = preloadedKey(3);
/** Its clients update it twice. */
const updated = preloadedKey(18);

export const DOCUMENT_CHANGES: readonly DocumentChange[] = [
  {
    what: "an insert that is gone",
    change: `DELETE FROM documents WHERE id = '${inserted}'`,
    found: { lost: 1 },
    named: [`lost ${inserted}`],
  },
  {
    what: "a document that was there before and is gone",
    change: `DELETE FROM documents WHERE id = '${preloaded}'`,
    found: { lost: 1 },
    named: [`lost ${preloaded}`],
  },
  {
    what: "a row that was never sent",
    change: `INSERT INTO documents SELECT 'x', 0, '{"id":"x"}'`,
    found: { unexpected: 1, duplicated: 0 },
    named: ["unexpected x"],
  },
  {
    what: "an insert of a number that was never sent",
    change: `INSERT INTO documents SELECT id, 0, jsonb_build_object('id', id) FROM (SELECT '${insertedKey(0, 999)}' AS id)`,
    found: { unexpected: 1 },
    named: [`unexpected ${insertedKey(0, 999)}`],
  },
  {
    what: "a row doubled",
    change: `ALTER TABLE documents DROP CONSTRAINT documents_pkey;
       INSERT INTO documents SELECT * FROM documents WHERE id IN ('${inserted}', '${preloaded}')`,
    found: { duplicated: 2, unexpected: 0 },
    named: [`duplicated ${inserted}`, `duplicated ${preloaded}`],
  },
  {
    what: "a damaged value",
    change: `UPDATE documents SET data = jsonb_set(data, '{field7}', '"x"') WHERE id = '${inserted}'`,
    found: { changed: 1 },
    named: [`changed ${inserted}`],
  },
  {
    what: "a value that is missing",
    change: `UPDATE documents SET data = data - 'field9' WHERE id = '${preloaded}'`,
    found: { changed: 1 },
    named: [`changed ${preloaded}`],
  },
  {
    what: "one value too many",
    change: `UPDATE documents SET data = data || '{"x": 1}' WHERE id = '${inserted}'`,
    found: { changed: 1 },
    named: [`changed ${inserted}`],
  },
  {
    what: "another key in a document",
    change: `UPDATE documents SET data = data || '{"id": "y"}' WHERE id = '${inserted}'`,
    found: { changed: 1 },
    named: [`changed ${inserted}`],
  },
  {
    what: "two documents that changed places",
    change: `UPDATE documents AS d SET data = jsonb_set(e.data, '{id}', to_jsonb(d.id)) FROM documents AS e
       WHERE d.id IN ('${other}', '${inserted}') AND e.id IN ('${other}', '${inserted}') AND d.id <> e.id`,
    found: { changed: 2 },
    named: [`changed ${inserted}`, `changed ${other}`],
  },
  {
    what: "an update that is not counted",
    change: `UPDATE documents SET version = version - 1 WHERE id = '${updated}'`,
    found: { undone: 1 },
    named: [`undone ${updated}`],
  },
  {
    what: "an update that was never sent",
    change: `UPDATE documents SET version = version + 1 WHERE id IN ('${updated}', '${inserted}')`,
    found: { changed: 2 },
    named: [`changed ${updated}`, `changed ${inserted}`],
  },
  {
    what: "a value of no update",
    change: `UPDATE documents SET data = jsonb_set(data, '{field3}', '"x"') WHERE id = '${updated}'`,
    found: { changed: 1 },
    named: [`changed ${updated}`],
  },
  {
    what: "an id column of a document that no statement uses again",
    change: `UPDATE documents SET id = 'y' WHERE id = '${inserted}'`,
    found: { lost: 1, unexpected: 1, changed: 0 },
    named: [`lost ${inserted}`, "unexpected y"],
  },
  {
    what: "an id column of a row of values",
    change: `UPDATE documents SET id = 'y' WHERE id = '${inserted}'`,
    found: { lost: 1, unexpected: 1, changed: 0 },
    named: [`lost ${inserted}`, "unexpected y"],
    own: { column: "relational" },
  },
  {
    what: "id columns that changed places",
    change: `ALTER TABLE documents DROP CONSTRAINT documents_pkey;
    UPDATE documents SET id = CASE id WHEN '${inserted}' THEN '${other}' ELSE '${inserted}' END
    WHERE id IN ('${inserted}', '${other}')`,
    found: { changed: 2 },
    named: [`changed ${inserted}`, `changed ${other}`],
  },
  {
    what: "a text that is cut in half",
    change: `UPDATE documents SET data = left(data, length(data) / 2) WHERE id = '${inserted}'`,
    found: { changed: 1 },
    named: [`changed ${inserted}`],
    own: { column: "text" },
  },
  {
    what: "a text that is cut in half, without an id column",
    change: `UPDATE documents SET data = left(data, length(data) / 2) WHERE data LIKE '%${inserted}%'`,
    found: { changed: 1 },
    named: [`changed ${inserted}`],
    own: { column: "text", index: "none" },
  },
  {
    what: "a text without its beginning",
    change: `UPDATE documents SET data = substr(data, 40) WHERE data LIKE '%${inserted}%'`,
    found: { lost: 1, unexpected: 1 },
    named: [`lost ${inserted}`, "unexpected (no id)"],
    own: { column: "text", index: "none" },
  },
  {
    what: "a text with a space at its end",
    change: `UPDATE documents SET data = data || ' ' WHERE id = '${inserted}'`,
    found: { changed: 1 },
    named: [`changed ${inserted}`],
    own: { column: "text" },
  },
  {
    what: "a json text with a space between its values",
    change: `UPDATE documents SET data = replace(data::text, '","', '", "')::json WHERE id = '${inserted}'`,
    found: { changed: 1 },
    named: [`changed ${inserted}`],
    own: { column: "json" },
  },
  {
    what: "a column of a row of values",
    change: `UPDATE documents SET field9 = field9 || ' ' WHERE id = '${preloaded}'`,
    found: { changed: 1 },
    named: [`changed ${preloaded}`],
    own: { column: "relational" },
  },
];
