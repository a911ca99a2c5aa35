import { APPLICATION_NAME } from "../../../database/contract.js";
import { CLAIM_PURPOSE } from "../../../database/held-claim.js";
import { connectAdmin, type AdminClient } from "../../../database/postgres/admin.js";
import { dialectOf } from "../../../database/postgres/dialects/registry.js";
import { tablesOfSchema } from "../../../database/postgres/namespace/schema-tables.js";
import { inSnapshot, rowPortions } from "../../../database/postgres/namespace/snapshot.js";
import {
  asTransaction,
  commit,
  inReadTransaction,
  rollBack,
} from "../../../database/postgres/transaction.js";
import { withSearchPath } from "../../../database/endpoint.js";
import type { SqlRow } from "../../../database/sql.js";
import { messageOf, UsageError } from "../../../foundation/errors.js";
import { settingLiteralIn } from "../client.js";
import { createdObjectNames, tableNames } from "../made.js";
import { NAMESPACE_PLACEHOLDER, placeText, type Program, type SqlText } from "../program.js";
import { withVariant, type Treatment } from "../settings.js";
import { substituteVariables } from "../sql-text.js";
import { statementsOf } from "../statements.js";
import type { OwnSqlStore, Transactions } from "../store.js";
import type { Migration } from "../migrate-settings.js";
import { migrate, tryOutMigrated } from "./migrate.js";
import { tryOut } from "./try-out.js";

export const TRANSACTIONS: Omit<Transactions, "begin"> = {
  commit,
  rollBack,
  asTransaction: (answer) => asTransaction(answer, (all) => all),
  inReadTransaction,
};

const HELD_LOCKS_QUERY = `SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'advisory' AND granted AND datname = current_database() AND pid <> pg_backend_pid()
    AND (application_name = '${APPLICATION_NAME}' OR application_name LIKE '${APPLICATION_NAME}/%')
    AND application_name NOT LIKE '${APPLICATION_NAME}/${CLAIM_PURPOSE}/%'`;

const schemaOf = ({ dialect, namespace }: Treatment): string => dialectOf(dialect).quoteIdentifier(namespace);

/** A statement of the schema or the preload, with settings and namespace in their places. */
function ddlText(sql: SqlText, settings: Treatment): string {
  return substituteVariables(sql, settingLiteralIn(settings)).replaceAll(
    NAMESPACE_PLACEHOLDER,
    schemaOf(settings),
  );
}

/** Runs `work` in a session whose search path contains the workload's tables. */
async function withSession<T>(
  admin: AdminClient,
  settings: Treatment,
  purpose: string,
  work: (client: AdminClient) => Promise<T>,
): Promise<T> {
  const client = await connectAdmin(withSearchPath(admin.endpoint, schemaOf(settings)), { purpose });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

async function* valuesOf(client: AdminClient, sql: string): AsyncGenerator<string> {
  for await (const rows of rowPortions<SqlRow>(client, sql))
    for (const row of rows) yield String(Object.values(row)[0]);
}

/** @param migration command that makes the tables before `-- schema` runs; undefined if the file makes them */
export function postgres(program: Program, file: string, migration?: Migration): OwnSqlStore {
  return {
    tables(settings) {
      // SET LOCAL if DDL can be in a transaction. Otherwise the setting stays in the session, which is harmless: its
      // later statements name every schema.
      const set = dialectOf(settings.dialect).supportsTransactionalDdl ? "SET LOCAL" : "SET";
      const variant = `sql ${program.name}`;
      if (migration) return { variant, files: [], statements: [], made: [] };
      const { schema, preload } = withVariant(program, settings);
      const placed = schema.map((sql): [string, string] => [
        ddlText(sql, settings),
        placeText(sql.place, file),
      ]);
      return {
        variant,
        files: [],
        statements: [`${set} search_path TO {{namespace}}`, ...placed.map(([text]) => text)],
        made: createdObjectNames([...schema, ...preload]),
        places: new Map(placed),
      };
    },
    statements: () => [...statementsOf(program).values()],
    transactions(settings, endpoints) {
      const { isolation } = settings;
      const dialect = dialectOf(settings.dialect);
      const isFound = endpoints.every(({ searchPath }) => searchPath !== undefined);
      const setUp = isFound ? undefined : `SET LOCAL search_path TO ${schemaOf(settings)}`;
      return {
        ...TRANSACTIONS,
        begin: (isReadOnly) => ({
          begin: dialect.begin(isolation ?? "read committed", isReadOnly ? "READ ONLY" : "READ WRITE"),
          setUp,
          isNeeded: isolation !== undefined,
        }),
      };
    },
    tryOut: (admin: AdminClient, settings) =>
      migration
        ? tryOutMigrated(admin, settings, migration, () =>
            tryOut(withVariant(program, settings), file, admin, settings, settings.namespace),
          )
        : tryOut(withVariant(program, settings), file, admin, settings),
    async fill(admin: AdminClient, settings, inputs) {
      if (migration) await migrate(admin, settings, migration, inputs);
      const { schema, preload } = withVariant(program, settings);
      const sections = { ...(migration && { schema }), preload };
      if (Object.values(sections).every((statements) => statements.length === 0)) return;
      await withSession(admin, settings, "preload", async (client) => {
        for (const [section, statements] of Object.entries(sections))
          for (const sql of statements) {
            if (!inputs.mayContinue()) return;
            await client.query(ddlText(sql, settings)).catch((error: unknown) => {
              const words = `${placeText(sql.place, file)}: ${section}: ${messageOf(error)}`;
              throw new UsageError(words, "Correct the statement.", { cause: error });
            });
          }
        if (preload.length === 0) return;
        const tables = migration ? await tablesOfSchema(client, settings.namespace) : tableNames(schema);
        for (const name of tables) await client.query(`ANALYZE ${name}`);
      });
    },
    ...(migration && {
      listTables: (admin: AdminClient, { namespace }: Treatment) => tablesOfSchema(admin, namespace),
    }),
    async heldLocks(admin: AdminClient, { dialect }) {
      if (dialect !== "postgres") return 0;
      const [row] = await admin.query(HELD_LOCKS_QUERY);
      return Number(row?.["count"] ?? 0);
    },
    scan: (admin: AdminClient, settings, read) =>
      withSession(admin, settings, "audit", (client) =>
        inSnapshot(client, () =>
          read({ rows: (sql) => client.query(sql), values: (sql) => valuesOf(client, sql) }),
        ),
      ),
  };
}
