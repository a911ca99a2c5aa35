// Effects of a script under the real pgbench and under train-sim: the same rows by every protocol. If pgbench cannot run a
// script by a protocol, train-sim does the same as pgbench by another one.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PgConnection } from "../../src/database/postgres/connection.js";
import { Prng } from "../../src/foundation/prng.js";
import { readPgbench } from "../../src/workloads/pgbench/read-pgbench.js";
import { scriptDrawFactory } from "../../src/workloads/script/client.js";
import { TRANSACTIONS } from "../../src/workloads/script/stores/postgres.js";
import { ownDatabase } from "../support/own-database.js";
import { realPgbench, type RunPgbench } from "../support/real-pgbench.js";
import { scratchDirectory } from "../support/train-sim.js";

const own = ownDatabase("effects");
const DEFINED = { word: "some", flag: true, off: false, top: 7, half: 0.5, low: -5 };
const MODES = ["simple", "extended", "prepared"] as const;
const connections: PgConnection[] = [];
let pgbench: RunPgbench;

beforeAll(async () => {
  pgbench = await realPgbench(own);
  await own.admin.query("CREATE TABLE note (at serial, what text, n int)");
  await own.admin.query(
    "CREATE PROCEDURE add(what text) LANGUAGE SQL AS 'INSERT INTO note (what) VALUES ($1)'",
  );
});
afterAll(async () => {
  await Promise.all(connections.map((each) => each.end()));
});

/** Runs `work` and returns the notes that its script has made in the database; undefined if the script fails. */
async function notesBy(work: () => Promise<boolean> | boolean): Promise<string[] | undefined> {
  await own.admin.query("TRUNCATE note RESTART IDENTITY");
  if (!(await work())) return undefined;
  const rows = await own.admin.query("SELECT concat_ws(' ', what, n) AS said FROM note ORDER BY at");
  return rows.map(({ said: text }) => String(text));
}

function byPgbench(sql: string, mode: string): boolean {
  const file = join(scratchDirectory(), "x.sql");
  writeFileSync(file, sql);
  const all = Object.entries({ scale: 1, ...DEFINED });
  const defined = all.flatMap(([name, value]) => ["-D", `${name}=${String(value)}`]);
  return pgbench(["-n", "-M", mode, "-t", "1", ...defined, "-f", file]).status === 0;
}

async function byTrainSim(sql: string, mode: string): Promise<boolean> {
  const read = readPgbench({ scripts: [{ script: "x.sql", sql }], scale: 1, define: DEFINED }, "scenario");
  if ("problems" in read) return false;
  const prepared = mode === "prepared";
  const connection = new PgConnection({ endpoint: own.endpoint, applicationName: "test", prepared });
  connections.push(connection);
  await connection.connect();
  const settings = { values: { scale: 1, ...DEFINED }, prepared: mode === "simple" ? mode : prepared };
  // The draw needs only these members of its context.
  const context = { assignment: { settings, trial: { seed: 1 } } } as never;
  const draw = scriptDrawFactory(read.program, "x.sql")(context, {
    ...TRANSACTIONS,
    begin: () => ({ begin: "BEGIN", setUp: undefined, isNeeded: false }),
  });
  try {
    const run = draw("x", { client: 0, prng: new Prng(1) });
    return await run.attempt(connection, () => Promise.resolve());
  } catch {
    return false;
  }
}

const note = (what: string): string => `INSERT INTO note (what) VALUES (${what});\n`;

const VALUES = [
  ...[
    ":scale + 1",
    ":low - 1",
    "3-:low",
    ":half::float8 * 2",
    ":word",
    ":client_id",
    "(ARRAY[1,2,3])[1\\:2]",
  ],
  ...["':word'", "'a:word b'", "'12:30:45'", "'x' -- :word\n", "'x' /* :word ; */", "'a''b'", "'it; is'"],
  ...["'é:word'", "'é' || :word::text", "interval ':top days'", "':low:word'", "E'x\\'y'", "':off \"a\"'"],
];

