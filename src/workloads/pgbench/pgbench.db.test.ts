import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { connectAdmin, type AdminClient } from "../../database/postgres/admin.js";
import { PgConnection } from "../../database/postgres/connection.js";
import { Prng } from "../../foundation/prng.js";
import { testNamespace } from "../../../test/support/namespace.js";
import { onSuiteServer } from "../../../test/support/suite-server.js";
import {
  onlyResultIn,
  scratchDirectory,
  trainSim,
  writeScenarioFile,
} from "../../../test/support/train-sim.js";
import { casesOf, fullIt } from "../../../test/support/lanes.js";
import { audit } from "../script/audit.js";
import { compile } from "../script/compile.js";
import { ScriptRun } from "../script/machine.js";
import type { PauseFor } from "../script/run.js";
import type { Program, Value } from "../script/program.js";
import type { Treatment } from "../script/settings.js";
import type { TransactionBegin } from "../script/store.js";
import { postgres, TRANSACTIONS } from "../script/stores/postgres.js";
import { readPgbench } from "./read-pgbench.js";

/** Runs a script on the tables of a dump, in which five jobs are ready. */
async function runOnJobs(sql: string) {
  const tables =
    "CREATE SCHEMA q;\nCREATE TABLE q.jobs (id int PRIMARY KEY);\n-- preload\nINSERT INTO q.jobs SELECT generate_series(1, 5);";
  const scenario = `
name: tables
workload: ${JSON.stringify({ pgbench: [{ script: "claim.sql", sql }], tables: { file: "tables.sql", sql: tables } })}
${onSuiteServer("tables")}
diagnosis: { ceiling: false }
clients: 1
actors: { clients: { load: { executor: per-client-iterations, iterations: 9 } } }
trial: { warmUp: 0, drain: false }
trials: 1
`;
  const out = join(scratchDirectory(), "results");
  return { out, ended: await trainSim(["run", writeScenarioFile(scenario), "--out", out, "--quiet"]) };
}

it("scripts run on tables of a file, and name the schema that the file makes", async () => {
  const { ended, out } = await runOnJobs(
    "BEGIN;\n-- or end\nDELETE FROM q.jobs WHERE id = (SELECT min(id) FROM q.jobs) RETURNING id \\gset\nEND;\n",
  );
  expect(ended.exitCode, ended.stderr).toBe(0);
  const [trial] = onlyResultIn(out).result.treatments[0]?.trials ?? [];
  expect(trial?.operations["claim"]).toMatchObject({ transactions: 5, emptyPolls: 4 });
});

fullIt("a statement of a script that fails in a trial is named with its file and line", async () => {
  const { ended } = await runOnJobs("SELECT 1;\nSELECT 1 / count(*) FROM jobs WHERE id > 100;");
  expect(ended.exitCode).toBe(107);
  expect(ended.stderr).toContain("claim.sql:2:1");
});

it("a pgbench workload runs each built-in script with every protocol, and all balances add up", async () => {
  const out = join(scratchDirectory(), "results");
  const scenario = `
name: builtins
seed: 3
workload: { pgbench: ["builtin:tpcb-like@2", "builtin:simple-update", "builtin:select-only"], scale: 1 }
${onSuiteServer("builtins")}
factors: { prepared: [${casesOf([true, false, "simple"], 2).join()}] }
diagnosis: { ceiling: false }
actors: { clients: { load: { executor: per-client-iterations, clients: 4, iterations: 30 } } }
trial: { warmUp: 0, drain: false }
trials: 1
`;
  const ended = await trainSim(["run", writeScenarioFile(scenario), "--out", out, "--quiet"]);
  expect(ended.exitCode, ended.stderr).toBe(0);
  for (const { levels, trials } of onlyResultIn(out).result.treatments) {
    const [{ operations, integrity } = expect.fail("no trial")] = trials;
    const counts = ["tpcb-like", "simple-update", "select-only"].map(
      (name) => operations[name]?.transactions,
    );
    expect(
      counts.every((count) => count !== undefined && count > 0),
      JSON.stringify(levels),
    ).toBe(true);
    expect(counts.reduce((sum = 0, count = 0) => sum + count, 0)).toBe(120);
    expect(integrity).toMatchObject({
      verdict: "ok",
      published: 120 - (counts[2] ?? 0),
      invariants: [
        { name: "accounts add up to the history", holds: true },
        { name: "branches add up to the tellers", holds: true },
      ],
    });
  }
}, 120_000);

