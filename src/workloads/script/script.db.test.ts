// Workloads of the user's own on the built program: what is acknowledged is there, what breaks an invariant is found, and what the
// server refuses is said before the first trial. Every pool and every mutant: test/full/bank.test.ts.
import { describe, expect, it } from "vitest";
import { casesOf, fullIt } from "../../../test/support/lanes.js";
import { BANK, bankIn, BUDGET, expectFoundOut, expectSound, MUTANTS } from "../../../test/support/bank.js";
import { poolerEnv } from "../../../test/support/poolers.js";
import { onlyResultIn, trainSim, writeScenarioFile } from "../../../test/support/train-sim.js";

const bank = bankIn("script");
const { run } = bank;

describe("the bank", () => {
  it.each(
    casesOf(
      [
        ["direct", {}, process.env],
        [
          "PgBouncer by transaction",
          { pool: { strategy: "pgbouncer", mode: "transaction", size: 2 } },
          poolerEnv("1.24"),
        ],
        ["the simple protocol, serializable", { prepared: "simple", isolation: "serializable" }, process.env],
      ],
      1,
    ),
  )("keeps its invariants over %s", async (_, more, env) => {
    await expectSound(bank, more, env);
  });

  it.each(MUTANTS.slice(0, 1))("is found out where %s", async (_, sql) => {
    await expectFoundOut(bank, sql);
  });
});

it("counts a transaction whose rows are not as expected as failed, and undoes it", async () => {
  const sql = `-- schema
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
-- preload
INSERT INTO t VALUES (1, 0);
-- name: add
-- param: id = uniform(1, 2)
UPDATE t SET n = n + 1 WHERE id = 1;
-- expect: rows = 1
UPDATE t SET n = n WHERE id = :id;
-- invariant: each that was acknowledged is counted, and no other
SELECT true FROM t;
`;
  const { ended, out } = await run(sql, {
    actors: BUDGET,
    diagnosis: { ceiling: false, maxFailureRatio: 1 },
  });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const [trial] = onlyResultIn(out).result.treatments[0]?.trials ?? [];
  const { transactions = 0, failures = {} } = trial?.operations.add ?? {};
  expect(Object.keys(failures)).toEqual(["unexpected-rows"]);
  expect(transactions + (failures["unexpected-rows"] ?? 0)).toBe(200);
});

it("lets a statement use what an earlier one returned", async () => {
  const sql = `-- schema
CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, double int);
-- name: add
-- returning: id as made
-- expect: rows = 1
INSERT INTO t DEFAULT VALUES RETURNING id;
UPDATE t SET double = 2 * :made WHERE id = :made;
-- invariant: all are doubled
SELECT bool_and(double = 2 * id) FROM t;
`;
  const { ended } = await run(sql, { actors: BUDGET });
  expect(ended.exitCode, ended.stderr).toBe(0);
});

it("knows ids of 64 bits apart, and drops what the preload made before the next trial", async () => {
  const sql = `-- schema
CREATE TABLE t (id bigint PRIMARY KEY);
-- preload
CREATE MATERIALIZED VIEW few AS SELECT id FROM t;
-- name: add
-- param: id = uniform(4611686018427387904, 9223372036854775807)
INSERT INTO t VALUES (:id);
-- invariant: each is there once
-- acknowledged: add.id
SELECT id FROM t;
`;
  const { ended, out } = await run(sql, { actors: BUDGET, trials: 2 });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const trials = onlyResultIn(out).result.treatments[0]?.trials ?? [];
  expect(trials.map(({ integrity }) => [integrity?.verdict, integrity?.published])).toEqual([
    ["ok", 200],
    ["ok", 200],
  ]);
});

fullIt(
  "varies a setting as a factor, asks thresholds, keeps an open loop, and is read again by what it stored",
  async () => {
    const { ended, out } = await run(BANK, {
      factors: { accounts: [100, 1000] },
      actors: { clients: { load: { executor: "constant-arrival-rate", rate: 50, maxClients: 8 } } },
      thresholds: { pay: ["p(50)<5000", "failures==0"], look: ["rate>1"] },
    });
    expect(ended.exitCode, ended.stdout + ended.stderr).toBe(0);
    const { directory, result } = onlyResultIn(out);
    expect(result.treatments.map(({ id }) => id)).toEqual(["accounts-100", "accounts-1000"]);
    expect(result.thresholds?.every(({ ok }) => ok)).toBe(true);
    const {
      offered = 0,
      transactions = 0,
      dropped = 0,
      unfinished = 0,
    } = result.treatments[0]?.trials[0]?.operations.pay ?? {};
    expect(offered).toBeGreaterThan(60);
    expect(transactions + dropped + unfinished).toBe(offered);
    const verified = await trainSim(["report", directory, "--verify"]);
    expect(verified.exitCode, verified.stdout + verified.stderr).toBe(0);
  },
);

it("names the invariant whose query fails", async () => {
  const sql = `-- schema
CREATE TABLE t (id int);
-- name: a
SELECT 1;
-- invariant: nothing is divided by nothing
SELECT 1 / count(*) = 1 FROM t;
`;
  const { ended } = await run(sql, { actors: BUDGET });
  expect(ended.exitCode, ended.stderr).toBe(107);
  expect(ended.stderr).toContain('bank.sql:6:1: invariant "nothing is divided by nothing": division by zero');
});

describe("is refused before the first trial", () => {
  const refused = async (sql: string, more: object = {}): Promise<string> => {
    const { ended, out } = await run(sql, { actors: BUDGET, ...more });
    expect(ended.exitCode).toBe(104);
    expect(() => onlyResultIn(out)).toThrow();
    return ended.stderr;
  };

  it("what the server does not take, all of it, with its places", async () => {
    const sql = `-- schema
CREATE TABLE t (id int);
CREATE TABLE u (id integre);
-- name: a
SELECT id
FROM   tt;
-- name: b
SELECT * FROM t WHERE idd = 1;
-- invariant: a number
SELECT count(*) FROM t;
`;
    const words = await refused(sql);
    expect(words).toContain('bank.sql:3:20: type "integre" does not exist');
    expect(words).toContain('bank.sql:6:8: relation "tt" does not exist');
    expect(words).toContain('bank.sql:8:23: column "idd" does not exist');
    expect(words).toContain(
      'bank.sql:10:1: invariant "a number" returns bigint; it takes one column of type boolean',
    );
  });

  it("what drops what others made, though only the server can see it", async () => {
    const sql = `-- schema
CREATE TABLE t (id int);
DO $$ BEGIN EXECUTE format('DROP %s public CASCADE', 'SCHEMA'); END $$;
-- name: a
SELECT id FROM t;
`;
    const words = await refused(sql);
    expect(words).toContain("bank.sql:3:1: drops or alters schema public, which lies outside of");
  });

  it("a setting that the file does not declare, and one of another type", async () => {
    expect(await refused(BANK, { account: 5 })).toContain("unknown key; did you mean accounts?");
    expect(await refused(BANK, { accounts: "many" })).toContain("expected a number");
    expect(await refused(BANK, { payload: "text" })).toContain("unknown key");
  });

  it("a file that is not there, or too large", async () => {
    const name = writeScenarioFile("name: x\nworkload: ./nowhere.sql\n");
    const ended = await trainSim(["run", name]);
    expect(ended.exitCode).toBe(104);
    expect(ended.stderr).toContain("cannot read ./nowhere.sql: ENOENT");
  });
});
