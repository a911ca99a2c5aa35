// Held calls on a real server: one message, each answer to its call, and the same errors as without a pipeline.
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { InDoubtError, StatementError } from "../errors.js";
import type { StatementRow } from "../sql.js";
import { PgConnection } from "./connection.js";
import { commit, inTransaction } from "./transaction.js";

const endpoint = inject("adminEndpoint");
const insert = { name: "test.insert", text: "INSERT INTO pipeline_test VALUES ($1)" };
const select = { name: "test.select", text: "SELECT i FROM pipeline_test ORDER BY i" };
const divide = { name: "test.divide", text: "SELECT 1 / $1::int" };
const begin = "BEGIN ISOLATION LEVEL READ COMMITTED";

describe.each([true, false])("a pipeline on a session with prepared: %s", (prepared) => {
  let session: PgConnection;
  let other: PgConnection;
  const calls: string[] = [];
  const connect = (): Promise<PgConnection> =>
    new PgConnection({ endpoint, applicationName: "train-sim/test", prepared }).connect();
  const stored = async (): Promise<unknown> => (await other.execute(select, [])).map(([i]) => i);

  beforeAll(async () => {
    other = await connect();
    await other.execute({ name: "drop", text: "DROP TABLE IF EXISTS pipeline_test", isText: true }, []);
    await other.execute({ name: "create", text: "CREATE TABLE pipeline_test (i int)", isText: true }, []);
  });
  afterAll(async () => {
    await other.execute({ name: "drop", text: "DROP TABLE pipeline_test", isText: true }, []);
    await Promise.all([session.end(), other.end()]);
  });
  beforeEach(async () => {
    await (session as PgConnection | undefined)?.end();
    session = await connect();
    // The first run of each statement is not held.
    for (const [statement, values] of [
      [insert, [0]],
      [select, []],
      [divide, [1]],
    ] as const)
      await session.execute(statement, values);
    await other.execute({ name: "empty", text: "TRUNCATE pipeline_test", isText: true }, []);
    calls.length = 0;
    session.observe({ onCall: (name) => void calls.push(name) });
  });

  it("sends a transaction as one call, and gives each statement its rows", async () => {
    const rows: (readonly StatementRow[])[] = [];
    const take = (each: readonly StatementRow[]): void => void rows.push(each);
    await inTransaction(
      session,
      begin,
      async () => {
        expect(session.hold(insert, [7])).toBeUndefined();
        expect(session.hold(insert, [8])).toBeUndefined();
        expect(session.hold(select, [], take)).toBeUndefined();
        expect(calls).toEqual([]);
        expect(await stored()).toEqual([]);
      },
      true,
    );
    expect(calls).toEqual(["pipeline to commit"]);
    expect(rows).toEqual([[[7], [8]]]);
    expect(await stored()).toEqual([7, 8]);
  });

  it("sends what is held with the next statement that is awaited, which is parsed first if it is new", async () => {
    session.holdBegin([begin, "SET LOCAL work_mem TO '5MB'"]);
    await session.hold(insert, [1]);
    expect(await session.execute(select, [])).toEqual([[1]]);
    await session.hold(insert, [2]);
    const show = { name: "test.show", text: "SELECT current_setting('work_mem')" };
    expect(await session.execute(show, [])).toEqual([["5MB"]]);
    expect(calls).toEqual(["pipeline to test.select", "test.show", "pipeline to test.show"]);
    await commit(session, "COMMIT");
    expect(await stored()).toEqual([1, 2]);
  });

  it("fails with the name of the statement that the server refused, and commits nothing", async () => {
    const failing = inTransaction(
      session,
      begin,
      async () => {
        await session.hold(insert, [1]);
        await session.hold(divide, [0]);
        await session.hold(insert, [2]);
      },
      true,
    );
    await expect(failing).rejects.toMatchObject({ statement: "test.divide", sqlstate: "22012" });
    await expect(failing).rejects.not.toBeInstanceOf(InDoubtError);
    expect(await stored()).toEqual([]);
    expect(await session.execute(select, [])).toEqual([]);
    expect(session.isBroken).toBe(false);
  });

  it("leaves the commit in doubt if the session ends before its answer", async () => {
    const end = { name: "test.end", text: "SELECT pg_terminate_backend($1::int)" };
    await session.execute(end, [0]);
    const pid = await session.execute({ name: "test.pid", text: "SELECT pg_backend_pid()" }, []);
    const lost = inTransaction(
      session,
      begin,
      async () => {
        await session.hold(insert, [1]);
        await session.hold(end, [Number(pid[0]?.[0])]);
      },
      true,
    );
    await expect(lost).rejects.toBeInstanceOf(InDoubtError);
    expect(session.isBroken).toBe(true);
    expect(await stored()).toEqual([]);
  });

  it("drops what is held at a rollback, and throws what a reader of rows throws", async () => {
    session.holdBegin([begin]);
    await session.hold(insert, [1]);
    await session.control("rollback", "ROLLBACK");
    expect(await stored()).toEqual([]);
    await session.hold(select, [], () => {
      throw new StatementError("test.select", new Error("unexpected"));
    });
    await expect(session.flush()).rejects.toThrow("unexpected");
    await session.flush();
  });

  it("reads long answers, and counts a warning as the commit's only if the commit gave it", async () => {
    const long = { name: "test.long", text: "SELECT repeat('x', $1::int)" };
    const warn = { name: "test.warn", text: "SELECT pg_temp.warn()" };
    const text = `CREATE FUNCTION pg_temp.warn() RETURNS int LANGUAGE plpgsql AS $$
      BEGIN RAISE WARNING 'careful'; RETURN 1; END $$`;
    await session.execute({ name: "test.function", text, isText: true }, []);
    await session.execute(long, [1]);
    await session.execute(warn, []);
    const lengths: number[] = [];
    session.holdBegin([begin]);
    await session.hold(warn, []);
    await session.hold(long, [400_000], ([row]) => void lengths.push(String(row?.[0]).length));
    await session.hold(insert, [3]);
    await commit(session, "COMMIT");
    expect(lengths).toEqual([400_000]);
    expect(session.warnedCommits).toBe(0);
    expect(await stored()).toEqual([3]);
  });
});
