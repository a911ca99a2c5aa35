// TPC-B as pgbench has it, with a key in each row of the history.
import type { MySqlAdmin } from "../../../database/mysql/admin.js";
import { quoteIdentifier } from "../../../database/mysql/quoting.js";
import type { MySqlSession } from "../../../database/mysql/session.js";
import { openSnapshot } from "../../../database/mysql/snapshot.js";
import { beginText, inTransaction } from "../../../database/mysql/transaction.js";
import type { Statement } from "../../../database/sql.js";
import { NAMED_FINDINGS_PER_KIND } from "../../findings.js";
import { ACCOUNTS_PER_SCALE, TELLERS_PER_SCALE } from "../../pgbench-tables.js";
import type { Treatment } from "../settings.js";
import type { AccountsStore, TableWrongBalances, WrongBalance } from "../store.js";
import { balanceTablesOf, tableNames, transferOperations, type BalanceTable } from "./tpcb.js";

/** Rows that one statement of the preload adds. */
const PORTION_ROWS = 10_000;

const CREATE_TABLES = [
  "CREATE TABLE {{namespace}}.pgbench_branches (\n  bid int PRIMARY KEY,\n  bbalance int,\n  filler char(88)\n) ENGINE = InnoDB",
  "CREATE TABLE {{namespace}}.pgbench_tellers (\n  tid int PRIMARY KEY,\n  bid int,\n  tbalance int,\n  filler char(84)\n) ENGINE = InnoDB",
  "CREATE TABLE {{namespace}}.pgbench_accounts (\n  aid int PRIMARY KEY,\n  bid int,\n  abalance int,\n  filler char(84)\n) ENGINE = InnoDB",
  `CREATE TABLE {{namespace}}.pgbench_history (
  id char(36) CHARACTER SET ascii PRIMARY KEY,
  tid int,
  bid int,
  aid int,
  delta int,
  mtime timestamp(6) NULL,
  filler char(22)
) ENGINE = InnoDB`,
];

const tablesOf = ({ namespace }: Pick<Treatment, "namespace">) => tableNames(quoteIdentifier(namespace));

function statementsOf(settings: Treatment) {
  const { branches, tellers, accounts, history } = tablesOf(settings);
  return {
    addToAccount: {
      name: "transfer.account",
      text: `UPDATE ${accounts} SET abalance = abalance + ? WHERE aid = ?`,
    },
    readAccount: { name: "transfer.balance", text: `SELECT abalance FROM ${accounts} WHERE aid = ?` },
    addToTeller: {
      name: "transfer.teller",
      text: `UPDATE ${tellers} SET tbalance = tbalance + ? WHERE tid = ?`,
    },
    readTeller: { name: "transfer.teller-balance", text: `SELECT tbalance FROM ${tellers} WHERE tid = ?` },
    addToBranch: {
      name: "transfer.branch",
      text: `UPDATE ${branches} SET bbalance = bbalance + ? WHERE bid = ?`,
    },
    readBranch: { name: "transfer.branch-balance", text: `SELECT bbalance FROM ${branches} WHERE bid = ?` },
    addToHistory: {
      name: "transfer.history",
      text: `INSERT INTO ${history} (id, tid, bid, aid, delta, mtime) VALUES (?, ?, ?, ?, ?, CURRENT_TIMESTAMP(6))`,
    },
    isInHistory: { name: "transfer.settle", text: `SELECT 1 FROM ${history} WHERE id = ?` },
  } satisfies Record<string, Statement>;
}

/** SQL of `count` numbers after `before` as column `n`. It needs no table and no recursion, which has a limit. */
function numbersSql(count: number, before = 0): string {
  const digits = Array.from({ length: 10 }, (_, digit) => `SELECT ${digit} AS d`).join(" UNION ALL ");
  const places = Array.from({ length: String(count - 1).length }, (_, place) => place);
  const sum = places.map((place) => `t${place}.d * ${10 ** place}`).join(" + ");
  const tables = places.map((place) => `digits AS t${place}`).join(", ");
  return `WITH digits AS (${digits}), numbers AS (SELECT ${sum} AS n FROM ${tables})
  SELECT n + ${before + 1} AS n FROM numbers WHERE n < ${count}`;
}