const namespace = testNamespace("pgbench");
const AS_IS: TransactionBegin = { begin: "BEGIN", setUp: undefined, isNeeded: false };
let admin: AdminClient;
const connections: PgConnection[] = [];

beforeAll(async () => {
  admin = await connectAdmin({ ...inject("adminEndpoint"), searchPath: namespace });
});
beforeEach(async () => {
  await admin.query(`DROP SCHEMA IF EXISTS ${namespace} CASCADE`);
  await admin.query(`CREATE SCHEMA ${namespace}`);
  for (const { pieces } of programOf("SELECT 1").schema) await admin.query(pieces.join(""));
  await admin.query("INSERT INTO pgbench_branches VALUES (1, 0), (2, 0)");
  await admin.query("INSERT INTO pgbench_tellers VALUES (1, 1, 0)");
  await admin.query("INSERT INTO pgbench_accounts VALUES (1, 1, 7)");
});
afterAll(async () => {
  await Promise.all(connections.map((each) => each.end()));
  await admin.query(`DROP SCHEMA ${namespace} CASCADE`);
  await admin.close();
});

async function connect(prepared: boolean, searchPath: string | undefined = namespace): Promise<PgConnection> {
  const endpoint = { ...inject("adminEndpoint"), ...(searchPath !== "" && { searchPath }) };
  const connection = new PgConnection({ endpoint, applicationName: "test", prepared });
  connections.push(connection);
  return connection.connect();
}

function programOf(sql: string): Program {
  const read = readPgbench({ scripts: [{ script: "x.sql", sql }], scale: 1, define: {} }, "scenario");
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  return read.program;
}

/** Makes runs of a script with `scale` 1 and client 3; `set` holds the values of the script's leading `\set`s. */
function runsOf(
  sql: string,
  { isSimple = false, isPipelined = false, beginning = AS_IS } = {},
): (set?: Readonly<Record<string, Value>>) => ScriptRun {
  const [compiled = expect.fail("no transaction")] = compile(programOf(sql), () => beginning);
  const options = { file: "x.sql", prng: new Prng(0), isSimple, isPipelined, transactions: TRANSACTIONS };
  return (set = {}) => {
    const values = new Map<string, Value>(Object.entries({ scale: 1n, client_id: 3n, ...set }));
    return new ScriptRun(compiled, values, 5, options);
  };
}

function machineOf(
  sql: string,
  { set = {}, ...options }: Parameters<typeof runsOf>[1] & { set?: Readonly<Record<string, Value>> } = {},
): ScriptRun {
  return runsOf(sql, options)(set);
}

const awake: PauseFor = () => Promise.resolve();

async function history(): Promise<string[]> {
  const rows = await admin.query("SELECT tid, delta FROM pgbench_history ORDER BY tid, delta");
  return rows.map(({ tid, delta }) => `${String(tid)}:${String(delta)}`);
}

const NOTE = (tid: number, delta: string): string =>
  `INSERT INTO pgbench_history (tid, delta) VALUES (${tid}, ${delta});\n`;

