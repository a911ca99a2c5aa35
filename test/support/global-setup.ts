// Set-up of the vitest project `db`: one embedded PostgreSQL for the whole suite, and real poolers, PgBouncer of two
// versions. Test files get plain values by `inject`. It starts what it needs by itself, on a fresh clone too, and
// never skips: what cannot be had makes the tests that need it fail, with the reason.
import type { TestProject } from "vitest/node";
import type { Endpoint } from "../../src/database/endpoint.js";
import { startEmbedded } from "../../src/targets/embedded/embedded.js";
import { setUpPoolers, type PoolersFound } from "./pooler-setup.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Superuser of the suite's server, which is shared: work in a namespace or database of your own. */
    adminEndpoint: Endpoint;
    /** See `poolers.ts`, through which tests use it. */
    poolers: PoolersFound;
  }
}

/** Room for two test files at a time, each with more than a hundred clients. */
const MAX_CONNECTIONS = 300;

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const [server, poolers] = await Promise.all([
    // Tests look at behaviour, not at disks: this server alone may forget its data when the machine loses power.
    startEmbedded({ fsync: "off" }, { maxConnectionsNeeded: MAX_CONNECTIONS }),
    setUpPoolers(),
  ]);
  project.provide("adminEndpoint", server.admin);
  project.provide("poolers", poolers.found);
  return async () => {
    await poolers.cleanUp();
    await server.stop();
  };
}
