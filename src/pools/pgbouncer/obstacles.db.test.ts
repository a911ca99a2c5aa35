// The check, before a run, of a PgBouncer that runs already: mode, size and prepared statements against the scenario's.
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { casesOf } from "../../../test/support/lanes.js";
import { pgBouncerEnv, PGBOUNCER_KINDS, startPgBouncers } from "../../../test/support/pgbouncers.js";
import type { RunningPooler } from "../running-pooler.js";
import { withConsole } from "../console.js";
import { pgbouncerObstacles } from "./obstacles.js";

const upstream = inject("adminEndpoint");

describe.each(casesOf(PGBOUNCER_KINDS, 2))("the check of a running PgBouncer %s", (kind) => {
  let pooler: RunningPooler;
  beforeAll(async () => {
    pooler = await startPgBouncers(
      { mode: "transaction", size: 3, instances: 1, maxPreparedStatements: 0, maxClientConnections: 20 },
      upstream,
      pgBouncerEnv(kind),
    );
  });
  afterAll(() => pooler.stop());
  const findObstacles = (mode: "session" | "transaction", size: number, maxPreparedStatements = 0) =>
    pgbouncerObstacles({ mode, size, maxPreparedStatements }, pooler, true);

  it("accepts a scenario with the same or a smaller size", async () => {
    expect(await findObstacles("transaction", 3)).toEqual([]);
    expect(await findObstacles("transaction", 2)).toEqual([]);
  });

  it("refuses another pool mode, and names both remedies", async () => {
    expect(await findObstacles("session", 3)).toEqual([
      {
        kind: "unfit",
        words: `pool.mode is session, but PgBouncer ${pooler.version ?? ""} has pool_mode = transaction`,
        remedy: "Set pool.mode: transaction, or give PgBouncer pool_mode = session.",
      },
    ]);
  });

  it("reports a pool size that is too small for the scenario, and refuses the scenario in session mode", async () => {
    expect(await findObstacles("transaction", 20)).toMatchObject([
      { kind: "evidence", remedy: "Set pool.size: 3, or give PgBouncer default_pool_size = 20." },
    ]);
    const [console] = pooler.consoles;
    if (!console) return expect.unreachable("a pooler has a console");
    const set = (mode: string): Promise<unknown> =>
      withConsole(console, (client) => client.query(`SET pool_mode = '${mode}'`));
    try {
      await set("session");
      expect(await findObstacles("session", 8)).toMatchObject([
        {
          kind: "unfit",
          words: expect.stringMatching(/^pool\.size is 8, but .* gives a pool 3 server/) as string,
        },
      ]);
    } finally {
      await set("transaction");
    }
  });

  it("refuses a setting that differs from the console's value", async () => {
    const stated = { mode: "transaction", size: 3, maxPreparedStatements: 0 } as const;
    const settings = { server_reset_query: "DISCARD ALL", server_reset_query_always: "1" };
    expect(await pgbouncerObstacles({ ...stated, settings }, pooler, true)).toMatchObject([
      {
        kind: "unfit",
        words: expect.stringMatching(
          /^pool\.settings has server_reset_query_always = 1, but .* has server_reset_query_always = 0$/,
        ) as string,
      },
    ]);
  });

  it("refuses a scenario that relies on prepared statements which PgBouncer does not keep", async () => {
    expect(await findObstacles("transaction", 3, 200)).toMatchObject([
      {
        kind: "unfit",
        words: expect.stringMatching(/^pool\.maxPreparedStatements is 200, but PgBouncer/) as string,
      },
    ]);
  });
});