describe.each([
  ["a script with prepared statements", { prepared: true, isSimple: false, isPipelined: false }],
  ["a script with unprepared statements", { prepared: false, isSimple: false, isPipelined: false }],
  ["a script with the simple protocol", { prepared: false, isSimple: true, isPipelined: false }],
  ["a script in pipelines", { prepared: true, isSimple: false, isPipelined: true }],
])("%s", (_, { prepared, isSimple, isPipelined }) => {
  /** Runs the script twice on one connection, so that the second run uses prepared statements of the first. */
  async function twice(sql: string, rest: PauseFor = awake): Promise<string[]> {
    const connection = await connect(prepared);
    const runOf = runsOf(sql, { isSimple, isPipelined });
    for (let time = 0; time < 2; time++) await runOf().attempt(connection, rest);
    return history();
  }

  it("executes the branch whose condition is true", async () => {
    const sql = `\\if :scale - 1\n${NOTE(1, "1")}\\elif :client_id\n${NOTE(2, ":client_id")}\\else\n${NOTE(3, "1")}\\endif\n`;
    expect(await twice(sql)).toEqual(["2:3", "2:3"]);
  });

  it("binds columns with \\gset and \\aset to variables that later statements use", async () => {
    const sql = `SELECT abalance AS a, 2::bigint AS b FROM pgbench_accounts \\gset p_
\\set c :p_a * :p_b
SELECT bid FROM pgbench_branches ORDER BY bid \\aset
SELECT bid AS c FROM pgbench_branches WHERE false \\aset
${NOTE(1, ":c")}${NOTE(2, ":bid")}`;
    expect(await twice(sql)).toEqual(["1:14", "1:14", "2:2", "2:2"]);
  });

  it("ends as a committed empty poll if a statement marked `or end` finds no row", async () => {
    const sql = `BEGIN;\n${NOTE(1, "1")}-- or end
SELECT bid FROM pgbench_branches WHERE bid > 5 \\gset
${NOTE(2, "1")}END;`;
    expect(await twice(sql)).toEqual(["1:1", "1:1"]);
    const machine = machineOf(sql, { isSimple, isPipelined });
    await machine.attempt(await connect(prepared), awake);
    expect([machine.work, machine.foundNoRow]).toEqual([0, false]);
  });

  it("counts rows as work if a statement says `counts: rows`, and knows whether any row was found", async () => {
    const workOf = async (sql: string): Promise<[number, boolean]> => {
      const machine = machineOf(sql, { isSimple, isPipelined });
      await machine.attempt(await connect(prepared), awake);
      return [machine.work, machine.foundNoRow];
    };
    const update = "UPDATE pgbench_branches SET bbalance = 1";
    expect(await workOf(`-- counts: rows\n${update}`)).toEqual([2, false]);
    expect(await workOf(update)).toEqual([1, false]);
    expect(await workOf(`${update} WHERE bid > 5`)).toEqual([1, true]);
  });

  it("joins statements into one message, whose last statement gives the columns", async () => {
    const joined = `${NOTE(1, ":client_id").replace(";", " \\;")}SELECT 1 AS a \\; SELECT 5 AS a \\gset\n${NOTE(2, ":a")}`;
    expect(await twice(joined)).toEqual(["1:3", "1:3", "2:5", "2:5"]);
  });

  it("substitutes values in statements that take no parameters", async () => {
    const sql = `SELECT '$$ \\x' || chr(39) AS text \\gset
BEGIN;
SET LOCAL lock_timeout = :client_id;
DO $$ BEGIN IF length(:text) = 6 THEN INSERT INTO pgbench_history (tid, delta) VALUES (1, :client_id); END IF; END $$;
INSERT INTO pgbench_history (tid, delta) SELECT 2, setting::int FROM pg_settings WHERE name = 'lock_timeout';
END;`;
    expect(await twice(sql)).toEqual(["1:3", "1:3", "2:3", "2:3"]);
  });

  it("substitutes values in quoted text and escapes their quotes", async () => {
    const sql = `SELECT 'it''s' AS text \\gset\n${NOTE(1, "length('a :text')")}`;
    expect(await twice(sql)).toEqual(["1:6", "1:6"]);
  });

  it("sleeps for the stated time", async () => {
    const slept: number[] = [];
    await twice(`\\sleep 2 ms\n\\set n 3\n\\sleep :n s\n${NOTE(1, "1")}`, (ms) => {
      slept.push(ms);
      return Promise.resolve();
    });
    expect(slept).toEqual([2, 3000, 2, 3000]);
  });
});

it.each([
  ["SELECT 1 AS a WHERE false \\gset\n", "0 rows"],
  ["SELECT bid FROM pgbench_branches \\gset\n", "2 rows"],
])("\\gset refuses any number of rows but one: %j", async (sql, message) => {
  const connection = await connect(true);
  await expect(machineOf(sql).attempt(connection, awake)).rejects.toThrow(message);
});

