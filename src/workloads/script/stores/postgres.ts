import { APPLICATION_NAME } from "../../../database/contract.js";
import { CLAIM_PURPOSE } from "../../../database/held-claim.js";
import { connectAdmin, type AdminClient } from "../../../database/postgres/admin.js";
import { dialectOf } from "../../../database/postgres/dialects/registry.js";
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

export function postgres(program: Program, file: string): OwnSqlStore {
  return {
    tables(settings) {
      // SET LOCAL if DDL can be in a transaction. Otherwise the setting stays in the session, which is harmless: its
      // later statements name every schema.
      const set = dialectOf(settings.dialect).supportsTransactionalDdl ? "SET LOCAL" : "SET";
      const { schema, preload } = withVariant(program, settings);
      const placed = schema.map((sql): [string, string] => [
        ddlText(sql, settings),
        placeText(sql.place, file),
      ]);
      return {
        variant: `sql ${program.name}`,
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
    tryOut: (admin: AdminClient, settings) => tryOut(withVariant(program, settings), file, admin, settings),
    async fill(admin: AdminClient, settings, isWanted) {
      const { schema, preload } = withVariant(program, settings);
      if (preload.length === 0) return;
      await withSession(admin, settings, "preload", async (client) => {
        for (const sql of preload) {
          if (!isWanted()) return;
          await client.query(ddlText(sql, settings)).catch((error: unknown) => {
            const words = `${placeText(sql.place, file)}: preload: ${messageOf(error)}`;
            throw new UsageError(words, "Correct the statement.", { cause: error });
          });
        }
        for (const name of tableNames(schema)) await client.query(`ANALYZE ${name}`);
      });
    },
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
