// From a running database to a run: the printed file runs as it is, and its mix is the mix of what was called.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, it } from "vitest";
import { LEARNABLE, runLearnable } from "../support/learnable/learnable.js";
import { ownDatabase } from "../support/own-database.js";
import { urlOf } from "../support/suite-server.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

const own = ownDatabase("learn_e2e");
const CLIENTS = 2;
const TRANSACTIONS = 1_500;

it("learns a file that runs, and whose operations are as frequent as those that were called", async () => {
  const url = urlOf(own.endpoint);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("CREATE EXTENSION pg_stat_statements");
  await LEARNABLE.shop.setUp(client);
  await client.query("ANALYZE");
  await client.end();
  await runLearnable(LEARNABLE.shop, url, 220);

  const learnt = await trainSim(["learn", "--url", url, "--minutes", "0", "--rows", "1000"]);
  expect(learnt.exitCode, learnt.stderr).toBe(0);
  const directory = scratchDirectory();
  writeFileSync(join(directory, "shop.sql"), learnt.stdout);
  const scenario = `
name: learnt
seed: 5
workload: ${join(directory, "shop.sql")}
target: { kind: url, urls: ["${url}"] }
diagnosis: { ceiling: false }
actors: { clients: { load: { executor: per-client-iterations, clients: ${CLIENTS}, iterations: ${TRANSACTIONS / CLIENTS} } } }
trial: { warmUp: 0, drain: false }
trials: 1
`;
  const out = scratchDirectory();
  const ended = await trainSim(["run", writeScenarioFile(scenario), "--out", out, "--quiet"]);
  expect(ended.exitCode, ended.stderr).toBe(0);
  const operations = onlyResultIn(out).result.treatments[0]?.trials[0]?.operations ?? {};
  const weights = Object.fromEntries(
    [...learnt.stdout.matchAll(/^-- name: (.*)\n-- weight: (\d+)$/gm)].map(([, name = "", weight]) => [
      name,
      Number(weight),
    ]),
  );
  expect(weights).toMatchObject({
    ...{ "select-products-by-sku": 80, "select-orders-by-customer_id": 40, "insert-carts": 40 },
    ...{ "insert-orders-transaction": 30, "update-orders-by-id": 20 },
  });
  const all = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  for (const [name, weight] of Object.entries(weights)) {
    const expected = (TRANSACTIONS * weight) / all;
    const counted = operations[name]?.transactions ?? 0;
    // Four standard deviations of a draw by weight.
    expect(Math.abs(counted - expected), name).toBeLessThan(4 * Math.sqrt(expected));
  }
});