it("each transaction, even a single statement, begins with the isolation and search path of the scenario", async () => {
  const beginning = {
    begin: "BEGIN ISOLATION LEVEL SERIALIZABLE",
    setUp: `SET LOCAL search_path TO ${namespace}`,
    isNeeded: true,
  };
  const connection = await connect(true, "");
  const seen = "SELECT current_setting('transaction_isolation') AS";
  const script = machineOf(
    `${seen} alone FROM pgbench_branches WHERE bid = 1 \\gset
${NOTE(1, "1")}BEGIN; ${seen} plain FROM pgbench_branches WHERE bid = 1 \\gset
END;
BEGIN ISOLATION LEVEL REPEATABLE READ; ${seen} own FROM pgbench_branches WHERE bid = 1 \\gset
END;`,
    { beginning },
  );
  await script.attempt(connection, awake);
  expect(["alone", "plain", "own"].map((name) => script.valueOf(name))).toEqual([
    "serializable",
    "serializable",
    "repeatable read",
  ]);
  expect(await history()).toEqual(["1:1"]);
});

describe("a script with \\startpipeline", () => {
  /** Runs the script twice on one connection; returns the calls of the second run. */
  async function callsOf(sql: string, beginning = AS_IS): Promise<string[]> {
    const connection = await connect(true, beginning.setUp === undefined ? undefined : "");
    const calls: string[] = [];
    const runOf = runsOf(sql, { beginning });
    await runOf().attempt(connection, awake);
    connection.observe({ onCall: (name) => void calls.push(name) });
    await runOf().attempt(connection, awake);
    return calls;
  }

  it("sends its statements in one message, which is one transaction", async () => {
    const sql = `\\startpipeline\n${NOTE(1, "1")}${NOTE(2, "2")}\\endpipeline\n`;
    expect(await callsOf(sql)).toEqual(["pipeline to x.insert-2"]);
    expect(await history()).toEqual(["1:1", "1:1", "2:2", "2:2"]);
  });

  it("rolls all of its statements back if one fails, and names it with its place", async () => {
    const sql = `\\startpipeline\n${NOTE(1, "1")}INSERT INTO pgbench_history (tid, delta) VALUES (2, 1 / (:client_id - 3));\n\\endpipeline`;
    const connection = await connect(true);
    const runOf = runsOf(sql);
    const failure = { statement: "x.insert-2", sqlstate: "22012", place: "x.sql:3:1" };
    // The first run parses the statements.
    for (let time = 0; time < 2; time++)
      await expect(runOf().attempt(connection, awake)).rejects.toMatchObject(failure);
    await runOf({ client_id: 4n }).attempt(connection, awake);
    expect(await history()).toEqual(["1:1", "2:1"]);
  });

  it("sends nothing later of an attempt that fails before its statements are sent", async () => {
    const sql = `\\startpipeline\n${NOTE(1, "1")}\\set quotient 6 / (:client_id - 3)\n${NOTE(2, ":quotient")}\\endpipeline`;
    const connection = await connect(true);
    const runOf = runsOf(sql);
    await expect(runOf().attempt(connection, awake)).rejects.toThrow(/division by zero/);
    await runOf({ client_id: 4n }).attempt(connection, awake);
    expect(await history()).toEqual(["1:1", "2:6"]);
  });

  it("commits at \\syncpipeline and at COMMIT, and sends before it sleeps or rolls back", async () => {
    const sql = `\\startpipeline
${NOTE(1, "1")}\\syncpipeline
BEGIN;
${NOTE(2, "2")}\\sleep 1 ms
${NOTE(3, "3")}END;
BEGIN;
${NOTE(4, "4")}ROLLBACK;
${NOTE(5, "5")}\\endpipeline`;
    expect(await callsOf(sql)).toEqual([
      ...["x.insert", "pipeline to x.insert-2", "pipeline to commit"],
      ...["pipeline to x.insert-4", "rollback", "x.insert-5"],
    ]);
    expect(await history()).toEqual(["1:1", "1:1", "2:2", "2:2", "3:3", "3:3", "5:5", "5:5"]);
  });

  it("is one transaction with the search path of the scenario, too", async () => {
    const beginning = { ...AS_IS, setUp: `SET LOCAL search_path TO ${namespace}` };
    const sql = `\\startpipeline\n${NOTE(1, "1")}${NOTE(2, "2")}\\endpipeline\n`;
    expect(await callsOf(sql, beginning)).toEqual(["pipeline to commit"]);
    expect(await history()).toEqual(["1:1", "1:1", "2:2", "2:2"]);
  });
});

