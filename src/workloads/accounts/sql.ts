// The tables and statements of TPC-B as pgbench has them, in words that every dialect shares: keys are a part of
// CREATE TABLE, there is no fillfactor, and a row of the history has a key that the client makes.
import type { Statement } from "../../database/sql.js";
import { dialectOf } from "../../database/postgres/dialects/registry.js";
import type { Treatment } from "./settings.js";

export const TABLES = ["pgbench_branches", "pgbench_tellers", "pgbench_accounts", "pgbench_history"] as const;
export const TELLERS = 10;

export const CREATE_TABLES = [
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

/** Qualified and quoted. */
export function tablesOf({ dialect, namespace }: Pick<Treatment, "dialect" | "namespace">) {
  const schema = dialectOf(dialect).quoteIdentifier(namespace);
  return {
    branches: `${schema}.pgbench_branches`,
    tellers: `${schema}.pgbench_tellers`,
    accounts: `${schema}.pgbench_accounts`,
    history: `${schema}.pgbench_history`,
  };
}

export function statementsOf(settings: Pick<Treatment, "dialect" | "namespace">) {
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
