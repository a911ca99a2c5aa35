// Balances held to the history, row by row: each account, teller and branch of the preload is there once, and its balance is
// the sum of the amounts of its transfers.
import type { SqlClient } from "../../database/postgres/admin.js";
import { counted } from "../../foundation/units.js";
import { NAMED_PER_KIND, type Findings } from "../findings.js";
import { ACCOUNTS } from "../pgbench-tables.js";
import type { Treatment, Violation } from "./settings.js";
import { tablesOf, TELLERS } from "./sql.js";

interface Balances {
  readonly one: string;
  readonly many: string;
  readonly table: string;
  readonly key: string;
  readonly balance: string;
  readonly rows: number;
  /** What a transfer adds, over the columns of the history. */
  readonly added: string;
}

interface WrongBalance {
  readonly id: number | null;
  readonly isDue: boolean | null;
  readonly copies: number | null;
  readonly balance: unknown;
  readonly added: unknown;
  readonly total: number;
}

function balancesOf(settings: Treatment): Balances[] {
  const { accounts, tellers, branches } = tablesOf(settings);
  const { scale } = settings;
  const added = settings.variant === "aggregates" ? "delta" : "0";
  return [
    {
      ...{ one: "account", many: "accounts", table: accounts, key: "aid", balance: "abalance" },
      ...{ rows: scale * ACCOUNTS, added: "delta" },
    },
    {
      ...{ one: "teller", many: "tellers", table: tellers, key: "tid", balance: "tbalance" },
      ...{ rows: scale * TELLERS, added },
    },
    {
      ...{ one: "branch", many: "branches", table: branches, key: "bid", balance: "bbalance" },
      ...{ rows: scale, added },
    },
  ];
}

/** The first rows that are wrong, and how many there are. */
const wrongQuery = (history: string, { table, key, balance, rows, added }: Balances): string =>
  `WITH due AS (SELECT n AS id, true AS is_due FROM generate_series(1, ${rows}) AS n),
  present AS (SELECT ${key} AS id, count(*) AS copies, sum(${balance}) AS balance FROM ${table} GROUP BY ${key}),
  booked AS (SELECT ${key} AS id, sum(${added}) AS added FROM ${history} GROUP BY ${key})
SELECT id, is_due AS "isDue", copies, balance, coalesce(added, 0) AS added, count(*) OVER () AS total
FROM due FULL JOIN present USING (id) FULL JOIN booked USING (id)
WHERE is_due IS NULL OR copies IS DISTINCT FROM 1 OR balance IS DISTINCT FROM coalesce(added, 0)
ORDER BY id LIMIT ${NAMED_PER_KIND}`;

function wordsOf({ isDue, copies, balance, added }: WrongBalance): string {
  if (copies === null) return `not there; its transfers add up to ${String(added)}`;
  if (isDue === null) return "there, and not of the preload";
  if (copies > 1) return `there ${copies} times`;
  return `balance ${String(balance)} instead of ${String(added)}`;
}

/** Counts and names what is wrong; returns a sentence for each table with wrong rows. */
export async function auditBalances(
  client: SqlClient,
  settings: Treatment,
  found: Findings<Violation>,
): Promise<string[]> {
  const { history } = tablesOf(settings);
  const violations: string[] = [];
  for (const balances of balancesOf(settings)) {
    const rows = (await client.query(wrongQuery(history, balances))) as unknown as WrongBalance[];
    const [{ total } = { total: 0 }] = rows;
    for (const row of rows) found.name("unbalanced", `${balances.one} ${String(row.id)}`, wordsOf(row));
    found.counts.unbalanced += total;
    if (total > 0)
      violations.push(
        `${counted(total, balances.one, balances.many)} missing, added, or with another balance than the sum of its transfers`,
      );
  }
  return violations;
}
