// Workload documents: two clients with 40 statements each on 20 documents.
import { insertedKey, preloadedKey } from "../../../src/workloads/documents/document.js";
import type { AuditedFamily } from "./family.js";

const inserted = insertedKey(1, 0);
const other = insertedKey(0, 0);
const preloaded = preloadedKey(3);
/** Key of a document that the clients of the trial update twice. */
const updatedKey = preloadedKey(18);

export const documents: AuditedFamily = {
  scenario: {
    workload: "documents",
    documents: 20,
    mix: { read: 1, insert: 1, update: 2 },
    keys: "uniform",
    actors: { clients: { clients: 2 } },
  },
  iterations: { clients: 80 },
  changes: [
    {
      what: "a missing insert",
      kind: "deleted",
      change: `DELETE FROM documents WHERE id = '${inserted}'`,
      found: { lost: 1 },
      named: [`lost ${inserted}`],
    },
    {
      what: "a missing preloaded document",
      change: `DELETE FROM documents WHERE id = '${preloaded}'`,
      found: { lost: 1 },
      named: [`lost ${preloaded}`],
    },
    {
      what: "a row that was never sent",
      kind: "invented",
      change: `INSERT INTO documents SELECT 'x', 0, '{"id":"x"}'`,
      found: { unexpected: 1 },
      named: ["unexpected x"],
    },
    {
      what: "an insert with a number that was never sent",
      change: `INSERT INTO documents SELECT id, 0, jsonb_build_object('id', id) FROM (SELECT '${insertedKey(0, 999)}' AS id)`,
      mysql: `INSERT INTO documents VALUES ('${insertedKey(0, 999)}', 0, '{"id": "${insertedKey(0, 999)}"}')`,
      found: { unexpected: 1 },
      named: [`unexpected ${insertedKey(0, 999)}`],
    },
    {
      what: "a duplicated row",
      kind: "doubled",
      change: `ALTER TABLE documents DROP CONSTRAINT documents_pkey;
       INSERT INTO documents SELECT * FROM documents WHERE id IN ('${inserted}', '${preloaded}')`,
      mysql: `ALTER TABLE documents DROP PRIMARY KEY;
       INSERT INTO documents SELECT * FROM documents WHERE id IN ('${inserted}', '${preloaded}')`,
      found: { duplicated: 2 },
      named: [`duplicated ${inserted}`, `duplicated ${preloaded}`],
    },
    {
      what: "a damaged value",
      kind: "changed",
      change: `UPDATE documents SET data = jsonb_set(data, '{field7}', '"x"') WHERE id = '${inserted}'`,
      mysql: `UPDATE documents SET data = JSON_SET(data, '$.field7', 'x') WHERE id = '${inserted}'`,
      found: { changed: 1 },
      named: [`changed ${inserted}`],
    },
    {
      what: "a missing value",
      change: `UPDATE documents SET data = data - 'field9' WHERE id = '${preloaded}'`,
      mysql: `UPDATE documents SET data = JSON_REMOVE(data, '$.field9') WHERE id = '${preloaded}'`,
      found: { changed: 1 },
      named: [`changed ${preloaded}`],
    },
    {
      what: "an additional value",
      change: `UPDATE documents SET data = data || '{"x": 1}' WHERE id = '${inserted}'`,
      mysql: `UPDATE documents SET data = JSON_SET(data, '$.x', 1) WHERE id = '${inserted}'`,
      found: { changed: 1 },
      named: [`changed ${inserted}`],
    },
    {
      what: "a renamed key in a document",
      change: `UPDATE documents SET data = data || '{"id": "y"}' WHERE id = '${inserted}'`,
      mysql: `UPDATE documents SET data = JSON_SET(data, '$.id', 'y') WHERE id = '${inserted}'`,
      found: { changed: 1 },
      named: [`changed ${inserted}`],
    },
    {
      what: "two documents with exchanged contents",
      change: `UPDATE documents AS d SET data = jsonb_set(e.data, '{id}', to_jsonb(d.id)) FROM documents AS e
       WHERE d.id IN ('${other}', '${inserted}') AND e.id IN ('${other}', '${inserted}') AND d.id <> e.id`,
      mysql: `UPDATE documents AS d, (SELECT id, data FROM documents) AS e SET d.data = JSON_SET(e.data, '$.id', d.id)
       WHERE d.id IN ('${other}', '${inserted}') AND e.id IN ('${other}', '${inserted}') AND d.id <> e.id`,
      found: { changed: 2 },
      named: [`changed ${inserted}`, `changed ${other}`],
    },
    {
      what: "an update that is not counted",
      change: `UPDATE documents SET version = version - 1 WHERE id = '${updatedKey}'`,
      found: { undone: 1 },
      named: [`undone ${updatedKey}`],
    },
    {
      what: "an update that was never sent",
      change: `UPDATE documents SET version = version + 1 WHERE id IN ('${updatedKey}', '${inserted}')`,
      found: { changed: 2 },
      named: [`changed ${updatedKey}`, `changed ${inserted}`],
    },
    {
      what: "a value that no update wrote",
      change: `UPDATE documents SET data = jsonb_set(data, '{field3}', '"x"') WHERE id = '${updatedKey}'`,
      mysql: `UPDATE documents SET data = JSON_SET(data, '$.field3', 'x') WHERE id = '${updatedKey}'`,
      found: { changed: 1 },
      named: [`changed ${updatedKey}`],
    },
    {
      what: "a changed id column of a document that no statement uses again",
      change: `UPDATE documents SET id = 'y' WHERE id = '${inserted}'`,
      found: { lost: 1, unexpected: 1 },
      named: [`lost ${inserted}`, "unexpected y"],
    },
    {
      what: "a changed id column of a relational row",
      change: `UPDATE documents SET id = 'y' WHERE id = '${inserted}'`,
      found: { lost: 1, unexpected: 1 },
      named: [`lost ${inserted}`, "unexpected y"],
      own: { column: "relational" },
    },
    {
      what: "exchanged id columns",
      change: `ALTER TABLE documents DROP CONSTRAINT documents_pkey;
    UPDATE documents SET id = CASE id WHEN '${inserted}' THEN '${other}' ELSE '${inserted}' END
    WHERE id IN ('${inserted}', '${other}')`,
      mysql: `ALTER TABLE documents DROP PRIMARY KEY;
    UPDATE documents SET id = CASE id WHEN '${inserted}' THEN '${other}' ELSE '${inserted}' END
    WHERE id IN ('${inserted}', '${other}')`,
      found: { changed: 2 },
      named: [`changed ${inserted}`, `changed ${other}`],
    },
    {
      what: "a text cut in half",
      change: `UPDATE documents SET data = left(data, length(data) / 2) WHERE id = '${inserted}'`,
      found: { changed: 1 },
      named: [`changed ${inserted}`],
      own: { column: "text" },
    },
    {
      what: "a text cut in half in a table without id columns",
      change: `UPDATE documents SET data = left(data, length(data) / 2) WHERE data LIKE '%${inserted}%'`,
      found: { changed: 1 },
      named: [`changed ${inserted}`],
      own: { column: "text", index: "none" },
    },
    {
      what: "a text without its first characters",
      change: `UPDATE documents SET data = substr(data, 40) WHERE data LIKE '%${inserted}%'`,
      found: { lost: 1, unexpected: 1 },
      named: [`lost ${inserted}`, "unexpected (no id)"],
      own: { column: "text", index: "none" },
    },
    {
      what: "a text with a trailing space",
      change: `UPDATE documents SET data = data || ' ' WHERE id = '${inserted}'`,
      mysql: `UPDATE documents SET data = CONCAT(data, ' ') WHERE id = '${inserted}'`,
      found: { changed: 1 },
      named: [`changed ${inserted}`],
      own: { column: "text" },
    },
    {
      what: "a json text with a space between its values",
      change: `UPDATE documents SET data = replace(data::text, '","', '", "')::json WHERE id = '${inserted}'`,
      mysql: false,
      found: { changed: 1 },
      named: [`changed ${inserted}`],
      own: { column: "json" },
    },
    {
      what: "a column of a row of values",
      change: `UPDATE documents SET field9 = field9 || ' ' WHERE id = '${preloaded}'`,
      mysql: `UPDATE documents SET field9 = CONCAT(field9, ' ') WHERE id = '${preloaded}'`,
      found: { changed: 1 },
      named: [`changed ${preloaded}`],
      own: { column: "relational" },
    },
  ],
};
