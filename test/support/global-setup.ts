// Set-up of the vitest project `db`: one embedded PostgreSQL for the whole suite, and real poolers. Test files get plain
// values by `inject`. It works on a fresh clone and never skips: a program that is not available fails the tests that need
// it, with the reason.
import type { TestProject } from "vitest/node";
import type { Endpoint } from "../../src/database/endpoint.js";
import { startEmbedded } from "../../src/targets/embedded/embedded.js";
import { prepareMySqlServers } from "./mysql-servers.js";
import { setUpPoolers, type PoolersFound } from "./pooler-setup.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Superuser of the server that all test files share. Each file works in a separate namespace or database. */
    adminEndpoint: Endpoint;
    /** Poolers for the tests, or the reasons why there are none. Tests use them through `poolers.ts`. */
    poolers: PoolersFound;
  }
}

/** Connections of the suite's server: two test files run at a time, each with more than a hundred clients. */
const MAX_CONNECTIONS = 300;

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const poolersFound = setUpPoolers(project.name === "full");
  // Few tests need them, and the poolers come from the same releases of Debian.
  const mySqlServers = poolersFound.then(prepareMySqlServers);
  const [server, poolers] = await Promise.all([
    // Without fsync this server is faster. It may lose its data with the machine's power, since tests check no disks.
    startEmbedded({ fsync: "off" }, { maxConnectionsNeeded: MAX_CONNECTIONS }),
    poolersFound,
  ]);
  project.provide("adminEndpoint", server.admin);
  project.provide("poolers", poolers.found);
  return async () => {
    await mySqlServers;
    await poolers.cleanUp();
    await server.stop();
  };
}
