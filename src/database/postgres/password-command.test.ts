// Passwords from real commands, and logins with them at a server that asks for passwords.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { TargetError } from "../../foundation/errors.js";
import { startProtocolServer, type ProtocolServer } from "../../../test/support/protocol-server.js";
import { DSQL_REFUSALS } from "../../../test/support/retry-errors.js";
import { PgConnection } from "./connection.js";
import { forgetPassword, passwordFrom } from "../password-command.js";
import { classifyFailure } from "./sqlstates.js";

const EVERY_MS = 3_600_000;
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "train-sim-password-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** A command that prints `token-1`, `token-2`, ..., and a function that returns the number of its runs. */
function countingCommand(name: string, reuseMs = EVERY_MS) {
  const file = join(directory, name);
  const words = ["/bin/sh", "-c", `echo run >> "$0"; echo "  token-$(wc -l < "$0" | tr -d ' ')  "`, file];
  return { command: { words, reuseMs }, runs: () => readFileSync(file, "utf8").split("\n").length - 1 };
}

const failureOf = (words: readonly string[]): Promise<TargetError> =>
  passwordFrom({ words, reuseMs: EVERY_MS }).then(
    () => expect.unreachable("it was expected to fail"),
    (error: unknown) => error as TargetError,
  );

describe("a command for passwords", () => {
  it("runs once for several callers, and its output is trimmed", async () => {
    const { command, runs } = countingCommand("once");
    const all = await Promise.all([1, 2, 3].map(() => passwordFrom(command)));
    expect([...all, await passwordFrom(command)]).toEqual(Array(4).fill("token-1"));
    expect(runs()).toBe(1);
  });

  it("runs again after its period, or when its password is forgotten", async () => {
    const short = countingCommand("short", 0);
    expect([await passwordFrom(short.command), await passwordFrom(short.command)]).toEqual([
      "token-1",
      "token-2",
    ]);
    const { command } = countingCommand("forget");
    await passwordFrom(command);
    forgetPassword(command);
    expect(await passwordFrom(command)).toBe("token-2");
  });

  it.each([
    ["false", [], "ended with exit code 1"],
    [
      "/bin/sh",
      ["-c", "echo hunter2; echo >&2; echo 'no token hunter2 today' >&2; echo more >&2; exit 7"],
      "ended with exit code 7: no token ... today",
    ],
    ["/bin/sh", ["-c", "kill -9 $$"], "was ended by SIGKILL"],
    ["/nowhere/at-all", [], "was not found"],
    ["/", [], "could not be started (EACCES)"],
    ["true", [], "printed nothing"],
    ["/bin/sh", ["-c", "echo hunter2; echo hunter3"], "printed more than one line"],
  ])("fails with its output but without a password: %s %j", async (program, words, seen) => {
    const error = await failureOf([program, ...words]);
    expect(error).toBeInstanceOf(TargetError);
    expect(error.message).toBe(`target.passwordCommand (${program}) ${seen}`);
    expect(`${error.message} ${error.hint} ${error.stack}`).not.toMatch(/hunter/);
  });

  it("does not see the passwords of the environment", async () => {
    vi.stubEnv("PGPASSWORD", "hunter2")
      .stubEnv("TRAIN_SIM_ADMIN_PASSWORD", "hunter3")
      .stubEnv("OTHER", "seen");
    const words = ["/bin/sh", "-c", 'echo "$PGPASSWORD$TRAIN_SIM_ADMIN_PASSWORD$OTHER"'];
    expect(await passwordFrom({ words, reuseMs: EVERY_MS })).toBe("seen");
    vi.unstubAllEnvs();
  });

  it("runs again after a failure", async () => {
    const file = join(directory, "second");
    const words = ["/bin/sh", "-c", `test -e "$0" && echo token || { touch "$0"; exit 1; }`, file];
    expect((await failureOf(words)).message).toContain("exit code 1");
    expect(await passwordFrom({ words, reuseMs: EVERY_MS })).toBe("token");
  });
});

describe("a login with a password command", () => {
  async function withServer(
    accepts: RegExp,
    work: (server: ProtocolServer, heard: string[]) => Promise<void>,
  ) {
    const heard: string[] = [];
    const server = await startProtocolServer({
      asksPassword: true,
      answer: () => ({ tag: "SELECT 0" }),
      status: () => "I",
      login: (_, password = "") => {
        heard.push(password);
        return accepts.test(password) ? undefined : DSQL_REFUSALS[0];
      },
    });
    try {
      await work(server, heard);
    } finally {
      await server.close();
    }
  }
  const connect = async (port: number, passwordCommand: { words: readonly string[]; reuseMs: number }) => {
    const endpoint = {
      scheme: "postgresql",
      host: "127.0.0.1",
      port,
      database: "d",
      user: "u",
      passwordCommand,
    };
    const connection = new PgConnection({ endpoint, applicationName: "train-sim/test", prepared: false });
    await connection.connect();
    await connection.end();
  };

  it("shares a token, and gets a new one after the server called the old one expired", async () => {
    const { command, runs } = countingCommand("login");
    await withServer(/token-2/, async ({ port }, heard) => {
      const refusal = await connect(port, command).then(() => undefined, classifyFailure);
      expect(refusal).toEqual({ kind: "reconnect", sqlstate: "08006" });
      await connect(port, command);
      await connect(port, command);
      expect(heard).toEqual(["token-1", "token-2", "token-2"]);
      expect(runs()).toBe(2);
    });
  });

  it("fails with the command's failure as a fatal error, without a login", async () => {
    await withServer(/./, async ({ port }, heard) => {
      const error: unknown = await connect(port, { words: ["false"], reuseMs: 0 }).catch((e: unknown) => e);
      expect(error).toMatchObject({
        name: "TargetError",
        message: "target.passwordCommand (false) ended with exit code 1",
      });
      expect(classifyFailure(error).kind).toBe("fatal");
      expect(heard).toEqual([]);
    });
  });
});
