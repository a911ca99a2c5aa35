// `test/full/bank.test.ts` runs every pool and every mutant.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { casesOf, fullIt } from "../../../test/support/lanes.js";
import {
  BANK,
  bankIn,
  BUDGET,
  expectFoundOut,
  expectSound,
  FAULTS,
  MUTANTS,
} from "../../../test/support/bank.js";
import { pgBouncerEnv } from "../../../test/support/pgbouncers.js";
import { onlyResultIn, trainSim, writeScenarioFile } from "../../../test/support/train-sim.js";

const bank = bankIn("script");
const { run } = bank;

describe("the bank workload", () => {
  it.each(
    casesOf(
      [
        ["direct", {}, process.env],
        [
          "PgBouncer in transaction mode",
          { pool: { strategy: "pgbouncer", mode: "transaction", size: 2 } },
          pgBouncerEnv(),
        ],
        [
          "the simple protocol and serializable isolation",
          { prepared: "simple", isolation: "serializable" },
          process.env,
        ],
      ],
      1,
    ),
  )("keeps its invariants with %s", async (_, more, env) => {
    await expectSound(bank, more, env);
  });

  it.each(MUTANTS.slice(0, 1))("fails its audit if %s", async (_, sql) => {
    await expectFoundOut(bank, sql);
  });
});

