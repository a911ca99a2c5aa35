// A family whose clients hold a `pg.Pool`, like clients of a job-queue library.
import { Pool } from "pg";
import type { AdminClient } from "../../../src/database/postgres/admin.js";
import { shareOf } from "../../../src/foundation/share.js";
import type { ClientContext, Workload, WorkloadClients } from "../../../src/workloads/workload.js";
import { keys, type ToySettings, type Treatment } from "./settings.js";

const tableOf = ({ namespace }: Treatment): string => `${namespace}.toys`;

/** Makes a client. It opens its share of the worker's connections before the barrier, and closes them when it ends. */
async function client(
  _: unknown,
  { assignment, operations, applicationName }: ClientContext<Treatment>,
): Promise<WorkloadClients> {
  const { settings, endpoints, workersOfTrial, ordinal } = assignment;
  const [endpoint] = endpoints;
  if (settings.pool.strategy !== "own" || !endpoint) throw new Error("the clients hold their connections");
  const max = shareOf(settings.pool.size, workersOfTrial, ordinal);
  const { host, port, user, password, database } = endpoint;
  const pool = new Pool({
    host,
    port,
    user,
    database,
    max,
    application_name: applicationName,
    ...(password !== undefined && { password }),
  });
  const opened = await Promise.all(Array.from({ length: max }, () => pool.connect()));
  for (const connection of opened) connection.release();
  const toys = settings.batch === "ten" ? 10 : 1;
  let made = 0;
  return {
    prepare: () => undefined,
    async iterate(number, intendedMs) {
      const text = `INSERT INTO ${tableOf(settings)} SELECT FROM generate_series(1, $1)`;
      const end = await operations.run({
        operation: "make",
        client: number,
        intendedMs,
        isPoll: false,
        events: () => toys,
        body: () => pool.query(text, [toys]),
      });
      if (end.kind === "committed") made += toys;
    },
    async close() {
      await pool.end();
      return made;
    },
  };
}

export const toy = {
  name: "toy",
  description: "Toys are made on connections of the family's own.",
  operations: { make: { verb: "makes", unit: "toys" } },
  roles: {
    producers: {
      purpose: "Clients that make toys.",
      clients: 3,
      operations: ["make"],
      arrivals: ["make"],
      isSearched: true,
    },
  },
  settings: {
    keys,
    resolve: ({ batch }: ToySettings): ToySettings => ({ batch }),
  },
  tables: {
    names: ["toys"],
    snapshot: "toys",
    lock: "toys",
    mark: "workload toy",
  },
  stores: {
    PostgreSQL: {
      tables: () => ({
        variant: "workload toy",
        files: [],
        statements: ["CREATE TABLE {{namespace}}.toys (id bigserial PRIMARY KEY)"],
      }),
      statements: (settings: Treatment) => [
        { name: "make", text: `INSERT INTO ${tableOf(settings)} DEFAULT VALUES` },
      ],
    },
  },
  ownsConnections: true,
  client,
  auditing: {
    one: "toy",
    acknowledged: "made",
    violations: ["lost", "unexpected"],
    async audit(_, admin: AdminClient, { settings, workerAccounts }) {
      const published = workerAccounts.reduce<number>((sum, one) => sum + Number(one), 0);
      const [row] = await admin.query(`SELECT count(*) AS n FROM ${tableOf(settings)}`);
      const missing = published - Number(row?.["n"]);
      const verdict = missing === 0 ? "ok" : "violated";
      const counts = {
        published,
        inDoubt: 0,
        lost: Math.max(0, missing),
        unexpected: Math.max(0, -missing),
      };
      const violations = missing === 0 ? [] : [`${missing} toys are missing`];
      return { findings: { verdict, ...counts, violations, notAudited: [] } };
    },
  },
} as const satisfies Workload<Treatment>;
