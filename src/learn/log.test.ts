import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { readLog, type LogReading } from "./log.js";

const directory = mkdtempSync(join(tmpdir(), "train-sim-test-"));
afterAll(() => rmSync(directory, { recursive: true }));

function logOf(name: string, text: string): Promise<LogReading> {
  const file = join(directory, name);
  writeFileSync(file, text);
  return readLog([file], "shop");
}

const kindsIn = ({ kinds }: LogReading): unknown =>
  kinds.map(({ calls, statements }) => ({
    calls,
    statements: statements.map(({ statement, values }) => [statement.pieces.join("?"), values]),
  }));

const STDERR = `2026-11-29 10:00:00.000 UTC [7] LOG:  statement: BEGIN
2026-11-29 10:00:00.001 UTC [8] LOG:  execute <unnamed>: SELECT * FROM orders
\t WHERE id = $1
2026-11-29 10:00:00.001 UTC [8] DETAIL:  parameters: $1 = '5'
2026-11-29 10:00:00.002 UTC [7] LOG:  duration: 0.5 ms  execute s1: INSERT INTO orders VALUES ($1, $2)
2026-11-29 10:00:00.002 UTC [7] DETAIL:  Parameters: $1 = 'it''s', $2 = NULL
2026-11-29 10:00:00.003 UTC [8] LOG:  duration: 1.5 ms
2026-11-29 10:00:00.004 UTC [7] LOG:  statement: UPDATE orders SET total = 7
2026-11-29 10:00:00.005 UTC [7] LOG:  statement: COMMIT
2026-11-29 10:00:00.006 UTC [8] LOG:  statement: BEGIN
2026-11-29 10:00:00.007 UTC [8] LOG:  statement: DELETE FROM orders
2026-11-29 10:00:00.007 UTC [8] ERROR:  deadlock detected
2026-11-29 10:00:00.007 UTC [8] STATEMENT:  DELETE FROM orders
2026-11-29 10:00:00.008 UTC [8] LOG:  statement: ROLLBACK
2026-11-29 10:00:02.000 UTC [7] LOG:  statement: SET work_mem = '1MB'
2026-11-29 10:00:02.000 UTC [9] LOG:  checkpoint starting: time
`;

it("reads transactions by session from a log in stderr format, with values and durations", async () => {
  const log = await logOf("stderr.log", STDERR);
  expect(kindsIn(log)).toEqual([
    {
      calls: 1,
      statements: [
        ["INSERT INTO orders VALUES (?, ?)", [["it's", null]]],
        ["UPDATE orders SET total = ?", [["7"]]],
      ],
    },
    { calls: 1, statements: [["SELECT * FROM orders WHERE id = ?", [["5"]]]] },
  ]);
  expect(log.kinds.map(({ totalMs }) => totalMs)).toEqual([0.5, 1.5]);
  expect(log).toMatchObject({ rolledBack: 1, seconds: 2, hasSessions: true, hasDurations: true });
  expect([...log.others]).toEqual([["SET", 1]]);
});

it("takes a statement once if its parsing and binding are logged with their times, and its own parameters", async () => {
  const entry = (ms: number, step: string, sql: string, value: string): string =>
    `2026-11-29 10:00:00.000 UTC [7] LOG:  duration: ${ms} ms  ${step} P_1: ${sql}\n` +
    (step === "parse" ? "" : `2026-11-29 10:00:00.000 UTC [7] DETAIL:  parameters: $1 = '${value}'\n`);
  const log = await logOf(
    "durations.log",
    ["SELECT $1::int", "SELECT $1::text"]
      .flatMap((sql, i) =>
        (["parse", "bind", "execute"] as const).map((step) => entry(0.25, step, sql, `${i}`)),
      )
      .join(""),
  );
  expect(kindsIn(log)).toEqual([
    { calls: 1, statements: [["SELECT ?::int", [["0"]]]] },
    { calls: 1, statements: [["SELECT ?::text", [["1"]]]] },
  ]);
  expect(log.kinds.map(({ totalMs }) => totalMs)).toEqual([0.75, 0.75]);
});

/** A line of a csvlog. */
const csv = (session: string, database: string, message: string, detail = ""): string =>
  `2026-11-29 10:00:00.000 UTC,"app","${database}",7,"127.0.0.1:1",${session},1,"SELECT",2026-11-29 10:00:00 UTC,3/4,0,LOG,00000,"${message}","${detail}",,,,,,,,"app","client backend",,0\n`;

it("reads the statements of a message that holds several", async () => {
  const text =
    "2026-11-29 10:00:00.000 UTC [7] LOG:  statement: BEGIN; DELETE FROM a; DELETE FROM b; COMMIT\n";
  expect(kindsIn(await logOf("several.log", text))).toEqual([
    {
      calls: 1,
      statements: [
        ["DELETE FROM a", [[]]],
        ["DELETE FROM b", [[]]],
      ],
    },
  ]);
});

it("reads a csvlog, without the entries of other databases", async () => {
  const log = await logOf(
    "postgres.csv",
    csv(
      "a.1",
      "shop",
      'execute <unnamed>: SELECT ""id""\n FROM orders, items WHERE id = $1',
      'parameters: $1 = \'a, ""b""\'',
    ) + csv("a.1", "elsewhere", "statement: SELECT 1"),
  );
  expect(kindsIn(log)).toEqual([
    { calls: 1, statements: [['SELECT "id" FROM orders, items WHERE id = ?', [['a, "b"']]]] },
  ]);
});

it("reads the plans of auto_explain if no statement is logged", async () => {
  const plan = `2026-11-29 10:00:00.000 UTC [7] LOG:  duration: 2.5 ms  plan:
\tQuery Text: SELECT * FROM orders WHERE id = $1
\tQuery Parameters: $1 = '5'
\tSeq Scan on orders  (cost=0.00..1.00 rows=1 width=4)
\t  Filter: (id = 5)
`;
  const log = await logOf("plans.log", plan);
  expect(kindsIn(log)).toEqual([{ calls: 1, statements: [["SELECT * FROM orders WHERE id = ?", [["5"]]]] }]);
  expect(log.kinds[0]?.totalMs).toBe(2.5);
});

it("refuses a file that cannot be read, by its name", () =>
  expect(readLog([join(directory, "absent.log")], "shop")).rejects.toThrow(/cannot read .*absent\.log/));
