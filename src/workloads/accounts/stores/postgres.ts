// TPC-B as pgbench has it, in SQL of every dialect: no fillfactor, and a key in each row of the history.
import type { AdminClient } from "../../../database/postgres/admin.js";
import { dialectOf } from "../../../database/postgres/dialects/registry.js";
import { fillTables, insertNumberedRows } from "../../../database/postgres/fill-tables.js";
import { inSnapshot, rowPortions } from "../../../database/postgres/namespace/snapshot.js";
import { inTransaction } from "../../../database/postgres/transaction.js";
import type { Connection, Statement } from "../../../database/sql.js";
import { NAMED_FINDINGS_PER_KIND } from "../../findings.js";
import { ACCOUNTS_PER_SCALE, TELLERS_PER_SCALE } from "../../pgbench-tables.js";
import type { HistoryRow } from "../history.js";
import type { Treatment } from "../settings.js";
import type { AccountsStore, TableWrongBalances, WrongBalance } from "../store.js";
import { balanceTablesOf, tableNames, transferOperations, type BalanceTable } from "./tpcb.js";

const CREATE_TABLES = [
  "CREATE TABLE {{namespace}}.pgbench_branches (\n  bid int PRIMARY KEY,\n  bbalance int,\n  filler char(88)\n)",
  "CREATE TABLE {{namespace}}.pgbench_tellers (\n  tid int PRIMARY KEY,\n  bid int,\n  tbalance int,\n  filler char(84)\n)",
  "CREATE TABLE {{namespace}}.pgbench_accounts (\n  aid int PRIMARY KEY,\n  bid int,\n  abalance int,\n  filler char(84)\n)",
  `CREATE TABLE {{namespace}}.pgbench_history (
  id uuid PRIMARY KEY,
  tid int,
  bid int,
  aid int,
  delta int,
  mtime timestamp,
  filler char(22)
)`,
];

const tablesOf = ({ dialect, namespace }: Pick<Treatment, "dialect" | "namespace">) =>
  tableNames(dialectOf(dialect).quoteIdentifier(namespace));

function statementsOf(settings: Treatment) {
  const { branches, tellers, accounts, history } = tablesOf(settings);
  return {
    addToAccount: {
      name: "transfer.account",
      text: `UPDATE ${accounts} SET abalance = abalance + $1 WHERE aid = $2`,
    },
    readAccount: { name: "transfer.balance", text: `SELECT abalance FROM ${accounts} WHERE aid = $1` },
    addToTeller: {
      name: "transfer.teller",
      text: `UPDATE ${tellers} SET tbalance = tbalance + $1 WHERE tid = $2`,
    },
    readTeller: { name: "transfer.teller-balance", text: `SELECT tbalance FROM ${tellers} WHERE tid = $1` },
    addToBranch: {
      name: "transfer.branch",
      text: `UPDATE ${branches} SET bbalance = bbalance + $1 WHERE bid = $2`,
    },
    readBranch: { name: "transfer.branch-balance", text: `SELECT bbalance FROM ${branches} WHERE bid = $1` },
    addToHistory: {
      name: "transfer.history",
      text: `INSERT INTO ${history} (id, tid, bid, aid, delta, mtime)
VALUES ($1, $2, $3, $4, $5, CURRENT_TIMESTAMP)`,
    },
    isInHistory: { name: "transfer.settle", text: `SELECT 1 FROM ${history} WHERE id = $1` },
  } satisfies Record<string, Statement>;
}

const wrongBalancesQuery = (history: string, { table, key, balance, rows, added }: BalanceTable): string =>
  `WITH due AS (SELECT n AS id, true AS is_due FROM generate_series(1, ${rows}) AS n),
  present AS (SELECT ${key} AS id, count(*) AS copies, sum(${balance}) AS balance FROM ${table} GROUP BY ${key}),
  booked AS (SELECT ${key} AS id, sum(${added}) AS added FROM ${history} GROUP BY ${key})
SELECT id, is_due AS "isDue", copies, balance, coalesce(added, 0) AS added, count(*) OVER () AS total
FROM due FULL JOIN present USING (id) FULL JOIN booked USING (id)
WHERE is_due IS NULL OR copies IS DISTINCT FROM 1 OR balance IS DISTINCT FROM coalesce(added, 0)
ORDER BY id LIMIT ${NAMED_FINDINGS_PER_KIND}`;

export const postgres: AccountsStore = {
  tables: () => ({ variant: "workload accounts", files: [], statements: CREATE_TABLES }),
  statements: (settings) => Object.values(statementsOf(settings)),
  operations(settings) {
    const { variant } = settings;
    const statements = statementsOf(settings);
    const begin = dialectOf(settings.dialect).begin(settings.isolation, "READ WRITE");
    return transferOperations(variant, statements, {
      run: (session: Connection, body) => inTransaction(session, begin, body),
    });
  },
  fill(admin: AdminClient, settings, isWanted) {
    const { namespace, scale } = settings;
    const { branches, tellers, accounts } = tablesOf(settings);
    const tables = [branches, tellers, accounts];
    return fillTables(admin, { namespace, tables, dialect: dialectOf(settings.dialect) }, (session) =>
      insertNumberedRows(
        session,
        [
          { into: `${branches} (bid, bbalance, filler)`, row: "n, 0, ''", rows: scale },
          {
            into: `${tellers} (tid, bid, tbalance, filler)`,
            row: `n, (n - 1) / ${TELLERS_PER_SCALE} + 1, 0, ''`,
            rows: scale * TELLERS_PER_SCALE,
          },
          {
            into: `${accounts} (aid, bid, abalance, filler)`,
            row: `n, (n - 1) / ${ACCOUNTS_PER_SCALE} + 1, 0, ''`,
            rows: scale * ACCOUNTS_PER_SCALE,
          },
        ],
        isWanted,
      ),
    );
  },
  scan(admin: AdminClient, settings, onRow) {
    const tables = tablesOf(settings);
    return inSnapshot(admin, async () => {
      const text = `SELECT id, tid, bid, aid, delta FROM ${tables.history}`;
      for await (const rows of rowPortions<HistoryRow>(admin, text)) for (const row of rows) onRow(row);
      const wrongBalances: TableWrongBalances[] = [];
      for (const balances of balanceTablesOf(tables, settings)) {
        const rows = await admin.query(wrongBalancesQuery(tables.history, balances));
        const total = Number(rows[0]?.["total"] ?? 0);
        wrongBalances.push({ one: balances.one, total, named: rows as unknown as WrongBalance[] });
      }
      return wrongBalances;
    });
  },
};
