// TPC-B as in pgbench: at a small scale all clients want the same branch; the variants avoid that.
import type * as z from "zod";
import { clientsRole } from "../one-role.js";
import type { Workload } from "../workload.js";
import { audit, findings, type Preloaded } from "./audit.js";
import { client } from "./client.js";
import { examples } from "./examples.js";
import { dialectProblems, keys, resolve, rules, VIOLATIONS, type Treatment } from "./settings.js";
import type { AccountsStore } from "./store.js";
import { mysql } from "./stores/mysql.js";
import { postgres } from "./stores/postgres.js";

export const accounts = {
  name: "accounts",
  description: "TPC-B and its variants: transfers that add to balances, so that clients meet at a hot row.",
  operations: { transfer: { verb: "makes", unit: "transfers" } },
  roles: { clients: clientsRole(["transfer"]) },
  settings: { keys, rules, dialectProblems, resolve, examples },
  tables: {
    names: ["pgbench_branches", "pgbench_tellers", "pgbench_accounts", "pgbench_history"],
    snapshot: "pgbench_accounts",
    lock: "pgbench_accounts",
    mark: "workload accounts",
  },
  stores: { PostgreSQL: postgres, MySQL: mysql },
  client,
  loading: {
    async preload(
      store: AccountsStore,
      admin,
      { settings, seed, mayContinue },
    ): Promise<z.infer<typeof Preloaded>> {
      await store.fill(admin, settings, mayContinue);
      return { seed };
    },
  },
  auditing: {
    one: "transfer",
    acknowledged: "made",
    violations: VIOLATIONS,
    findings,
    audit,
  },
} as const satisfies Workload<Treatment>;
