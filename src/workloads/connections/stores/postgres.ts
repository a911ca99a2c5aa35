import type { AdminClient } from "../../../database/postgres/admin.js";
import { dialectOf } from "../../../database/postgres/dialects/registry.js";
import { fillTables, insertNumberedRows } from "../../../database/postgres/fill-tables.js";
import { inSnapshot, rowPortions } from "../../../database/postgres/namespace/snapshot.js";
import { asTransaction } from "../../../database/postgres/transaction.js";
import type { Connection, Statement, StatementRow } from "../../../database/sql.js";
import { ACCOUNTS_PER_SCALE } from "../../pgbench-tables.js";
import { INSERTED_NAME, type Treatment } from "../settings.js";
import type { ConnectionsStore } from "../store.js";

const CREATE_TABLES = [
  `CREATE TABLE {{namespace}}.pgbench_accounts (\n  aid int PRIMARY KEY,\n  bid int,\n  abalance int,\n  filler char(84)\n)`,
  `CREATE TABLE {{namespace}}.test_tbl (\n  id bigint,\n  name varchar\n)`,
];

function tablesOf({ dialect, namespace }: Treatment) {
  const schema = dialectOf(dialect).quoteIdentifier(namespace);
  return { accounts: `${schema}.pgbench_accounts`, rows: `${schema}.test_tbl` };
}

function statementsOf(settings: Treatment) {
  const { accounts, rows } = tablesOf(settings);
  return {
    account: { name: "select-account", text: `SELECT abalance FROM ${accounts} WHERE aid = $1` },
    select: { name: "select-1", text: "SELECT 1" },
    insert: { name: "insert", text: `INSERT INTO ${rows} (id, name) VALUES ($1, '${INSERTED_NAME}')` },
  } satisfies Record<string, Statement>;
}

export const postgres: ConnectionsStore = {
  tables: () => ({ variant: "workload connections", files: [], statements: CREATE_TABLES }),
  statements(settings) {
    const { account, select, insert } = statementsOf(settings);
    return [account, settings.script === "insert" ? insert : select];
  },
  operations(settings) {
    const { account, select, insert } = statementsOf(settings);
    const isSimpleProtocol = settings.prepared === "simple";
    // The simple protocol has no parameters, so the number is put into the text, as pgbench does.
    const send = (
      connection: Connection,
      { name, text }: Statement,
      value: number,
    ): Promise<StatementRow[]> =>
      isSimpleProtocol
        ? connection.execute({ name, text: text.replace("$1", String(value)) }, [])
        : connection.execute({ name, text }, [value]);
    return {
      account: (aid) => (connection: Connection) => send(connection, account, aid),
      select: () => (connection: Connection) => connection.execute(select, []),
      insert: (id) => (connection: Connection) =>
        asTransaction(send(connection, insert, id), () => undefined),
    };
  },
  fill(admin: AdminClient, settings, isWanted) {
    const { namespace, scale } = settings;
    const { accounts } = tablesOf(settings);
    const dialect = dialectOf(settings.dialect);
    const rows = {
      into: `${accounts} (aid, bid, abalance, filler)`,
      row: `n, (n - 1) / ${ACCOUNTS_PER_SCALE} + 1, 0, ''`,
      rows: scale * ACCOUNTS_PER_SCALE,
    };
    return fillTables(admin, { namespace, tables: [accounts], dialect }, (session) =>
      insertNumberedRows(session, [rows], isWanted),
    );
  },
  scan: (admin: AdminClient, settings, onRow) =>
    inSnapshot(admin, async () => {
      const text = `SELECT id, name FROM ${tablesOf(settings).rows}`;
      for await (const rows of rowPortions<{ id: unknown; name: unknown }>(admin, text))
        for (const row of rows) onRow(row);
    }),
};
