// Changes that the audits of workloads other than train-events must find, in short runs of the built program: a stranger
// changes the tables during the load, or transactions of the program's clients differ from their booked operation.
import { afterAll, beforeAll, inject } from "vitest";
import { connectAdmin, type AdminClient } from "../../src/database/postgres/admin.js";
import { testNamespace } from "../support/namespace.js";
import { FAMILY_CHANGES, type Family } from "./code-changes.js";
import { mutant, type MutantTraits } from "./mutant.js";
import { LOAD, mutatedProgram, startScenario, verdictOf } from "./program.js";
import { untilDone } from "./stranger.js";

const RUN_MS = 90_000;
const namespace = testNamespace("families");

let stranger: AdminClient;
beforeAll(async () => {
  stranger = await connectAdmin(inject("adminEndpoint"), { purpose: "stranger" });
});
afterAll(() => stranger.close());

const CLIENTS = `actors: { clients: { ${LOAD} } }`;
const KEYS: Readonly<Record<Family, string>> = {
  accounts: CLIENTS,
  connections: CLIENTS,
  documents: `column: jsonb
index: btree-id
documents: 50
mix: { read: 1, insert: 2, update: 2, slice: 0 }
${CLIENTS}`,
  calls: `batchesPerDay: 100
sizes: { small: 4, medium: 20, large: 30 }
actors: { loaders: { ${LOAD} } }`,
};
const keysOf = (family: Family): string => `workload: ${family}\n${KEYS[family]}`;

function outside(family: Family, change: string, statement: string, traits: MutantTraits = {}): void {
  const plant = async () => {
    const run = startScenario(keysOf(family), { namespace, seconds: 4 });
    await untilDone(stranger, `SET search_path TO ${namespace}; ${statement}`, run.ended);
    return verdictOf(run);
  };
  mutant("outside", change, plant, { ...traits, family, timeoutMs: RUN_MS });
}

for (const [family, change, replacement, traits] of FAMILY_CHANGES) {
  const plant = async () => {
    const main = mutatedProgram(replacement);
    return verdictOf(startScenario(keysOf(family), { namespace, seconds: 1, main }));
  };
  mutant("code", change, plant, { ...traits, family, timeoutMs: RUN_MS });
}

const FIRST = "(SELECT min(id::text)::uuid FROM pgbench_history)";