it("a retry after a deadlock begins behind the last commit of the script", async () => {
  const script = (own: number, other: number): string =>
    `${NOTE(own, "1")}SELECT 4 AS n \\gset
BEGIN;
UPDATE pgbench_branches SET bbalance = bbalance + :n WHERE bid = ${own};
\\sleep 1 ms
UPDATE pgbench_branches SET bbalance = bbalance + :n WHERE bid = ${other};
END;
${NOTE(own, "2")}`;
  let arrived = 0;
  let both: () => void = () => undefined;
  const met = new Promise<void>((resolve) => (both = resolve));
  /** Pauses until both clients have locked a row. Each then waits for the other's row. */
  const meet: PauseFor = () => {
    if (++arrived === 2) both();
    return met;
  };
  const run = async (own: number, other: number): Promise<number> => {
    const connection = await connect(true);
    const machine = machineOf(script(own, other));
    for (let attempt = 1; ; attempt++) {
      try {
        await machine.attempt(connection, meet);
        return attempt;
      } catch (error) {
        expect(error).toMatchObject({ sqlstate: "40P01" });
      }
    }
  };
  const attempts = await Promise.all([run(1, 2), run(2, 1)]);
  expect(attempts.sort()).toEqual([1, 2]);
  expect(await history()).toEqual(["1:1", "1:2", "2:1", "2:2"]);
  const rows = await admin.query("SELECT bbalance FROM pgbench_branches");
  expect(rows.map(({ bbalance }) => bbalance)).toEqual([8, 8]);
});

describe("the audit of the built-in scripts", () => {
  const program = (() => {
    const read = readPgbench({ scripts: ["builtin:tpcb-like"], scale: 1, define: {} }, "scenario");
    if ("problems" in read) throw new Error("the built-in script has problems");
    return read.program;
  })();
  const settings = { dialect: "postgres", namespace, values: { scale: 1 } } as unknown as Treatment;

  const verdict = async (): Promise<unknown> => {
    const inputs = {
      settings,
      workerAccounts: [],
      directory: "",
      unclosed: [],
      preloaded: undefined,
      isDrained: false,
    };
    const { findings } = await audit(postgres(program, "pgbench"), program, "pgbench", admin, inputs);
    return [findings.verdict, findings.violations.length];
  };

  const book = (delta: number): string[] => [
    `UPDATE pgbench_accounts SET abalance = abalance + ${delta}`,
    `UPDATE pgbench_tellers SET tbalance = tbalance + ${delta}`,
    `UPDATE pgbench_branches SET bbalance = bbalance + ${delta} WHERE bid = 1`,
    `INSERT INTO pgbench_history (delta) VALUES (${delta})`,
  ];

  beforeEach(async () => {
    await admin.query("UPDATE pgbench_accounts SET abalance = 0");
    for (const statement of book(5)) await admin.query(statement);
  });

  it("accepts balances that the scripts can have left", async () =>
    expect(await verdict()).toEqual(["ok", 0]));

  it.each([0, 1, 2, 3])("finds statement %i of a transaction missing or executed twice", async (left) => {
    for (const [i, statement] of book(3).entries()) if (i !== left) await admin.query(statement);
    expect(await verdict()).toEqual(["violated", left === 0 || left === 2 ? 1 : 2]);
    const [missing = ""] = book(3).slice(left, left + 1);
    await admin.query(missing);
    expect(await verdict()).toEqual(["ok", 0]);
    await admin.query(missing);
    expect(await verdict()).toEqual(["violated", left === 0 || left === 2 ? 1 : 2]);
  });
});
