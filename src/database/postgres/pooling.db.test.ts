// Two sessions show whether a target is a pooler: through real PgBouncers in each of their modes.
import { expect, inject, it } from "vitest";
import { pgBouncerEnv, startPgBouncers } from "../../../test/support/pgbouncers.js";
import { testNamespace } from "../../../test/support/namespace.js";
import { urlOf } from "../../../test/support/suite-server.js";
import { trainSim } from "../../../test/support/train-sim.js";
import { connectAdmin } from "./admin.js";
import type { Endpoint } from "../endpoint.js";
import { poolingModeOf } from "./pooling.js";

const server = inject("adminEndpoint");

async function through<T>(
  mode: "session" | "transaction" | "statement",
  size: number,
  work: (entry: Endpoint) => Promise<T>,
): Promise<T> {
  const limits = { instances: 1, maxPreparedStatements: 0, maxClientConnections: 20 };
  const pooler = await startPgBouncers({ mode, size, ...limits }, server, pgBouncerEnv());
  try {
    return await work(pooler.endpoints[0] as Endpoint);
  } finally {
    await pooler.stop();
  }
}

it.each([
  ["statement", 4, "statement"],
  ["transaction", 4, "transaction"],
  ["transaction", 1, "transaction"],
  ["session", 4, undefined],
  ["session", 1, undefined],
] as const)(
  "pooling through a PgBouncer in %s mode with %d connections is recognised as %s",
  async (mode, size, pooling) => {
    expect(await through(mode, size, poolingModeOf)).toBe(pooling);
  },
);

it("pooling is not found on a direct connection to a server", async () => {
  expect(await poolingModeOf(server)).toBeUndefined();
});

it("a command that is refused because of pooling leaves no claim", async () => {
  const namespace = testNamespace("pooled");
  const args = (url: string) => ["schema", "apply", "--url", url, "--namespace", namespace];
  const { exitCode, stderr } = await through("transaction", 4, (entry) => trainSim(args(urlOf(entry))));
  expect(exitCode).toBe(104);
  expect(stderr).toContain("is a pooler in transaction mode");
  const admin = await connectAdmin(server);
  const held = await admin.query(
    "SELECT 1 FROM pg_stat_activity WHERE application_name LIKE '%claim%' AND query LIKE $1",
    [`%${namespace}%`],
  );
  await admin.close();
  expect(held).toEqual([]);
});
