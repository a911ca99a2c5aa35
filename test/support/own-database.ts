// A database of a test file's own on the suite's server, for what is counted by database or must not be seen by others. It
// is made before the file's tests and dropped after them, with whatever still holds a session in it.
import { afterAll, beforeAll, inject } from "vitest";
import { connectAdmin, type AdminClient } from "../../src/database/postgres/admin.js";
import type { Endpoint } from "../../src/database/endpoint.js";
import { testNamespace } from "./namespace.js";

export interface OwnDatabase {
  readonly endpoint: Endpoint;
  /** The control connection to it; there once the tests run. */
  readonly admin: AdminClient;
  /** Transactions that ended in it, without logins; a session tells its own when it ends at the latest. */
  counted(): Promise<number>;
}

/** To be called once, at the top of a test file; a `beforeAll` of the file's own runs when the database is there. */
export function ownDatabase(prefix: string): OwnDatabase {
  const endpoint: Endpoint = { ...inject("adminEndpoint"), database: testNamespace(prefix) };
  let server: AdminClient | undefined;
  let admin: AdminClient | undefined;
  beforeAll(async () => {
    server = await connectAdmin(inject("adminEndpoint"));
    await server.query(`CREATE DATABASE ${endpoint.database}`);
    admin = await connectAdmin(endpoint);
  });
  afterAll(async () => {
    await admin?.close();
    await server?.query(`DROP DATABASE ${endpoint.database} WITH (FORCE)`);
    await server?.close();
  });
  return {
    endpoint,
    get admin() {
      if (!admin) throw new Error("The database is made before the tests: ask for it within them");
      return admin;
    },
    async counted() {
      const rows = await server?.query(
        "SELECT xact_commit + xact_rollback - sessions AS count FROM pg_stat_database WHERE datname = $1",
        [endpoint.database],
      );
      return Number(rows?.[0]?.["count"]);
    },
  };
}