const CASES = [
  ...VALUES.map(note),
  `\\SET a 2\n\\Set b :a + 1\n${note(":b")}`,
  `\\set a 1\\\n + 2\n${note(":a")}`,
  `\\set\ta\t3\n${note(":a")}`,
  ` \\set a 3\n ${note(":a")}`,
  `${note("1").trim()} \\set a 3\n${note(":a")}`,
  `\\set a 5\n${note(":a")}\\set a :a * 2\n${note(":a")}`,
  `\\set A 1\n\\set a 2\n${note(":A::int + :a")}`,
  `\\set _a1 4\n${note("1").replace(/\n/, "\r\n")}\\set a 2\r\n${note(":_a1::int + :a")}`,
  `\\set a 7 / 2\n\\set b 7 / 2.0\n${note("concat(:a::text, ' ', :b::text)")}`,
  `\\set a case when :flag and not :off then :top end\n${note(":a")}`,
  `\\if :flag\n${note("'yes'")}\\else\n${note("'no'")}\\endif\n\\if :off\n${note("'a'")}\\else\n${note("'b'")}\\endif\n`,
  `\\IF true\n${note("'a'")}\\ELSE\n\\ENDIF\n`,
  `\\if :scale = 1\n\\if 0\n${note("'x'")}\\elif :top\n${note("'y'")}\\endif\n\\else\n${note("'z'")}\\endif\n`,
  `\\if :low\n${note("'low'")}\\endif\n\\if :half\n${note("'half'")}\\endif\n`,
  `\\sleep 1us\n\\sleep 1 MS\n\\sleep 0\n\\sleep :scale us\n${note("'slept'")}`,
  `SELECT 5 AS n, 6 AS m \\gset\n${note(":n::int + :m")}`,
  `SELECT count(*) AS n FROM pg_class \\gset\n\\if :n > 10\n${note("'many'")}\\endif\n`,
  `SELECT true AS t, false AS f \\gset\n\\if :t and not :f\n${note("'both'")}\\endif\n`,
  `SELECT 1.5 AS d, 2.5::float8 AS e, '12' AS s \\gset\n\\set x :d + :e + :s\n${note(":x")}`,
  `SELECT 1 AS a, 2 AS "B" \\gset p\n${note(":pa")}`,
  `SELECT 'x' AS s \\gset\n${note(":s")}`,
  `SELECT 'x' AS s \\gset\n${note("':s and :s'")}`,
  `SELECT 1 AS a \\; SELECT 2 AS a \\gset\n${note(":a")}`,
  `SELECT 1 AS a \\; SELECT 2 AS b \\aset\n${note(":a::int + :b")}`,
  `SELECT n AS a FROM generate_series(1, 3) n \\aset\n\\set b :a * 2\n${note(":b")}`,
  `BEGIN; ${note("'in'")}END;\n${note("'out'")}`,
  `begin; ${note("'in'")}rollback;\n${note("'out'")}`,
  `START TRANSACTION; ${note("'in'")}COMMIT AND NO CHAIN;`,
  `BEGIN; ${note("'a'")}SAVEPOINT s; ${note("'b'")}ROLLBACK TO SAVEPOINT s; ${note("'c'")}END;`,
  `BEGIN;\nDECLARE c CURSOR FOR SELECT 1;\nFETCH c;\nEND;\n${note("1")}`,
  "DO $$ BEGIN INSERT INTO note (what) VALUES ('do'); END $$;",
  "DO $x$ BEGIN INSERT INTO note (n) VALUES (:scale), (:low); END $x$;",
  `SET LOCAL statement_timeout = :top;\n${note("1")}`,
  "CALL add(':word');\n",
  `TRUNCATE note;\nVACUUM note;\n${note("1")}`,
  `CREATE TEMP TABLE t (x int);\nINSERT INTO t VALUES (:scale);\n${note("(SELECT x FROM t)")}`,
  `CREATE OR REPLACE FUNCTION f(x int) RETURNS int LANGUAGE SQL BEGIN ATOMIC SELECT x + 1; END;\n${note("f(:scale)")}`,
  "WITH a AS (SELECT :scale::int AS n) INSERT INTO note (n) SELECT n FROM a;",
  `SELECT ':word' \\; INSERT INTO note (what) VALUES (':top');\n;;${note("1").trim()} ${note("2").replace(";", "")}`,
  // The scripts from here on fail.
  `${note("'before'")}SELECT 1 AS a WHERE false \\gset\n`,
  "SELECT n AS a FROM generate_series(1, 3) n \\gset\n",
  `\\set a 9223372036854775807 + :scale\n${note("1")}`,
  `\\set a 1 / (:scale - 1)\n${note("1")}`,
  `\\set a 1;\n${note(":a")}`,
  `\\set a 1 -- comment\n${note(":a")}`,
  `${note("1").replace(";", "\\;")}SELECT 1/0;\n`,
  "LOCK TABLE note;\n",
  "DECLARE c CURSOR FOR SELECT 1;\n",
];

it.each(CASES)("train-sim inserts the same rows as pgbench: %j", async (sql) => {
  const theirs: (string[] | undefined)[] = [];
  for (const mode of MODES) theirs.push(await notesBy(() => byPgbench(sql, mode)));
  const some = theirs.find((notes) => notes !== undefined);
  for (const [i, mode] of MODES.entries())
    expect(await notesBy(() => byTrainSim(sql, mode)), mode).toEqual(theirs[i] ?? some);
});
