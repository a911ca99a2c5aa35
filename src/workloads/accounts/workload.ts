// TPC-B as pgbench has it: at a small scale all clients want the same branch; the variants leave that out.
import type * as z from "zod";
import { clientsRole } from "../one-group.js";
import { storeIn } from "../stores.js";
import type { Workload } from "../workload.js";
import { auditOn, findings, type Preloaded } from "./audit.js";
import { clientOn } from "./client.js";
import { examples } from "./examples.js";
import { dialectProblems, keys, resolve, rules, VIOLATIONS, type Treatment } from "./settings.js";
import type { AccountsStore } from "./store.js";
import { postgres } from "./stores/postgres.js";

const stores = { PostgreSQL: postgres };
const storeOf = (settings: Treatment): AccountsStore => storeIn(stores, settings);

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
  stores,
  client: (context) => clientOn(storeOf(context.assignment.settings), context),
  loading: {
    async preload(admin, { settings, seed, isWanted }): Promise<z.infer<typeof Preloaded>> {
      await storeOf(settings).fill(admin, settings, isWanted);
      return { seed };
    },
  },
  auditing: {
    one: "transfer",
    acknowledged: "made",
    violations: VIOLATIONS,
    findings,
    audit: (admin, inputs) => auditOn(storeOf(inputs.settings), admin, inputs),
  },
} as const satisfies Workload<Treatment>;
