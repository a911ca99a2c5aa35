// The number of transactions that real PgBouncers add to each transaction of a client: the server's count, compared with
// the number that their settings, as the console reports them, lead to expect.
import { expect, it } from "vitest";
import { casesOf, fullIt } from "../../../test/support/lanes.js";
import { ownDatabase } from "../../../test/support/own-database.js";
import { pgBouncerEnv, PGBOUNCER_KINDS, startPgBouncers } from "../../../test/support/pgbouncers.js";
import { urlOf } from "../../../test/support/suite-server.js";
import {
  onlyResultIn,
  scratchDirectory,
  trainSim,
  writeScenarioFile,
} from "../../../test/support/train-sim.js";
import { PgConnection } from "../../database/postgres/connection.js";
import { APPLICATION_NAME } from "../../database/contract.js";
import { settingsAt } from "./console.js";
import { ownTransactions } from "./own-transactions.js";

const ROUNDS = 20;
const own = ownDatabase("pgbouncer_own");

const CASES = casesOf(PGBOUNCER_KINDS, 2).flatMap((kind) =>
  [
    {},
    { server_reset_query_always: "1" },
    { server_reset_query_always: "1", server_reset_query: "DEALLOCATE ALL" },
    { server_check_delay: "0" },
  ].map((settings) => [kind, settings] as const),
);

it.each(CASES)(
  "PgBouncer %s with %j adds the number of transactions that follows from its settings",
  async (kind, settings) => {
    const before = await own.countTransactions();
    const pooler = await startPgBouncers(
      {
        mode: "transaction",
        size: 1,
        instances: 1,
        maxPreparedStatements: 0,
        maxClientConnections: 20,
        settings,
      },
      own.endpoint,
      pgBouncerEnv(kind),
    );
    try {
      const [[endpoint], [console]] = [pooler.endpoints, pooler.consoles];
      if (!endpoint || !console) return expect.unreachable("a pooler has an endpoint and a console");
      const connect = () =>
        new PgConnection({ endpoint, applicationName: APPLICATION_NAME, prepared: false }).connect();
      const clients = [await connect(), await connect()];
      for (let round = 0; round < ROUNDS; round++)
        for (const client of clients)
          await client.control("begin", "BEGIN").then(() => client.control("commit", "COMMIT"));
      for (const client of clients) await client.end();
      const asked = await settingsAt(console);
      const added = ownTransactions({ mode: "transaction", reconnect: "never" }, asked);
      await pooler.stop();
      await expect
        .poll(async () => (await own.countTransactions()) - before, { timeout: 200_000 })
        .toBeGreaterThanOrEqual(2 * ROUNDS * (1 + Number(added)));
      // Tolerates one more assignment at either end, and a name that is set for the first client.
      expect((await own.countTransactions()) - before).toBeLessThanOrEqual(
        2 * ROUNDS * (1 + Number(added)) + 6,
      );
    } finally {
      await pooler.stop();
    }
  },
);

fullIt(
  "a run over a PgBouncer of the user's own that resets after each transaction reports no work of others",
  async () => {
    const pooler = await startPgBouncers(
      {
        mode: "transaction",
        size: 4,
        instances: 1,
        maxPreparedStatements: 0,
        maxClientConnections: 20,
        settings: { server_reset_query_always: "1" },
      },
      own.endpoint,
      pgBouncerEnv(),
    );
    try {
      const [[endpoint], [console]] = [pooler.endpoints, pooler.consoles];
      if (!endpoint || !console) return expect.unreachable("a pooler has an endpoint and a console");
      const out = scratchDirectory();
      const { exitCode, stderr } = await trainSim([
        "run",
        writeScenarioFile(`name: own-pooler
target: { kind: url, urls: ["${urlOf(own.endpoint)}"] }
pool: { strategy: pgbouncer, url: "${urlOf(endpoint)}", adminUrl: "${urlOf(console)}", size: 4 }
trial: { warmUp: 0s, duration: 3s, drain: false }
trials: 1
diagnosis: { ceiling: false }
actors: { producers: { load: { clients: 3 } } }
`),
        "--quiet",
        "--out",
        out,
      ]);
      expect(exitCode, stderr).toBe(0);
      const trial = onlyResultIn(out).result.treatments[0]?.trials[0];
      expect(trial?.database.foreign?.transactionsHere).toBeDefined();
      expect(trial?.diagnosis?.map(({ check }) => check)).not.toContain("foreign-transactions");
    } finally {
      await pooler.stop();
    }
  },
);
