// Sessions and transactions on real servers of MySQL and MariaDB.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { casesOf } from "../../../test/support/lanes.js";
import { useMySqlServer, type MySqlServerName } from "../../../test/support/mysql-servers.js";
import { TcpProxy } from "../../faults/means/tcp-proxy.js";
import { systemClock } from "../../foundation/clock.js";
import { messageOf } from "../../foundation/errors.js";
import { Prng } from "../../foundation/prng.js";
import { InDoubtError, StatementError } from "../errors.js";
import { connectMySqlAdmin, type MySqlAdmin } from "./admin.js";
import { classifyFailure } from "./error-codes.js";
import { MySqlSession } from "./session.js";
import { asTransaction, beginText, inTransaction } from "./transaction.js";

const WRITE = beginText("read committed", "READ WRITE");

describe.each<MySqlServerName>(casesOf(["mariadb", "mysql"], 1))("a session of %s", (name) => {
  const server = useMySqlServer(name);
  const sessions: MySqlSession[] = [];
  let admin: MySqlAdmin;
  beforeAll(async () => {
    admin = await connectMySqlAdmin(server().endpoint);
    await admin.query("CREATE TABLE seats (id int PRIMARY KEY, taken int NOT NULL)");
  });
  afterAll(() => admin.close());
  afterEach(async () => {
    await Promise.all(sessions.splice(0).map((session) => session.end()));
    await admin.query("TRUNCATE seats");
  });

  async function open(changes: Partial<ConstructorParameters<typeof MySqlSession>[0]> = {}) {
    const session = new MySqlSession({
      endpoint: server().endpoint,
      applicationName: "train-sim/test",
      prepared: true,
      ...changes,
    });
    sessions.push(session);
    return session.connect();
  }
  const run = (session: MySqlSession, text: string, values: readonly (string | number)[] = []) =>
    session.execute({ name: "test", text }, values);
  const taken = async (id: number) =>
    (await admin.query("SELECT taken FROM seats WHERE id = ?", [id]))[0]?.["taken"];

  it.each([true, false])("reads exact values as text, with prepared: %s", async (prepared) => {
    const session = await open({ prepared });
    const [row] = await run(
      session,
      `SELECT 1, CAST(9007199254740993 AS SIGNED), CAST('0.10' AS DECIMAL(4, 2)), CAST('2026-11-29 08:09:10' AS DATETIME),
              JSON_OBJECT('b', 1), ?, NULL`,
      ["a'b"],
    );
    expect(row?.map((value) => (typeof value === "string" ? value.replace(": ", ":") : value))).toEqual([
      1,
      "9007199254740993",
      "0.10",
      "2026-11-29 08:09:10",
      '{"b":1}',
      "a'b",
      null,
    ]);
    const limited = await session.executeNamed({ name: "test", text: "SELECT 1 AS one LIMIT ?" }, [1]);
    expect(limited).toEqual([{ one: 1 }]);
  });

  it("counts the rows that a statement changed, and knows the last inserted value", async () => {
    const session = await open();
    await run(session, "INSERT INTO seats VALUES (1, 5), (2, 5)");
    expect(session).toMatchObject({ affectedRows: 2, foundNoRow: false });
    await run(session, "UPDATE seats SET taken = LAST_INSERT_ID(taken + 1) WHERE id = ?", [1]);
    expect(session).toMatchObject({ affectedRows: 1, insertId: 6 });
    await run(session, "UPDATE seats SET taken = 0 WHERE id = ?", [3]);
    expect(session).toMatchObject({ affectedRows: 0, foundNoRow: true });
    await run(session, "SELECT 1 FROM seats WHERE id = 3");
    expect(session.foundNoRow).toBe(true);
  });

  it("commits a transaction, and rolls it back if its body rejects", async () => {
    const session = await open();
    await inTransaction(session, WRITE, () => run(session, "INSERT INTO seats VALUES (1, 1)"));
    const failed = inTransaction(session, WRITE, async () => {
      await run(session, "INSERT INTO seats VALUES (2, 1)");
      throw new Error("sold out");
    });
    await expect(failed).rejects.toThrow("sold out");
    expect([await taken(1), await taken(2)]).toEqual([1, undefined]);
  });

  it("uses the isolation level for one transaction", async () => {
    const session = await open();
    await run(session, "INSERT INTO seats VALUES (1, 1)");
    const seen = (level: "read committed" | "repeatable read") =>
      inTransaction(session, beginText(level, "READ WRITE"), async () => {
        await run(session, "SELECT taken FROM seats");
        await admin.query("UPDATE seats SET taken = taken + 1");
        return (await run(session, "SELECT taken FROM seats"))[0]?.[0];
      });
    expect(await seen("repeatable read")).toBe(1);
    expect(await seen("read committed")).toBe(3);
  });

  it("reports each call to its observer, failed ones too", async () => {
    const session = await open();
    const calls: string[] = [];
    session.observe({
      onCall: (called, startMs, endMs) => void calls.push(`${called} ${endMs >= startMs}`),
    });
    const answer = inTransaction(session, WRITE, () => run(session, "SELECT nothing FROM nowhere"));
    await expect(answer).rejects.toThrow("nowhere");
    expect(calls).toEqual(["begin true", "test true", "rollback true"]);
  });

  it("classifies a deadlock, a lock wait and a duplicate of two sessions", async () => {
    const [one, other] = [await open(), await open()];
    await run(one, "INSERT INTO seats VALUES (1, 0), (2, 0)");
    const take = (session: MySqlSession, id: number) =>
      run(session, "UPDATE seats SET taken = taken + 1 WHERE id = ?", [id]);
    for (const session of [one, other]) await session.control("begin", WRITE);
    await take(one, 1);
    await take(other, 2);
    const outcomes = await Promise.allSettled([take(one, 2), take(other, 1)]);
    const errors = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
    expect(errors.map(classifyFailure)).toEqual([{ kind: "retry", sqlstate: "1213" }]);
    const [loser, winner] = outcomes[0].status === "rejected" ? [one, other] : [other, one];
    // The server has rolled the transaction back: a later statement of it would be a transaction by itself.
    await expect(take(loser, 1)).rejects.toBe(errors[0]);
    await expect(loser.control("commit", "COMMIT")).rejects.toBe(errors[0]);
    await loser.control("begin", `SET innodb_lock_wait_timeout = 1; ${WRITE}`);
    const late: unknown = await take(loser, 1).catch((error: unknown) => error);
    expect(classifyFailure(late)).toEqual({ kind: "retry", sqlstate: "1205" });
    await loser.control("rollback", "ROLLBACK");
    await winner.control("commit", "COMMIT");
    const again: unknown = await run(loser, "INSERT INTO seats VALUES (1, 0)").catch(
      (error: unknown) => error,
    );
    expect(classifyFailure(again)).toEqual({ kind: "fatal", sqlstate: "1062" });
    const wrong: unknown = await run(loser, "SELEC 1").catch((error: unknown) => error);
    expect(classifyFailure(wrong)).toEqual({ kind: "fatal", sqlstate: "1064" });
    expect([await taken(1), await taken(2)]).toEqual([1, 1]);
  });

  it("is broken after its end at the server, and its statement is to be tried on a new connection", async () => {
    const lost: unknown[] = [];
    const session = await open({ report: (event) => void lost.push(event) });
    const sleep = run(session, "SELECT SLEEP(20)").catch((error: unknown) => error);
    await admin.query(`KILL CONNECTION ${session.processId}`);
    expect(classifyFailure(await sleep).kind).toBe("reconnect");
    expect(session.isBroken).toBe(true);
    const next: unknown = await run(session, "SELECT 1").catch((error: unknown) => error);
    expect(next).toBeInstanceOf(StatementError);
    expect(classifyFailure(next).kind).toBe("reconnect");
    expect(lost).toEqual(["connected", "lost"]);
  });

  it("leaves a commit in doubt if the connection is lost during the commit, and only then", async () => {
    const session = await open();
    await session.control("begin", WRITE);
    await run(session, "INSERT INTO seats VALUES (1, 1)");
    // A commit that waits: another session holds the commits back.
    await admin.query("FLUSH TABLES WITH READ LOCK");
    const committed = asTransaction(session.control("commit", "COMMIT"), () => true).catch(
      (error: unknown) => error,
    );
    await admin.query(`KILL CONNECTION ${session.processId}`);
    expect(await committed).toBeInstanceOf(InDoubtError);
    await admin.query("UNLOCK TABLES");
    const other = await open();
    const failed: unknown = await inTransaction(other, WRITE, async () => {
      await admin.query(`KILL CONNECTION ${other.processId}`);
      await run(other, "SELECT SLEEP(1)");
    }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(StatementError);
  });

  it("leaves each unanswered commit in doubt: it was written, or not", async () => {
    const { host, port } = server().endpoint;
    const proxy = await TcpProxy.open({ host, port }, systemClock, new Prng(7));
    await proxy.apply({ kind: "reset-commits", share: 1 });
    for (let id = 0; id < 20; id++) {
      const session = await open({ endpoint: { ...server().endpoint, port: proxy.port } });
      const add = inTransaction(session, WRITE, () => run(session, "INSERT INTO seats VALUES (?, 0)", [id]));
      await expect(add).rejects.toBeInstanceOf(InDoubtError);
    }
    const { commitsLost, answersLost } = proxy.effect;
    await proxy.close();
    expect(commitsLost + answersLost).toBe(20);
    const [row] = await admin.query("SELECT COUNT(*) AS n FROM seats");
    expect(Number(row?.["n"])).toBe(answersLost);
  });

  it("refuses a wrong password, a missing database and an absent server, each in a sentence", async () => {
    const { endpoint } = server();
    const refusal = (changes: object) =>
      open({ endpoint: { ...endpoint, ...changes } }).then(
        () => "",
        (error: unknown) => messageOf(error),
      );
    expect(await refusal({ password: "wrong" })).toContain(`the password for user "train" was refused (1045`);
    expect(await refusal({ database: "nowhere" })).toContain(`there is no database "nowhere" (1049`);
    expect(await refusal({ port: 1 })).toContain("nothing listens there (ECONNREFUSED");
    expect(await refusal({ host: "no-such-host.invalid" })).toContain("the host name is not known");
  });
});
