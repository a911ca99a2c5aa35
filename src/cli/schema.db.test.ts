// `train-sim schema apply` and `drop` on a server that speaks another dialect than the requested one: refused before
// anything is made or dropped there. Half-made schemas may stay behind without the mark by which train-sim recognises its
// schemas.
import { Command } from "commander";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { connectAdmin, type AdminClient } from "../database/postgres/admin.js";
import { ExitCode, UsageError } from "../foundation/errors.js";
import { commandStage } from "../../test/support/command-stage.js";
import { testNamespace } from "../../test/support/namespace.js";
import { urlOf } from "../../test/support/suite-server.js";
import { register } from "./schema.js";

const stage = commandStage();
let admin: AdminClient;

beforeEach(async () => {
  admin = await connectAdmin(inject("adminEndpoint"));
});
afterEach(() => admin.close());

/** Resolves to the error that the command ended with, if any. */
async function schema(...args: string[]): Promise<unknown> {
  const program = new Command();
  register(program);
  const url = urlOf(inject("adminEndpoint"));
  return program.parseAsync(["schema", ...args, "--url", url], { from: "user" }).then(
    () => undefined,
    (error: unknown) => error,
  );
}

async function tablesIn(namespace: string): Promise<number | undefined> {
  const [row] = await admin.query(
    `SELECT (SELECT count(*)::int FROM pg_class WHERE relnamespace = n.oid AND relkind = 'r') AS tables
       FROM pg_namespace n WHERE nspname = $1`,
    [namespace],
  );
  return row === undefined ? undefined : Number(row["tables"]);
}

describe("schema commands with a dialect that the server does not speak", () => {
  it.each(["cockroachdb", "dsql", "cloudberry"])("apply refuses %s and creates nothing", async (dialect) => {
    const namespace = testNamespace("schema");
    const error = await schema("apply", "--dialect", dialect, "--payload", "text", "--namespace", namespace);
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ exitCode: ExitCode.invalid, hint: "Use --dialect postgres." });
    expect((error as UsageError).message).toMatch(
      new RegExp(`the dialect is ${dialect}, and the server is PostgreSQL`),
    );
    expect(await tablesIn(namespace)).toBeUndefined();
  });

  it("drop refuses the dialect and drops nothing", async () => {
    const namespace = testNamespace("schema");
    expect(await schema("apply", "--namespace", namespace)).toBeUndefined();
    expect(await schema("drop", "--dialect", "dsql", "--namespace", namespace)).toBeInstanceOf(UsageError);
    expect(await tablesIn(namespace)).toBe(3);
    expect(await schema("drop", "--namespace", namespace)).toBeUndefined();
    expect(await tablesIn(namespace)).toBeUndefined();
    expect(stage.output).toBe(`namespace ${namespace}: created\nnamespace ${namespace}: dropped\n`);
  });
});
