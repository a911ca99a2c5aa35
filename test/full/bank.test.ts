// User-defined SQL through every way to connect, with every planted error, and with faults.
import { describe, expect, it } from "vitest";
import { BANK, bankIn, BUDGET, expectFoundOut, expectSound, FAULTS, MUTANTS } from "../support/bank.js";
import { pgBouncerEnv } from "../support/pgbouncers.js";
import { poolerEnv } from "../support/poolers.js";
import { onlyResultIn } from "../support/train-sim.js";

const bank = bankIn("bank");
const { run } = bank;

describe("the bank workload", () => {
  it.each([
    ["direct", {}, process.env],
    [
      "a connection per transaction",
      { pool: { strategy: "direct", reconnect: "per-transaction" } },
      process.env,
    ],
    ["pg-pool", { pool: { strategy: "pg-pool", size: 2 } }, process.env],
    [
      "PgBouncer by transaction",
      { pool: { strategy: "pgbouncer", mode: "transaction", size: 2 } },
      pgBouncerEnv(),
    ],
    ["PgBouncer by session", { pool: { strategy: "pgbouncer", mode: "session", size: 4 } }, pgBouncerEnv()],
    [
      "an old PgBouncer",
      { pool: { strategy: "pgbouncer", mode: "transaction", size: 2 } },
      poolerEnv("1.18"),
    ],
    [
      "a new connection by certificate for each transaction",
      {
        pool: { strategy: "pgbouncer", size: 2, login: "certificate", reconnect: "per-transaction" },
      },
      poolerEnv("1.18"),
    ],
    ["Odyssey", { pool: { strategy: "odyssey", size: 2 } }, poolerEnv("odyssey")],
    ["Pgpool-II", { pool: { strategy: "pgpool", size: 4 } }, poolerEnv("pgpool")],
    ["the simple protocol", { prepared: "simple" }, process.env],
    ["serializable", { isolation: "serializable" }, process.env],
    ["pipelines", { pipeline: true }, process.env],
    ["pipelines of unnamed statements", { pipeline: true, prepared: false }, process.env],
    [
      "pipelines through PgBouncer",
      { pipeline: true, pool: { strategy: "pgbouncer", mode: "transaction", size: 2 } },
      pgBouncerEnv(),
    ],
    [
      "pipelines through an old PgBouncer",
      { pipeline: true, pool: { strategy: "pgbouncer", mode: "transaction", size: 2 } },
      poolerEnv("1.18"),
    ],
    [
      "pipelines through Odyssey",
      { pipeline: true, pool: { strategy: "odyssey", size: 2 } },
      poolerEnv("odyssey"),
    ],
    [
      "pipelines through Pgpool-II",
      { pipeline: true, pool: { strategy: "pgpool", size: 4 } },
      poolerEnv("pgpool"),
    ],
  ])("keeps its invariants with %s", async (_, more, env) => {
    await expectSound(bank, more, env);
  });

  it("does the same transactions with the same seed", async () => {
    const runPayments = async (): Promise<unknown> => {
      const { out } = await run(BANK, {
        actors: { clients: { load: { ...BUDGET.clients.load, clients: 1 } } },
      });
      const { operations } = onlyResultIn(out).result.treatments[0]?.trials[0] ?? {};
      return [operations?.pay?.transactions, operations?.look?.transactions];
    };
    expect(await runPayments()).toEqual(await runPayments());
  });

  it.each([
    ["connections break", FAULTS],
    ["connections with pipelines break", { ...FAULTS, pipeline: true }],
  ])("loses and duplicates nothing when %s, and settles commits in doubt", async (_, faults) => {
    const { ended, out } = await run(BANK, faults);
    expect(ended.exitCode, ended.stderr).toBe(0);
    const [{ integrity, operations } = expect.fail("no trial")] =
      onlyResultIn(out).result.treatments[0]?.trials ?? [];
    expect(integrity).toMatchObject({ verdict: "ok", lost: 0, duplicated: 0, unexpected: 0 });
    expect(operations.pay?.retries).toBeGreaterThan(0);
    expect(operations.pay?.unansweredCommits).toBeGreaterThan(0);
  });

  it.each(MUTANTS)("fails its audit if %s", async (_, sql) => {
    await expectFoundOut(bank, sql);
  });

  it.each(MUTANTS)("fails its audit under faults if %s", async (_, sql) => {
    const { ended } = await run(sql, FAULTS);
    expect(ended.exitCode, ended.stderr).toBe(110);
  });
});