outside(
  "accounts",
  "a transfer gets another id",
  `UPDATE pgbench_history SET id = gen_random_uuid() WHERE id = ${FIRST} RETURNING id`,
  { as: "lost" },
);
outside(
  "accounts",
  "two transfers exchange amounts",
  `UPDATE pgbench_history AS h SET delta = ends.low + ends.high - h.delta
   FROM (SELECT min(delta) AS low, max(delta) AS high FROM pgbench_history) AS ends
   WHERE h.delta IN (ends.low, ends.high) AND ends.low < ends.high RETURNING h.id`,
  { as: "changed" },
);
outside(
  "accounts",
  "a transfer changes its account",
  `UPDATE pgbench_history SET aid = aid % 100000 + 1 WHERE id = ${FIRST} RETURNING id`,
  { as: "changed" },
);
outside(
  "accounts",
  "a transfer is duplicated",
  `ALTER TABLE pgbench_history DROP CONSTRAINT IF EXISTS pgbench_history_pkey;
   INSERT INTO pgbench_history SELECT * FROM pgbench_history LIMIT 1 RETURNING id`,
  { as: "duplicated" },
);
outside(
  "accounts",
  "a transfer is added with its amounts",
  `WITH added AS (INSERT INTO pgbench_history (id, tid, bid, aid, delta)
     SELECT gen_random_uuid(), 1, 1, 1, 5 FROM pgbench_history LIMIT 1 RETURNING delta),
   branches AS (UPDATE pgbench_branches SET bbalance = bbalance + delta FROM added WHERE bid = 1),
   tellers AS (UPDATE pgbench_tellers SET tbalance = tbalance + delta FROM added WHERE tid = 1)
   UPDATE pgbench_accounts SET abalance = abalance + delta FROM added WHERE aid = 1 RETURNING aid`,
  { as: "unexpected" },
);
outside(
  "accounts",
  "a transfer is undone",
  `WITH undone AS (DELETE FROM pgbench_history WHERE id = ${FIRST} RETURNING *),
   branches AS (UPDATE pgbench_branches AS b SET bbalance = bbalance - delta FROM undone WHERE b.bid = undone.bid),
   tellers AS (UPDATE pgbench_tellers AS t SET tbalance = tbalance - delta FROM undone WHERE t.tid = undone.tid)
   UPDATE pgbench_accounts AS a SET abalance = abalance - delta FROM undone WHERE a.aid = undone.aid RETURNING a.aid`,
  { as: "lost" },
);
outside(
  "accounts",
  "money is moved between two accounts",
  `UPDATE pgbench_accounts SET abalance = abalance + CASE aid WHEN 1 THEN 5 ELSE -5 END
   WHERE aid IN (1, 2) AND EXISTS (SELECT FROM pgbench_history) RETURNING aid`,
  { as: "unbalanced" },
);
outside(
  "accounts",
  "an account is deleted",
  `DELETE FROM pgbench_accounts WHERE aid = (SELECT max(aid) FROM pgbench_accounts)
   AND EXISTS (SELECT FROM pgbench_history) RETURNING aid`,
  { as: "unbalanced" },
);
outside(
  "accounts",
  "an account is added",
  "INSERT INTO pgbench_accounts SELECT 100001, 1, 0 FROM pgbench_history LIMIT 1 RETURNING aid",
  { as: "unbalanced" },
);
outside(
  "accounts",
  "a column of the history becomes text",
  `ALTER TABLE pgbench_history ALTER COLUMN delta TYPE text;
   SELECT id FROM pgbench_history LIMIT 1`,
);
outside(
  "accounts",
  "a transfer was made at another moment",
  `UPDATE pgbench_history SET mtime = mtime - interval '1 h' WHERE id = ${FIRST} RETURNING id`,
  { missed: "the server sets mtime, and nothing else knows it" },
);

outside(
  "connections",
  "a row is deleted and another inserted",
  `WITH gone AS (DELETE FROM test_tbl WHERE id = (SELECT min(id) FROM test_tbl) RETURNING *)
   INSERT INTO test_tbl SELECT id + 5000000000, name FROM gone RETURNING id`,
  { as: "lost" },
);
outside(
  "connections",
  "a row is duplicated",
  "INSERT INTO test_tbl SELECT * FROM test_tbl LIMIT 1 RETURNING id",
  { as: "duplicated" },
);
outside(
  "connections",
  "a row gets another name",
  "UPDATE test_tbl SET name = upper(name) WHERE id = (SELECT min(id) FROM test_tbl) RETURNING id",
  { as: "changed" },
);
outside(
  "connections",
  "an account gets money",
  `UPDATE pgbench_accounts SET abalance = 5 WHERE aid = 1 AND EXISTS (SELECT FROM test_tbl) RETURNING aid`,
  { missed: "no statement of the workload changes accounts, and the audit does not read them" },
);

const INSERTED = "(SELECT id FROM documents WHERE id LIKE 'c%' LIMIT 1)";

outside(
  "documents",
  "a document gets another id",
  `UPDATE documents SET id = 'y' WHERE id = ${INSERTED} RETURNING id`,
  { as: "lost" },
);
outside(
  "documents",
  "a document gets another value",
  `UPDATE documents SET data = jsonb_set(data, '{field7}', '"x"') WHERE id = ${INSERTED} RETURNING id`,
  { as: "changed" },
);
outside(
  "calls",
  "a call is moved by a microsecond",
  `UPDATE cdr SET call_timestamp = call_timestamp + interval '1 microsecond'
   WHERE call_id = (SELECT call_id FROM cdr LIMIT 1) RETURNING call_id`,
  { as: "damaged" },
);
outside(
  "calls",
  "a rate plan gets another name",
  `UPDATE rate_plans SET plan_name = 'none' WHERE rate_plan_id = 3 AND EXISTS (SELECT FROM cdr) RETURNING rate_plan_id`,
  { as: "damaged" },
);
