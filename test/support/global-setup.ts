// Set-up of the vitest project `db`: one embedded PostgreSQL for the whole suite, and real PgBouncers of two
// versions. Test files get plain values by `inject`. It starts what it needs by itself, on a fresh clone too, and
// never skips: what cannot be had makes the tests that need it fail, with the reason.
import type { TestProject } from "vitest/node";
import type { Endpoint } from "../../src/database/endpoint/endpoint.js";
import { startEmbedded } from "../../src/targets/embedded/embedded.js";
import { setUpPgBouncers, type PgBouncersFound } from "./pgbouncer-setup.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Superuser of the suite's server, which is shared: work in a namespace or database of your own. */
    adminEndpoint: Endpoint;
    /** See `pgbouncers.ts`, through which tests use it. */
    pgBouncers: PgBouncersFound;
  }
}

/** Room for two test files at a time, each with more than a hundred clients. */
const MAX_CONNECTIONS = 300;

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const [server, pgBouncers] = await Promise.all([
    // Tests look at behaviour, not at disks: this server alone may forget its data when the machine loses power.
    startEmbedded({ fsync: "off" }, { maxConnectionsNeeded: MAX_CONNECTIONS }),
    setUpPgBouncers(),
  ]);
  project.provide("adminEndpoint", server.admin);
  project.provide("pgBouncers", pgBouncers.found);
  return async () => {
    await pgBouncers.cleanUp();
    await server.stop();
  };
}
