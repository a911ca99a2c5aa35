// Short transactions of one statement each, so that the cost of connections is the larger part.
import { clientsRole } from "../one-role.js";
import type { ReportedMeasurements, Workload } from "../workload.js";
import { audit, VIOLATIONS } from "./audit.js";
import { client } from "./client.js";
import { examples } from "./examples.js";
import { keys, resolve, rules, type Treatment } from "./settings.js";
import type { ConnectionsStore } from "./store.js";
import { postgres } from "./stores/postgres.js";

/**
 * Lines of the summary with the rate of all transactions and the rate without the time to connect, both as pgbench reports
 * them.
 */
function lines({ operations, windowSeconds }: ReportedMeasurements): string[] {
  const operationResults = Object.values(operations);
  const transactions = operationResults.reduce((sum, each) => sum + each.transactions, 0);
  const waitMs = operationResults.reduce(
    (sum, each) => sum + each.transactions * (each.poolWaitMs?.mean ?? 0),
    0,
  );
  const clients = Math.max(1, ...operationResults.map((each) => each.clients ?? 0));
  const connectedSeconds = windowSeconds - waitMs / 1000 / clients;
  if (transactions === 0 || connectedSeconds <= 0) return [];
  const times = Object.entries(operations).flatMap(
    ([name, { serviceTimeMs: ms, serviceStddevMs: stddev = 0 }]) =>
      ms ? [`${name} mean ${ms.mean.toFixed(3)} ms, standard deviation ${stddev.toFixed(3)} ms`] : [],
  );
  const rate = (seconds: number): string => `${(transactions / seconds).toFixed(1)} transactions/s`;
  return [
    `${rate(windowSeconds)}, ${rate(connectedSeconds)} without the time to connect; with it: ${times.join("; ")}`,
  ];
}

export const connections = {
  name: "connections",
  description:
    "Transactions of one statement, so that connections are what costs: pools and poolers compared.",
  operations: {
    account: { verb: "runs", unit: "transactions" },
    script: { verb: "runs", unit: "transactions" },
  },
  roles: { clients: clientsRole(["account", "script"]) },
  performs: (operation, { weights }) => weights[operation as keyof typeof weights] > 0,
  settings: { keys, rules, resolve, examples },
  tables: {
    names: ["pgbench_accounts", "test_tbl"],
    snapshot: "pgbench_accounts",
    lock: "pgbench_accounts",
    mark: "workload connections",
  },
  withoutCommit: () => "each transaction of the workload is one statement without BEGIN",
  stores: { PostgreSQL: postgres },
  isSimple: true,
  client,
  loading: {
    preload: (store: ConnectionsStore, admin, { settings, mayContinue }) =>
      store.fill(admin, settings, mayContinue),
  },
  auditing: {
    one: "row",
    acknowledged: "inserted",
    violations: VIOLATIONS,
    audit,
  },
  reporting: { lines },
} as const satisfies Workload<Treatment>;
