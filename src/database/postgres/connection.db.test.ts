import { afterEach, describe, expect, inject, it } from "vitest";
import type { SessionOptions } from "../contract.js";
import { PgConnection } from "./connection.js";
import { StatementError } from "../errors.js";
import { commit } from "./transaction.js";

const endpoint = inject("adminEndpoint");
const opened: PgConnection[] = [];

async function open(options: Partial<SessionOptions> = {}): Promise<PgConnection> {
  const connection = new PgConnection({
    endpoint,
    applicationName: "train-sim/test",
    prepared: false,
    ...options,
  });
  opened.push(connection);
  return connection.connect();
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((connection) => connection.end()));
});

const prepared = { name: "prep", text: "SELECT name FROM pg_prepared_statements ORDER BY name" };

describe("PgConnection", () => {
  it("runs a statement with its values and returns rows", async () => {
    const connection = await open();
    const statement = {
      name: "test.add",
      text: "SELECT $1::int + $2::int AS sum, $3::text AS t, $4::jsonb AS j",
    };
    expect(await connection.execute(statement, [1, 2, null, '{"a": 1}'])).toEqual([[3, null, '{"a": 1}']]);
  });

  it("returns an int8 as a number, and as text if no number holds the value exactly", async () => {
    const statement = {
      name: "test.int8",
      text: "SELECT 9007199254740991::int8 AS a, 9007199254740993::int8 AS b",
    };
    for (const prepared of [false, true]) {
      const connection = await open({ prepared });
      for (let call = 0; call < 2; call++)
        expect(await connection.execute(statement, [])).toEqual([
          [Number.MAX_SAFE_INTEGER, "9007199254740993"],
        ]);
    }
  });

  it("prepares a statement once under its name if configured, and not otherwise", async () => {
    const named = await open({ prepared: true });
    await named.execute(prepared, []);
    expect(await named.execute(prepared, [])).toEqual([["prep"]]);
    const unnamed = await open();
    await unnamed.execute(prepared, []);
    expect(await unnamed.execute(prepared, [])).toEqual([]);
  });

  it("counts commits with a warning, and no warning of other statements and no notice", async () => {
    const connection = await open();
    const say = (level: string): string => `DO $$ BEGIN RAISE ${level} 'canceling wait'; END $$`;
    await connection.control("commit", say("NOTICE"));
    await connection.control("begin", say("WARNING"));
    await connection.execute({ name: "test.warning", text: say("WARNING") }, []);
    expect(connection.warnedCommits).toBe(0);
    await connection.control("commit", say("WARNING"));
    await connection.control("commit", say("WARNING"));
    expect(connection.warnedCommits).toBe(2);
  });

  it("reports each transaction that ended at the server: single, in a block, failed or lost", async () => {
    let ended = 0;
    const connection = await open({ onTransaction: () => ended++, prepared: true });
    expect(ended).toBe(0);
    const one = { name: "test.one", text: "SELECT 1" };
    for (const expected of [1, 2, 3]) {
      await connection.execute(one, []);
      expect(ended).toBe(expected);
    }
    await connection.control("begin", "BEGIN");
    await connection.execute(one, []);
    await connection.execute(one, []);
    expect(ended).toBe(3);
    await connection.control("commit", "COMMIT");
    expect(ended).toBe(4);
    const wrong = { name: "test.wrong", text: "SELECT 1 / 0" };
    await expect(connection.execute(wrong, [])).rejects.toThrow(StatementError);
    await connection.control("begin", "BEGIN"); // the server is ready again later than its error arrives
    expect(ended).toBe(5);
    await expect(connection.execute(wrong, [])).rejects.toThrow(StatementError);
    expect(ended).toBe(5);
    await connection.control("rollback", "ROLLBACK");
    expect(ended).toBe(6);
    const end = { name: "test.end", text: "SELECT pg_terminate_backend(pg_backend_pid())" };
    await expect(connection.execute(end, [])).rejects.toThrow(StatementError);
    expect(ended).toBe(7);
    await connection.end();
    expect(ended).toBe(7);
  });

  it("shows its application name in pg_stat_activity", async () => {
    const connection = await open({ applicationName: "train-sim/consumers" });
    const text = "SELECT application_name AS a FROM pg_stat_activity WHERE pid = pg_backend_pid()";
    expect(await connection.execute({ name: "test.name", text }, [])).toEqual([["train-sim/consumers"]]);
  });

  it("ignores PGOPTIONS and PGSSLMODE of the environment", async () => {
    const before = { PGOPTIONS: process.env.PGOPTIONS, PGSSLMODE: process.env.PGSSLMODE };
    Object.assign(process.env, { PGOPTIONS: "-c work_mem=64kB", PGSSLMODE: "verify-full" });
    try {
      const connection = await open();
      const [row] = await connection.execute({ name: "test.show", text: "SHOW work_mem" }, []);
      expect(row?.[0]).not.toBe("64kB");
    } finally {
      for (const [name, value] of Object.entries(before)) {
        if (value === undefined) Reflect.deleteProperty(process.env, name);
        else process.env[name] = value;
      }
    }
  });

  it("names the statement, or the step of the transaction, in an error", async () => {
    const connection = await open();
    const failing = connection.execute({ name: "process.claim", text: "SELECT 1/0" }, []);
    await expect(failing).rejects.toThrow("process.claim: division by zero");
    const error: unknown = await connection.control("begin", "BEGINN").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StatementError);
    expect(error).toMatchObject({ statement: "begin", sqlstate: "42601" });
  });

  describe("a transaction that the server aborted", () => {
    const divide = { name: "test.divide", text: "SELECT 1/0" };
    const one = { name: "test.one", text: "SELECT 1" };
    const failing = { message: "test.divide: division by zero", sqlstate: "22012" };

    it.each([
      ["its next statement", (connection: PgConnection) => connection.execute(one, [])],
      ["its commit", (connection: PgConnection) => connection.control("commit", "COMMIT")],
      ["its commit in a transaction", (connection: PgConnection) => commit(connection, "COMMIT")],
    ])("fails %s with the first error, not with 25P02", async (_, next) => {
      const connection = await open();
      await connection.control("begin", "BEGIN");
      await expect(connection.execute(divide, [])).rejects.toMatchObject(failing);
      await connection.execute(one, []).catch(() => undefined);
      await expect(next(connection)).rejects.toMatchObject(failing);
    });

    it("continues after a savepoint, and then fails with its next error", async () => {
      const connection = await open();
      await connection.control("begin", "BEGIN; SAVEPOINT before");
      await connection.execute(divide, []).catch(() => undefined);
      await connection.execute({ name: "test.back", text: "ROLLBACK TO before" }, []);
      const missing = { name: "test.missing", text: "SELECT no_such_column" };
      await expect(connection.execute(missing, [])).rejects.toMatchObject({ sqlstate: "42703" });
      await expect(connection.execute(one, [])).rejects.toMatchObject({ sqlstate: "42703" });
    });

    it.each([
      ["begin", "BEGIN; SELECT 1/0"],
      ["commit", "SELECT 1/0; COMMIT"],
      ["rollback", "SELECT 1/0; ROLLBACK"],
    ] as const)("is forgotten after a %s that fails", async (name, text) => {
      const connection = await open();
      if (name !== "begin") await connection.control("begin", "BEGIN");
      await expect(connection.control(name, text)).rejects.toMatchObject({ sqlstate: "22012" });
      await connection.control("begin", "BEGIN ISOLATION LEVEL SERIALIZABLE");
      expect(await connection.execute(one, [])).toEqual([[1]]);
      await connection.control("commit", "COMMIT");
    });

    it("fails with a message that its commit rolled back if no other error is known", async () => {
      const connection = await open();
      await connection.control("begin", "BEGIN");
      await expect(connection.control("commit", "ROLLBACK")).rejects.toMatchObject({
        message: "commit: the server rolled back instead of committing",
        sqlstate: "25P02",
      });
    });

    it("ends with its session if its rollback fails", async () => {
      const connection = await open();
      await connection.control("begin", "BEGIN");
      await connection.execute(divide, []).catch(() => undefined);
      const late = Object.assign(new Error("canceling statement due to statement timeout"), {
        code: "57014",
      });
      const query = (call: { handleError(error: Error): void }): void => call.handleError(late);
      Object.assign(connection, { query });
      await expect(connection.control("rollback", "ROLLBACK")).rejects.toMatchObject({ sqlstate: "57014" });
      expect(connection.isBroken).toBe(true);
    });
  });

  it("passes the time of every call to an observer in order, failed calls included", async () => {
    const calls: string[] = [];
    let lastEndMs = 0;
    const connection = await open();
    await connection.execute({ name: "test.unobserved", text: "SELECT 1" }, []);
    connection.observe({
      onCall(name, startMs, endMs) {
        expect(startMs).toBeGreaterThanOrEqual(lastEndMs);
        expect(endMs).toBeGreaterThanOrEqual(startMs);
        lastEndMs = endMs;
        calls.push(name);
      },
    });
    await connection.control("begin", "BEGIN");
    await connection.execute({ name: "test.fail", text: "SELECT 1/0" }, []).catch(() => undefined);
    await connection.control("rollback", "ROLLBACK");
    connection.observe(undefined);
    await connection.execute({ name: "test.unobserved", text: "SELECT 1" }, []);
    expect(calls).toEqual(["begin", "test.fail", "rollback"]);
  });

  it("closes during a statement, also twice, and is broken afterwards", async () => {
    const connection = await open();
    const sleeping = connection.execute({ name: "test.sleep", text: "SELECT pg_sleep(60)" }, []);
    const outcome = expect(sleeping).rejects.toThrow("test.sleep: Connection terminated");
    await Promise.all([connection.end(), connection.end()]);
    await outcome;
    expect(connection.isBroken).toBe(true);
  });

  it("closes before it was opened", async () => {
    const connection = new PgConnection({ endpoint, applicationName: "x", prepared: false });
    await connection.end();
    expect(connection.isBroken).toBe(false);
  });
});
