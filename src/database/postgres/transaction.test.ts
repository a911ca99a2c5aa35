import { describe, expect, test } from "vitest";
import { InDoubtError, StatementError } from "../errors.js";
import { classifyFailure } from "./sqlstates.js";
import { asTransaction, inReadTransaction, inTransaction } from "./transaction.js";
import type { Connection } from "../sql.js";
import { idleConnection } from "../../../test/support/idle-connection.js";

function failure(statement: string, code: string): StatementError {
  return new StatementError(statement, Object.assign(new Error(`code ${code}`), { code }), code);
}

/** A connection that logs its control calls and fails the chosen ones. */
function scriptedConnection(
  failures: Partial<Record<"begin" | "commit" | "rollback", Error>> = {},
  isBroken = false,
) {
  const calls: string[] = [];
  const connection: Connection = {
    ...idleConnection,
    isBroken,
    control(name, text) {
      calls.push(text);
      const error = failures[name];
      return error ? Promise.reject(error) : Promise.resolve();
    },
  };
  return { connection, calls };
}

const done = (): Promise<string> => Promise.resolve("done");

describe("inTransaction", () => {
  test("begins, runs and commits", async () => {
    const { connection, calls } = scriptedConnection();
    expect(await inTransaction(connection, "BEGIN", done)).toBe("done");
    expect(calls).toEqual(["BEGIN", "COMMIT"]);
  });

  test("rolls back and throws the first error if the body fails", async () => {
    const { connection, calls } = scriptedConnection({ rollback: failure("rollback", "08006") });
    const error = failure("process.claim", "40001");
    await expect(inTransaction(connection, "BEGIN", () => Promise.reject(error))).rejects.toBe(error);
    expect(calls).toEqual(["BEGIN", "ROLLBACK"]);
  });

  test("sends no rollback on a broken connection", async () => {
    const { connection, calls } = scriptedConnection({}, true);
    const error = failure("process.claim", "08006");
    await expect(inTransaction(connection, "BEGIN", () => Promise.reject(error))).rejects.toBe(error);
    expect(calls).toEqual(["BEGIN"]);
  });

  test("runs no body if it cannot begin", async () => {
    const error = failure("begin", "08006");
    const { connection, calls } = scriptedConnection({ begin: error });
    let hasRun = false;
    const body = async (): Promise<void> => void (hasRun = true);
    await expect(inTransaction(connection, "BEGIN", body)).rejects.toBe(error);
    expect(hasRun).toBe(false);
    expect(calls).toEqual(["BEGIN"]);
  });

  test.each(["08006", "08P01", "57P01", "57P02", "ECONNRESET", "40003", "53100", "58030", "XX000"])(
    "is in doubt if the commit fails with %s",
    async (code) => {
      const error = failure("commit", code);
      const { connection } = scriptedConnection({ commit: error });
      const body = () => Promise.resolve("what it did");
      const seen: unknown = await inTransaction(connection, "BEGIN", body).catch((e: unknown) => e);
      expect(seen).toBeInstanceOf(InDoubtError);
      expect(seen).toMatchObject({ cause: error, result: "what it did" });
    },
  );

  test.each(["40001", "40P01", "23503", "25P02"])(
    "is not in doubt if the server refuses the commit with %s",
    async (code) => {
      const error = failure("commit", code);
      const { connection } = scriptedConnection({ commit: error });
      await expect(inTransaction(connection, "BEGIN", done)).rejects.toBe(error);
    },
  );

  test("is not in doubt if the transaction had been aborted before", async () => {
    const abortedBy = failure("pay", "53100");
    const { connection } = scriptedConnection({ commit: abortedBy });
    Object.assign(connection, { abortedBy });
    await expect(inTransaction(connection, "BEGIN", done)).rejects.toBe(abortedBy);
  });
});

describe("a commit that did not reach the server", () => {
  test("is not in doubt if the connection was lost before it", async () => {
    const { connection, calls } = scriptedConnection();
    const body = (): Promise<void> => {
      Object.assign(connection, { isBroken: true });
      return Promise.resolve();
    };
    const seen: unknown = await inTransaction(connection, "BEGIN", body).catch((e: unknown) => e);
    expect(seen).toBeInstanceOf(StatementError);
    expect(classifyFailure(seen)).toEqual({ kind: "reconnect", sqlstate: "08003" });
    expect(calls).toEqual(["BEGIN"]);
  });

  test("fails with the error that ended the session, if it is known", async () => {
    const { connection, calls } = scriptedConnection();
    const lost = Object.assign(new Error("terminating connection"), { code: "57P01" });
    const body = (): Promise<void> => {
      Object.assign(connection, { isBroken: true, lossError: lost });
      return Promise.resolve();
    };
    const seen: unknown = await inTransaction(connection, "BEGIN", body).catch((e: unknown) => e);
    expect(seen).toMatchObject({ statement: "commit", sqlstate: "57P01", cause: lost });
    expect(classifyFailure(seen)).toEqual({ kind: "reconnect", sqlstate: "57P01" });
    expect(calls).toEqual(["BEGIN"]);
  });

  test.each([
    ["query_wait_timeout", false],
    [
      "server login has been failing, cached error: the database system is starting up (server_login_retry)",
      false,
    ],
    ["server login failed: FATAL the database system is shutting down", false],
    ["pgbouncer cannot connect to server", false],
    ["server conn crashed?", true],
    ["client_idle_timeout", true],
  ])("is recognised by the pooler's message: %s", async (message, isInDoubt) => {
    const cause = Object.assign(new Error(message), { code: "08P01" });
    const lost = new StatementError("add", cause, "08P01");
    const seen: unknown = await asTransaction(Promise.reject(lost), String).catch((e: unknown) => e);
    expect(seen instanceof InDoubtError).toBe(isInDoubt);
    expect(classifyFailure(seen).sqlstate).toBe("08P01");
  });
});

describe("inReadTransaction", () => {
  test("is never in doubt", async () => {
    const error = failure("commit", "08006");
    const { connection } = scriptedConnection({ commit: error });
    await expect(inReadTransaction(connection, "BEGIN", done)).rejects.toBe(error);
  });
});

describe("asTransaction", () => {
  test("is in doubt if its statement is lost, and not if it is refused", async () => {
    const lost = failure("add", "ECONNRESET");
    await expect(asTransaction(Promise.reject(lost), String)).rejects.toBeInstanceOf(InDoubtError);
    const refused = failure("add", "23505");
    await expect(asTransaction(Promise.reject(refused), String)).rejects.toBe(refused);
  });
});
