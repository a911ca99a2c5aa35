// A stream of call records, put in batch by batch into a table that is queried while it grows.
import type * as z from "zod";
import { supportsDialect } from "../stores.js";
import type { Workload } from "../workload.js";
import { audit, findings, SIZES, VIOLATIONS, type Preloaded } from "./audit.js";
import { client } from "./client.js";
import { examples } from "./examples.js";
import { asksProbe, keys, PROBES, resolve, rules, type Treatment } from "./settings.js";
import type { CallsStore } from "./store.js";
import { postgres } from "./stores/postgres.js";

const stores = { PostgreSQL: postgres };

const query = { verb: "runs", unit: "queries" };

export const calls = {
  name: "calls",
  description: "Call records, loaded in batches by the hour of a day, and queries of the growing table.",
  operations: {
    load: { verb: "loads", unit: "calls" },
    lastHour: query,
    byCaller: query,
    byTower: query,
    topTowers: query,
    byPlan: query,
  },
  roles: {
    loaders: {
      purpose: "Clients that load batches of calls. false leaves them out.",
      clients: 1,
      hasBatches: true,
      operations: ["load"],
      arrivals: ["load"],
      isSearched: true,
    },
    probes: {
      purpose: "Clients that query the calls, one query after the other. false leaves them out.",
      clients: 1,
      thinkTimeMs: 1000,
      operations: PROBES,
      arrivals: PROBES,
    },
  },
  performs(operation, settings) {
    return asksProbe(operation, settings);
  },
  settings: {
    keys,
    rules,
    dialectProblems(name) {
      if (supportsDialect(stores, name)) return [];
      const message = `workload calls is made for ${postgres.dialects?.join(" and ")}, not ${name}`;
      return [{ path: ["workload"], message }];
    },
    resolve,
    examples,
  },
  tables: {
    names: ["cell_towers", "rate_plans", "termination_reasons", "cdr"],
    snapshot: "cdr",
    lock: "cdr",
    mark: "calls ",
  },
  stores,
  client,
  loading: {
    async preload(
      store: CallsStore,
      admin,
      { settings, seed, mayContinue },
    ): Promise<z.infer<typeof Preloaded>> {
      return { seed, ...(await store.fill(admin, settings, seed, mayContinue)) };
    },
  },
  auditing: {
    one: "call",
    acknowledged: "loaded",
    violations: VIOLATIONS,
    findings,
    sizes: SIZES,
    audit,
  },
  reporting: {
    factors: { indexes: ["size.indexBytes"], ingest: ["wal.bytes"], commit: ["wal.bytes"] },
  },
} as const satisfies Workload<Treatment>;
