// Calls: a stream of call records, put in batch by batch into a table that is asked while it grows: what storage, indexes, the
// way of insertion and the size of a transaction cost.
import type { Workload } from "../workload.js";
import { audit, findings, VIOLATIONS } from "./audit.js";
import { client, PROBES } from "./client.js";
import { examples } from "./examples.js";
import { preload } from "./preload.js";
import { dialectProblems, keys, resolve, rules, type Treatment } from "./settings.js";
import { statementsOf } from "./statements.js";
import { createTables, TABLES } from "./tables.js";

const query = { verb: "runs", unit: "queries" };

export const calls = {
  name: "calls",
  description: "Call records, loaded in batches by the hour of a day, and four queries of the growing table.",
  operations: {
    load: { verb: "loads", unit: "calls" },
    lastHour: query,
    byCaller: query,
    byTower: query,
    topTowers: query,
  },
  roles: {
    loaders: {
      purpose: "Clients that load batches of calls. false leaves them out.",
      ...{ clients: 1, thinkTimeMs: 0, isByDefault: true, hasBatches: true, drains: false },
      ...{ operations: ["load"], arrivals: ["load"], isSearched: true },
    },
    probes: {
      purpose: "Clients that query the calls, four queries in turn. false leaves them out.",
      ...{ clients: 1, thinkTimeMs: 1000, isByDefault: true, hasBatches: false, drains: false },
      ...{ operations: PROBES, arrivals: PROBES, isSearched: false },
    },
  },
  settings: { keys, rules, dialectProblems, resolve, hasRole: () => true, examples },
  tables: {
    names: TABLES,
    snapshot: "cdr",
    lock: "cdr",
    of: (settings) => ({
      variant: `calls ${settings.indexes}`,
      files: [],
      statements: createTables(settings),
    }),
    isMarked: (variant) => variant.startsWith("calls "),
  },
  databases: ["PostgreSQL"],
  statements: (settings) => Object.values(statementsOf(settings)),
  client,
  loading: { preload },
  auditing: { one: "call", acknowledged: "loaded", violations: VIOLATIONS, findings, audit },
} as const satisfies Workload<Treatment>;
