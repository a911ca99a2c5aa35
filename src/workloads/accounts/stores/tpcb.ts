// The transfer and the tables of TPC-B, which stores of SQL databases share. Each store writes the SQL.
import type { SqlSession, Statement } from "../../../database/sql.js";
import { ACCOUNTS_PER_SCALE, TELLERS_PER_SCALE } from "../../pgbench-tables.js";
import type { Treatment } from "../settings.js";
import type { AccountsOperations, TableWrongBalances } from "../store.js";

export interface TableNames {
  readonly branches: string;
  readonly tellers: string;
  readonly accounts: string;
  readonly history: string;
}

/** Qualified names of the tables; `schema` is quoted. */
export const tableNames = (schema: string): TableNames => ({
  branches: `${schema}.pgbench_branches`,
  tellers: `${schema}.pgbench_tellers`,
  accounts: `${schema}.pgbench_accounts`,
  history: `${schema}.pgbench_history`,
});

type StatementName =
  | "addToAccount"
  | "readAccount"
  | "addToTeller"
  | "readTeller"
  | "addToBranch"
  | "readBranch"
  | "addToHistory"
  | "isInHistory";

/** Runs a transaction on a session of the store's database. */
interface Runner {
  run(session: SqlSession, body: () => Promise<true>): Promise<true>;
}

export function transferOperations(
  variant: Treatment["variant"],
  statements: Readonly<Record<StatementName, Statement>>,
  transaction: Runner,
): AccountsOperations {
  return {
    transfer({ id, aid, tid, bid, delta }) {
      return (session: SqlSession) =>
        transaction.run(session, async () => {
          await session.execute(statements.addToAccount, [delta, aid]);
          await session.execute(statements.readAccount, [aid]);
          if (variant === "aggregates") {
            await session.execute(statements.addToTeller, [delta, tid]);
            await session.execute(statements.addToBranch, [delta, bid]);
          }
          if (variant === "reads") {
            await session.execute(statements.readTeller, [tid]);
            await session.execute(statements.readBranch, [bid]);
          }
          await session.execute(statements.addToHistory, [id, tid, bid, aid, delta]);
          return true;
        });
    },
    isMade({ id }) {
      return async (session: SqlSession) => (await session.execute(statements.isInHistory, [id])).length > 0;
    },
  };
}

export interface BalanceTable extends Pick<TableWrongBalances, "one"> {
  readonly table: string;
  readonly key: string;
  readonly balance: string;
  readonly rows: number;
  /** SQL of the amount that a row of the history adds to the balance. */
  readonly added: string;
}

export function balanceTablesOf(
  { accounts: table, tellers, branches }: TableNames,
  { scale, variant }: Treatment,
): BalanceTable[] {
  const added = variant === "aggregates" ? "delta" : "0";
  const [accountRows, tellerRows] = [scale * ACCOUNTS_PER_SCALE, scale * TELLERS_PER_SCALE];
  return [
    { one: "account", table, key: "aid", balance: "abalance", rows: accountRows, added: "delta" },
    { one: "teller", table: tellers, key: "tid", balance: "tbalance", rows: tellerRows, added },
    { one: "branch", table: branches, key: "bid", balance: "bbalance", rows: scale, added },
  ];
}
