// Four workloads in the manner of public ones run on a server; what is learnt from its statistics, or from its log, runs
// under train-sim. Calls by statement agree with the calls of what was run within 5 %.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/foundation/clock.js";
import { statementNamer } from "../../src/database/postgres/statement-names.js";
import { readSqlFile } from "../../src/workloads/own.js";
import { statementsOf } from "../../src/workloads/script/statements.js";
import { LEARNABLE, runLearnable, runPgBoss } from "../support/learnable/learnable.js";
import { ownDatabase, type OwnDatabase } from "../support/own-database.js";
import { urlOf } from "../support/suite-server.js";
import {
  onlyResultIn,
  outputMatch,
  scratchDirectory,
  startTrainSim,
  trainSim,
  writeScenarioFile,
} from "../support/train-sim.js";

const CLIENTS = 4;
/** Transactions of the learnt run: 5 % are 2.6 standard deviations of a transaction with 4 % of the weight. */
const TRANSACTIONS = 60_000;
const MOST_DIFFERENCE = 0.05;
const JOBS = 400;

interface Case {
  readonly setUp: (client: pg.Client, url: string) => Promise<unknown>;
  readonly run: (url: string) => Promise<unknown>;
  /** Calls of each transaction that `run` makes, the most frequent first. */
  readonly calls: readonly number[];
}

const CASES: Readonly<Record<string, Case>> = {
  "pgbench's TPC-B": {
    setUp: LEARNABLE.tpcB.setUp,
    run: (url) => runLearnable(LEARNABLE.tpcB, url, 1_000),
    calls: [1_000],
  },
  "a video rental in the manner of Pagila": {
    setUp: LEARNABLE.rentals.setUp,
    run: (url) => runLearnable(LEARNABLE.rentals, url, 2_300),
    calls: [600, 500, 400, 300, 200, 200],
  },
  "a small web shop": {
    setUp: LEARNABLE.shop.setUp,
    run: (url) => runLearnable(LEARNABLE.shop, url, 2_200),
    calls: [800, 400, 400, 300, 200],
  },
  "pg-boss": {
    setUp: (_, url) => runPgBoss(url, 20),
    run: (url) => runPgBoss(url, JOBS),
    calls: [JOBS, JOBS, JOBS],
  },
};

async function prepared(own: OwnDatabase, { setUp }: Case): Promise<string> {
  const url = urlOf(own.endpoint);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("CREATE EXTENSION pg_stat_statements");
  await setUp(client, url);
  await client.query("VACUUM ANALYZE");
  await client.end();
  return url;
}

/** Runs the learnt file on the server from which it was learnt; resolves to the calls by statement as the server counts them. */
async function callsOfRun(own: OwnDatabase, url: string, text: string): Promise<Map<string, number>> {
  const file = join(scratchDirectory(), "learnt.sql");
  writeFileSync(file, text);
  const read = readSqlFile(text, file);
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  const nameOf = statementNamer([...statementsOf(read.program).values()], 18);
  await own.admin.query(
    "SELECT pg_stat_statements_reset(0, oid, 0) FROM pg_database WHERE datname = current_database()",
  );
  const out = scratchDirectory();
  const scenario = `
name: learnt
seed: 11
workload: ${file}
target: { kind: url, urls: ["${url}"] }
evidence: { every: off }
diagnosis: { ceiling: false }
actors: { clients: { load: { executor: per-client-iterations, clients: ${CLIENTS}, iterations: ${TRANSACTIONS / CLIENTS} } } }
trial: { warmUp: 0, drain: false }
trials: 1
`;
  const ended = await trainSim(["run", writeScenarioFile(scenario), "--out", out, "--quiet"]);
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(onlyResultIn(out).result.treatments[0]?.trials[0]).toMatchObject({ status: "complete" });
  const rows = await own.admin.query(
    `SELECT query, sum(calls)::int AS calls FROM pg_stat_statements
     WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) GROUP BY query`,
  );
  const calls = new Map<string, number>();
  for (const { query, calls: count } of rows) {
    const name = nameOf(String(query));
    if (name !== undefined) calls.set(name, (calls.get(name) ?? 0) + Number(count));
  }
  return calls;
}

/** Weights of the file's transactions by name, in its order. */
const weightsIn = (text: string): [name: string, weight: number][] =>
  [...text.matchAll(/^-- name: (.*)\n-- weight: (\d+)$/gm)].map(([, name = "", weight]) => [
    name,
    Number(weight),
  ]);

function expectSameShares(calls: ReadonlyMap<string, number>, text: string): void {
  const weights = weightsIn(text);
  const all = weights.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [name, weight] of weights) {
    const ofTransaction = [...calls].filter(([statement]) => statement.startsWith(`${name}.`));
    expect(ofTransaction.length, name).toBeGreaterThan(0);
    for (const [statement, count] of ofTransaction) {
      const expected = (TRANSACTIONS * weight) / all;
      expect(
        Math.abs(count / expected - 1),
        `${statement}: ${count} calls, expected ${expected}`,
      ).toBeLessThan(MOST_DIFFERENCE);
    }
  }
}

describe.each(Object.entries(CASES))("learning %s", (name, workload) => {
  const own = ownDatabase("learnt");

  it("from the calls of an interval gives a file that makes the same calls", async () => {
    const url = await prepared(own, workload);
    const learning = startTrainSim(["learn", "--url", url, "--minutes", "0.25", "--rows", "5000"]);
    await outputMatch(learning, /counting calls/);
    // The first reading of the counts follows at once.
    await systemClock.sleep(2_000);
    await workload.run(url);
    const learnt = await learning.ended;
    expect(learnt.exitCode, learnt.stderr).toBe(0);
    const weights = weightsIn(learnt.stdout).map(([, weight]) => weight);
    expect(weights.slice(0, workload.calls.length), name).toEqual(workload.calls);
    expectSameShares(await callsOfRun(own, url, learnt.stdout), learnt.stdout);
  });
});

describe("learning from a log", () => {
  const own = ownDatabase("logged");

  it("gives the transactions of sessions, with the values that their statements share", async () => {
    const workload = CASES["a video rental in the manner of Pagila"] as Case;
    const url = await prepared(own, workload);
    await own.admin.query(`ALTER DATABASE ${own.endpoint.database} SET log_statement = 'all'`);
    await workload.run(url);
    await own.admin.query(`ALTER DATABASE ${own.endpoint.database} RESET log_statement`);
    const [row] = await own.admin.query("SELECT current_setting('data_directory') AS directory");
    const log = join(dirname(String(row?.["directory"])), "server.log");
    const learnt = await trainSim(["learn", "--url", url, "--log", log, "--rows", "5000"]);
    expect(learnt.exitCode, learnt.stderr).toBe(0);
    const weights = weightsIn(learnt.stdout).map(([, weight]) => weight);
    expect(weights.slice(0, workload.calls.length)).toEqual(workload.calls);
    expect(learnt.stdout).toContain(`-- returning: rental_id as rental_rental_id
INSERT INTO rental (rental_date, inventory_id, customer_id) VALUES (now(), :inventory_id, :customer_id) RETURNING rental_id;
INSERT INTO payment (customer_id, rental_id, amount, payment_date) VALUES (:customer_id, :rental_rental_id, :amount, now());`);
    expectSameShares(await callsOfRun(own, url, learnt.stdout), learnt.stdout);
  });
});
