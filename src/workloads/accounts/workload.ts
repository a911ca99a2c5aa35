// Accounts: TPC-B as pgbench has it. Each transfer adds to the balance of an account, of a teller and of a branch, so that at a
// small scale all clients want the same row; the variants leave that out.
import type * as z from "zod";
import type { AdminClient } from "../../database/postgres/admin.js";
import { clientsRole } from "../one-group.js";
import { ACCOUNTS, fillTables } from "../pgbench-tables.js";
import type { PreloadInputs, Workload } from "../workload.js";
import { audit, findings, type Preloaded } from "./audit.js";
import { client } from "./client.js";
import { examples } from "./examples.js";
import { dialectProblems, keys, resolve, rules, VIOLATIONS, type Treatment } from "./settings.js";
import { CREATE_TABLES, statementsOf, TABLES, tablesOf, TELLERS } from "./sql.js";

const VARIANT = "workload accounts";

async function preload(
  admin: AdminClient,
  { settings, seed, isWanted }: PreloadInputs<Treatment>,
): Promise<z.infer<typeof Preloaded>> {
  const { branches, tellers, accounts } = tablesOf(settings);
  const { scale } = settings;
  const fills = [
    { table: `${branches} (bid, bbalance, filler)`, row: "n, 0, ''", rows: scale },
    {
      table: `${tellers} (tid, bid, tbalance, filler)`,
      row: `n, (n - 1) / ${TELLERS} + 1, 0, ''`,
      rows: scale * TELLERS,
    },
    {
      table: `${accounts} (aid, bid, abalance, filler)`,
      row: `n, (n - 1) / ${ACCOUNTS} + 1, 0, ''`,
      rows: scale * ACCOUNTS,
    },
  ];
  await fillTables(admin, settings, fills, isWanted);
  return { seed };
}

export const accounts = {
  name: "accounts",
  description: "TPC-B and its variants: transfers that add to balances, so that clients meet at a hot row.",
  operations: { transfer: { verb: "makes", unit: "transfers" } },
  roles: { clients: clientsRole(["transfer"]) },
  settings: { keys, rules, dialectProblems, resolve, hasRole: () => true, examples },
  tables: {
    names: TABLES,
    snapshot: "pgbench_accounts",
    lock: "pgbench_accounts",
    of: () => ({ variant: VARIANT, files: [], statements: CREATE_TABLES }),
    isMarked: (variant) => variant === VARIANT,
  },
  databases: ["PostgreSQL"],
  statements: (settings) => Object.values(statementsOf(settings)),
  client,
  loading: { preload },
  auditing: { one: "transfer", acknowledged: "made", violations: VIOLATIONS, findings, audit },
} as const satisfies Workload<Treatment>;