/** Query for the first wrong rows of a table of balances. Each row has the number of all wrong rows, too. */
const wrongBalancesQuery = (history: string, { table, key, balance, rows, added }: BalanceTable): string =>
  `WITH facts (id, is_due, copies, balance, added) AS (
  SELECT n, 1, NULL, NULL, NULL FROM (${numbersSql(rows)}) AS due
  UNION ALL SELECT ${key}, NULL, count(*), sum(${balance}), NULL FROM ${table} GROUP BY ${key}
  UNION ALL SELECT ${key}, NULL, NULL, NULL, sum(${added}) FROM ${history} GROUP BY ${key}
), joined AS (
  SELECT id, max(is_due) AS isDue, max(copies) AS copies, max(balance) AS balance, coalesce(max(added), 0) AS added
  FROM facts GROUP BY id
)
SELECT id, isDue, copies, balance, added, count(*) OVER () AS total FROM joined
WHERE isDue IS NULL OR NOT copies <=> 1 OR NOT balance <=> added
ORDER BY id LIMIT ${NAMED_FINDINGS_PER_KIND}`;

export const mysql: AccountsStore = {
  tables: () => ({ variant: "workload accounts", statements: CREATE_TABLES }),
  statements: (settings) => Object.values(statementsOf(settings)),
  operations(settings) {
    const { variant, isolation } = settings;
    const statements = statementsOf(settings);
    const begin = beginText(isolation, "READ WRITE");
    return transferOperations(variant, statements, {
      run: (session: MySqlSession, body) => inTransaction(session, begin, body),
    });
  },
  async fill(admin: MySqlAdmin, { namespace, scale }, isWanted) {
    const { branches, tellers, accounts } = tablesOf({ namespace });
    const tables = [
      { into: `${branches} (bid, bbalance, filler)`, row: "n, 0, ''", rows: scale },
      {
        into: `${tellers} (tid, bid, tbalance, filler)`,
        row: `n, (n - 1) DIV ${TELLERS_PER_SCALE} + 1, 0, ''`,
        rows: scale * TELLERS_PER_SCALE,
      },
      {
        into: `${accounts} (aid, bid, abalance, filler)`,
        row: `n, (n - 1) DIV ${ACCOUNTS_PER_SCALE} + 1, 0, ''`,
        rows: scale * ACCOUNTS_PER_SCALE,
      },
    ];
    for (const { into, row, rows } of tables)
      for (let before = 0; before < rows && isWanted(); before += PORTION_ROWS) {
        const numbers = numbersSql(Math.min(PORTION_ROWS, rows - before), before);
        await admin.query(`INSERT INTO ${into} SELECT ${row} FROM (${numbers}) AS numbered`);
      }
    await admin.query(`ANALYZE TABLE ${[branches, tellers, accounts].join(", ")}`);
  },
  async scan(admin: MySqlAdmin, settings, onRow) {
    const tables = tablesOf(settings);
    const snapshot = await openSnapshot(admin.endpoint);
    try {
      for await (const row of snapshot.rows(`SELECT id, tid, bid, aid, delta FROM ${tables.history}`))
        onRow(row);
      const wrongBalances: TableWrongBalances[] = [];
      for (const balances of balanceTablesOf(tables, settings)) {
        const named = await snapshot.query(wrongBalancesQuery(tables.history, balances));
        const total = Number(named[0]?.["total"] ?? 0);
        wrongBalances.push({ one: balances.one, total, named: named as unknown as WrongBalance[] });
      }
      return wrongBalances;
    } finally {
      await snapshot.close();
    }
  },
};
