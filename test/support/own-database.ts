// A separate database for a test file on the suite's server, for counts by database or isolation from other files. It is
// made before the file's tests and dropped after them, with its remaining sessions.
import { afterAll, beforeAll, inject } from "vitest";
import { connectAdmin, type AdminClient } from "../../src/database/postgres/admin.js";
import type { Endpoint } from "../../src/database/endpoint.js";
import { testNamespace } from "./namespace.js";

export interface OwnDatabase {
  readonly endpoint: Endpoint;
  /** Control connection to the database of the test file. It exists only while tests run. */
  readonly admin: AdminClient;
  /**
   * Number of transactions that have ended in the database, logins excluded. A session may report its transactions only
   * when it ends.
   */
  countTransactions(): Promise<number>;
}

/** Makes a database for one test file. Call it once, at the top; the database exists before later `beforeAll` hooks run. */
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
    async countTransactions() {
      const rows = await server?.query(
        "SELECT xact_commit + xact_rollback - sessions AS count FROM pg_stat_database WHERE datname = $1",
        [endpoint.database],
      );
      return Number(rows?.[0]?.["count"]);
    },
  };
}