it("a SQL workload rolls back a transaction with unexpected rows, and counts the transaction as failed", async () => {
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

const JOBS = `-- schema
CREATE TABLE jobs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, state text NOT NULL DEFAULT 'ready', taken_at timestamptz,
  done_at timestamptz
);
CREATE TABLE done (id uuid PRIMARY KEY, job bigint NOT NULL UNIQUE);
-- preload
INSERT INTO jobs (state) SELECT 'ready' FROM generate_series(1, 100);
-- name: work
-- weight: 3
-- param: id = uuid()
-- returning: id as job, or end
UPDATE jobs SET state = 'taken', taken_at = clock_timestamp()
WHERE id = (SELECT id FROM jobs WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id;
-- commit
-- sleep: 3ms
-- expect: rows = 1
UPDATE jobs SET state = 'done', done_at = now() WHERE id = :job AND state = 'taken';
INSERT INTO done VALUES (:id, :job);
-- commit
SELECT count(*) FROM done WHERE job = :job;
-- name: scratch
CREATE TEMP TABLE picked (id bigint PRIMARY KEY) ON COMMIT DROP;
INSERT INTO picked SELECT id FROM jobs LIMIT 5;
ALTER TABLE picked ADD double bigint GENERATED ALWAYS AS (2 * id) STORED;
-- expect: rows = 5
SELECT double FROM picked;
-- invariant: each job that was acknowledged is done
-- acknowledged: work.id
SELECT id FROM done;
-- invariant: a job is completed in a later transaction than its claim
SELECT coalesce(bool_and(done_at > taken_at), true) FROM jobs WHERE state = 'done';
`;

it("a SQL workload claims a job in one transaction and completes the job in another, as one operation", async () => {
  const { ended, out } = await run(JOBS, { actors: BUDGET });
  const [trial] = onlyResultIn(out).result.treatments[0]?.trials ?? [];
  expect(trial?.integrity?.violations, ended.stderr).toEqual([]);
  expect(ended.exitCode, ended.stderr).toBe(0);
  const { work, scratch } = trial?.operations ?? {};
  expect(work?.transactions).toBe(100);
  expect(work?.parts?.find(({ name }) => name === "appDelay")?.meanMs).toBeGreaterThan(1);
  expect((work?.emptyPolls ?? 0) + (work?.transactions ?? 0) + (scratch?.transactions ?? 0)).toBe(200);
  expect(trial?.integrity).toMatchObject({
    published: 100 + (scratch?.transactions ?? 0),
    lost: 0,
    unexpected: 0,
  });
});

fullIt("jobs of two transactions are all acknowledged, in doubt or repeated when sessions end", async () => {
  const { ended, out } = await run(JOBS.replace("(1, 100)", "(1, 100000)"), FAULTS);
  expect(onlyResultIn(out).result.treatments[0]?.trials[0]?.integrity?.violations, ended.stderr).toEqual([]);
  expect(ended.exitCode, ended.stderr).toBe(0);
});

fullIt(
  "warns of state in sessions that a pooler hands on, and counts advisory locks that are held after the load",
  async () => {
    const sql = `-- name: lock
-- param: key = random(1, 5)
SELECT pg_try_advisory_lock(:key);
-- name: scratch
CREATE TEMP TABLE IF NOT EXISTS picked (id int);
SELECT set_config('work_mem', '8MB', false);
`;
    const pool = { strategy: "pgbouncer", mode: "transaction", size: 2 };
    const { ended, out } = await run(sql, { actors: BUDGET, pool }, pgBouncerEnv());
    expect(ended.exitCode, ended.stderr).toBe(0);
    const { diagnosis, treatments } = onlyResultIn(out).result;
    const warnings = diagnosis.flatMap(({ rule, words }) => (rule === "session-state" ? [words] : []));
    expect(warnings).toEqual([
      "pgbouncer gives a session to another client after each transaction; " +
        "bank.sql:3:1 takes an advisory lock of its session: use pg_advisory_xact_lock; " +
        "bank.sql:5:1 makes a temporary table that stays in its session: write ON COMMIT DROP; " +
        "bank.sql:6:1 sets a parameter of its session: use SET LOCAL, or set_config with true",
    ]);
    expect(treatments[0]?.trials[0]?.integrity?.remarks?.join()).toMatch(
      /^[1-5] advisory locks? (was|were) still held by sessions of the pool/,
    );
  },
);

it.each(
  casesOf(
    [
      ["prepared: true", true, 'syntax error at or near ":place"'],
      ["prepared: simple", "simple", `syntax error at or near "'jobs'"`],
    ],
    1,
  ),
)("refuses a setting in place of a table's name with the reason: %s", async (_, prepared, message) => {
  const sql =
    "-- setting: place = jobs\n-- schema\nCREATE TABLE jobs (id int);\n-- name: look\nSELECT *\nFROM :place;\n";
  const { ended } = await run(sql, { prepared });
  expect(ended.exitCode).toBe(104);
  expect(ended.stderr).toContain(`bank.sql:6:6: ${message}: :place is a value, never the name of a table`);
});

fullIt("a SQL workload lets a statement use columns that an earlier statement returned", async () => {
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

it("ids that the server returned are audited, even if connections are lost", async () => {
  const sql = `-- schema
CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
-- name: add
-- returning: id
INSERT INTO t DEFAULT VALUES RETURNING id;
-- invariant: each is there once
-- acknowledged: add.id
SELECT id FROM t;
`;
  const { ended, out } = await run(sql, FAULTS);
  expect(ended.exitCode, ended.stdout + ended.stderr).toBe(0);
  const [{ integrity, operations } = expect.fail("no trial")] =
    onlyResultIn(out).result.treatments[0]?.trials ?? [];
  expect(operations["add"]?.unansweredCommits).toBeGreaterThan(0);
  expect(integrity).toMatchObject({ verdict: "ok", invariants: [{ holds: true, acknowledged: "add" }] });
});

const QUEUE = `-- setting: jobs = 40
-- schema
CREATE TABLE jobs (id int PRIMARY KEY, done boolean NOT NULL DEFAULT false);
CREATE TABLE polls (at timestamptz NOT NULL DEFAULT clock_timestamp());
-- preload
INSERT INTO jobs SELECT generate_series(1, :jobs);
-- name: 1-claim
INSERT INTO polls DEFAULT VALUES;
-- returning: id as job, or end
SELECT id FROM jobs WHERE NOT done ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
UPDATE jobs SET done = true WHERE id = :job;
-- invariant: each job was done
SELECT bool_and(done) FROM jobs;
-- invariant: an empty poll commits what stands above it
SELECT count(*) = 200 FROM polls;
`;

it("a claim that finds no row counts as a committed empty poll, not as a transaction", async () => {
  const { ended, out } = await run(QUEUE, { actors: BUDGET, trials: 2 });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const { trials = [] } = onlyResultIn(out).result.treatments[0] ?? {};
  for (const { operations, integrity, diagnosis } of trials) {
    expect(operations["1-claim"]).toMatchObject({ transactions: 40, emptyPolls: 160, failures: {} });
    expect(integrity).toMatchObject({ verdict: "ok", published: 40 });
    expect(integrity?.notAudited).toEqual([
      "lost or duplicated transactions of 1-claim: no invariant lists their acknowledged ids",
    ]);
    expect((diagnosis ?? []).filter(({ check }) => check === "without-rows")).toEqual([]);
  }
  const summary = readFileSync(join(onlyResultIn(out).directory, "summary.txt"), "utf8");
  expect(summary.replace(/\s+/g, " ")).toContain(
    '2 invariants hold in 2 trials: "each job was done"; "an empty poll commits',
  );
});

const BATCHES = `-- schema
CREATE TABLE jobs (id int PRIMARY KEY, done boolean NOT NULL DEFAULT false);
-- preload
INSERT INTO jobs SELECT generate_series(1, 95);
-- name: claim
-- counts: rows
UPDATE jobs SET done = true WHERE id IN (SELECT id FROM jobs WHERE NOT done LIMIT 10 FOR UPDATE SKIP LOCKED);
-- invariant: each job was done
SELECT bool_and(done) FROM jobs;
`;

it.each(casesOf([true, "simple"], 1))(
  "rows count as work if a statement says `counts: rows`, prepared: %s",
  async (prepared) => {
    const { ended, out } = await run(BATCHES, { actors: BUDGET, prepared });
    expect(ended.exitCode, ended.stderr).toBe(0);
    const { operations = {} } = onlyResultIn(out).result.treatments[0]?.trials[0] ?? {};
    const { transactions = 0, emptyPolls = 0, events } = operations["claim"] ?? {};
    expect(events).toBe(95);
    expect(transactions + emptyPolls).toBe(200);
    expect(transactions).toBeLessThan(20);
  },
);

it("a warning names a rate that contains transactions without any row found or changed", async () => {
  const sql = BATCHES.replace("-- counts: rows\n", "");
  const { ended, out } = await run(sql, { actors: BUDGET });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const [{ operations, diagnosis } = expect.fail("no trial")] =
    onlyResultIn(out).result.treatments[0]?.trials ?? [];
  const { transactions, withoutRows = 0 } = operations["claim"] ?? {};
  expect(transactions).toBe(200);
  expect(withoutRows).toBeGreaterThan(180);
  const seen = withoutRows / 200;
  expect(diagnosis).toContainEqual(expect.objectContaining({ check: "without-rows", invalidates: [], seen }));
});

it("a SQL workload distinguishes 64-bit ids, and drops objects of the preload before the next trial", async () => {
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

it("a SQL workload whose trigger and function depend on each other runs two trials and leaves no schema", async () => {
  const sql = `-- schema
CREATE TABLE jobs (id uuid PRIMARY KEY, n bigint);
CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.n := nextval('s'); RETURN NEW; END $$;
CREATE SEQUENCE s OWNED BY jobs.n;
CREATE TRIGGER t BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION f();
CREATE FUNCTION more(name text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE format('CREATE TABLE %I ()', name); END $$;
SELECT more('other');
-- name: add
-- param: id = uuid()
INSERT INTO jobs VALUES (:id);
-- invariant: each is there once
-- acknowledged: add.id
SELECT id FROM jobs;
`;
  const { ended, out } = await run(sql, { actors: BUDGET, trials: 2 });
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(ended.stderr).not.toContain("could not be dropped");
  const { treatments, diagnosis } = onlyResultIn(out).result;
  expect(treatments[0]?.trials.map(({ integrity }) => integrity?.published)).toEqual([200, 200]);
  expect(diagnosis.map(({ rule }) => rule)).not.toContain("schema-left");
});

it("a statement that fails in a trial is named with its file and line", async () => {
  const sql = `-- schema
CREATE TABLE t (id int);
-- name: fine
SELECT 1;
-- name: wrong
-- param: n = 0

SELECT id
FROM t WHERE id = 1 / :n;
SELECT 1 / :n::int;
`;
  const { ended } = await run(sql, { actors: BUDGET });
  expect(ended.exitCode, ended.stderr).toBe(107);
  expect(ended.stderr).toContain("bank.sql:8:1: wrong.select: division by zero (SQLSTATE 22012)");
});

fullIt(
  "a SQL workload varies a setting as a factor, meets thresholds in an open loop, and can be verified",
  async () => {
    const { ended, out } = await run(BANK, {
      factors: { accounts: [100, 1000] },
      actors: { clients: { load: { executor: "constant-arrival-rate", rate: 50, maxClients: 8 } } },
      // Thresholds on counts: they are assessed even if other tests disturb the timings.
      thresholds: { pay: ["count>1", "failures==0"], look: ["count>1"] },
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

fullIt("an invariant whose query fails is named with its file and line", async () => {
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

describe("refusals before the first trial", () => {
  const refusalOf = async (sql: string, more: object = {}): Promise<string> => {
    const { ended, out } = await run(sql, { actors: BUDGET, ...more });
    expect(ended.exitCode).toBe(104);
    expect(() => onlyResultIn(out)).toThrow();
    return ended.stderr;
  };

  it("name every error that the server finds, with its place", async () => {
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
    const words = await refusalOf(sql);
    expect(words).toContain('bank.sql:3:20: type "integre" does not exist');
    expect(words).toContain('bank.sql:6:8: relation "tt" does not exist');
    expect(words).toContain('bank.sql:8:23: column "idd" does not exist');
    expect(words).toContain(
      'bank.sql:10:1: invariant "a number" returns bigint; it takes one column of type boolean',
    );
  });

  it("name a parameter without a type, with the type to write", async () => {
    const sql = `-- name: a
-- param: k = uniform(1, 9)
-- param: t = text(3)
SELECT jsonb_build_object('k', :k, 't', CAST(:t AS text));
`;
    expect(await refusalOf(sql)).toContain(
      "could not determine data type of parameter :k: the statement does not say it; write CAST(:k AS bigint)",
    );
    const { ended } = await run(sql, { actors: BUDGET, prepared: "simple" });
    expect(ended.exitCode, ended.stderr).toBe(0);
  });

  it("include a statement that drops foreign objects by dynamic SQL", async () => {
    const sql = `-- schema
CREATE TABLE t (id int);
DO $$ BEGIN EXECUTE format('DROP %s public CASCADE', 'SCHEMA'); END $$;
-- name: a
SELECT id FROM t;
`;
    const words = await refusalOf(sql);
    expect(words).toContain("bank.sql:3:1: drops or alters schema public, which lies outside of");
  });

  it("include settings that the file does not declare or that have another type", async () => {
    expect(await refusalOf(BANK, { account: 5 })).toContain("unknown key; did you mean accounts?");
    expect(await refusalOf(BANK, { accounts: "many" })).toContain("expected a number");
    expect(await refusalOf(BANK, { payload: "text" })).toContain("unknown key");
  });

  it("include a file that does not exist", async () => {
    const name = writeScenarioFile("name: x\nworkload: ./nowhere.sql\n");
    const ended = await trainSim(["run", name]);
    expect(ended.exitCode).toBe(104);
    expect(ended.stderr).toContain("nowhere.sql: it does not exist");
  });
});
