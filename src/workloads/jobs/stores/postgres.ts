// The tables of bystanders and callers, and a view of the jobs, whose tables belong to the queue.
import type { AdminClient } from "../../../database/postgres/admin.js";
import { dialectOf } from "../../../database/postgres/dialects/registry.js";
import { inSnapshot, rowPortions } from "../../../database/postgres/namespace/snapshot.js";
import { asTransaction } from "../../../database/postgres/transaction.js";
import type { Connection } from "../../../database/sql.js";
import { BYSTANDERS, type Treatment } from "../settings.js";
import type { JobsStore, StoredJob } from "../store.js";

const CREATE_TABLES = [
  "CREATE TABLE {{namespace}}.bystanders (\n  id int PRIMARY KEY,\n  n bigint NOT NULL DEFAULT 0\n) WITH (fillfactor = 50)",
  "CREATE TABLE {{namespace}}.callers (\n  id text PRIMARY KEY\n)",
];

const schemaOf = ({ dialect, namespace }: Treatment): string => dialectOf(dialect).quoteIdentifier(namespace);
const viewOf = (settings: Treatment): string => `${schemaOf(settings)}.queue_jobs`;

const bystand = (settings: Treatment) => ({
  name: "bystand",
  text: `UPDATE ${schemaOf(settings)}.bystanders SET n = n + 1 WHERE id = $1`,
});

export const postgres: JobsStore = {
  dialects: ["postgres"],
  tables: () => ({ variant: "workload jobs", files: [], statements: CREATE_TABLES, made: [] }),
  statements: (settings) => [bystand(settings)],
  operations(settings) {
    const statement = bystand(settings);
    return {
      bystand: (id) => (connection: Connection) =>
        asTransaction(connection.execute(statement, [id]), () => true as const),
    };
  },
  async fill(admin: AdminClient, settings) {
    await admin.query(
      `INSERT INTO ${schemaOf(settings)}.bystanders (id) SELECT n FROM generate_series(1, ${BYSTANDERS}) AS n`,
    );
  },
  async showJobs(admin: AdminClient, settings, query) {
    await admin.query(
      `CREATE VIEW ${viewOf(settings)} AS SELECT id::text AS id, state::text AS state, payload::text AS payload FROM (${query}) AS jobs`,
    );
  },
  async isEmpty(admin: AdminClient, settings) {
    const [row] = await admin.query(
      `SELECT NOT EXISTS (SELECT FROM ${viewOf(settings)} WHERE state IN ('waiting', 'running')) AS empty`,
    );
    return row?.["empty"] === true;
  },
  scan: (admin: AdminClient, settings, onJob) =>
    inSnapshot(admin, async () => {
      const text = `SELECT id, state, payload FROM ${viewOf(settings)}`;
      for await (const rows of rowPortions<StoredJob>(admin, text)) for (const row of rows) onJob(row);
    }),
};
