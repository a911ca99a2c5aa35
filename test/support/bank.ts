// The bank of `scenarios/bank.sql` for tests of the built program, with its faults and planted errors.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { ownDatabase } from "./own-database.js";
import { urlOf } from "./suite-server.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "./train-sim.js";

export const BANK = readFileSync(new URL("../../scenarios/bank.sql", import.meta.url), "utf8");

export interface Bank {
  /** Runs a scenario of a SQL file, with further keys and options. */
  readonly run: (
    sql: string,
    more: object,
    env?: NodeJS.ProcessEnv,
    options?: readonly string[],
  ) => Promise<{ readonly ended: Awaited<ReturnType<typeof trainSim>>; readonly out: string }>;
}

/** A bank in a separate database, which the test file makes and drops. */
export function bankIn(prefix: string): Bank {
  const own = ownDatabase(prefix);
  const scenarioOf = (sql: string, more: object): string =>
    JSON.stringify({
      name: "own",
      seed: 5,
      workload: { file: "bank.sql", sql },
      target: urlOf(own.endpoint),
      namespace: "own_sql",
      trials: 1,
      retry: { attempts: 100 },
      trial: { warmUp: 0, duration: "3s", drain: false },
      diagnosis: { ceiling: false },
      ...more,
    });
  return {
    async run(sql, more, env = process.env, options = []) {
      const out = join(scratchDirectory(), "results");
      const scenario = writeScenarioFile(scenarioOf(sql, more));
      return { ended: await trainSim(["run", scenario, "--out", out, "--quiet", ...options], { env }), out };
    },
  };
}

export const BUDGET = {
  clients: { load: { executor: "per-client-iterations", clients: 4, iterations: 50 } },
};

export const FAULTS = {
  actors: { clients: { load: { clients: 4, thinkTime: "5ms" } } },
  trial: { warmUp: 0, duration: "3s", drain: false },
  faults: [
    { at: "500ms", kind: "backend-terminate", sessions: 4 },
    { at: "1s", kind: "network-reset-commits", commits: "30%", for: "1500ms" },
  ],
};

/** Names of the banks with an error, and the SQL with it. */
export const MUTANTS: readonly (readonly [string, string])[] = [
  [
    "an UPDATE is dropped",
    BANK.replace(/UPDATE account SET balance = balance \+[^;]*;/, "SELECT :dst::int;"),
  ],
  ["the amount is applied twice", BANK.replace("balance + :amount", "balance + 2 * :amount")],
  [
    "the transfer is recorded twice",
    BANK.replace("VALUES (:id,", "VALUES (gen_random_uuid(), :src, :dst, 0), (:id,"),
  ],
  [
    "the transfer is recorded outside the transaction",
    BANK.replace(
      "INSERT INTO transfer VALUES (:id, :src, :dst, :amount);",
      "SELECT record(:id::uuid, :src::int, :dst::int, :amount::int);",
    ).replace("-- preload", OUTSIDE),
  ],
  [
    "the commit comes after an error that was swallowed",
    BANK.replace("-- preload", SWALLOWED).replace(
      /-- expect: rows = 1\nUPDATE account SET balance = balance \+[^;]*;/,
      "SELECT credit(:dst::int, :amount::int);",
    ),
  ],
];
/**
 * SQL of a function that loses half of all records: it inserts them in a subtransaction that fails, as on a second
 * connection.
 */
function OUTSIDE(): string {
  return `CREATE FUNCTION record(id uuid, src int, dst int, amount int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  BEGIN
    INSERT INTO transfer VALUES (id, src, dst, amount);
    IF amount % 2 = 0 THEN RAISE EXCEPTION 'gone'; END IF;
  EXCEPTION WHEN raise_exception THEN NULL;
  END;
END $$;
-- preload`;
}
function SWALLOWED(): string {
  return `CREATE FUNCTION credit(dst int, amount int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance / (amount - 50) * (amount - 50) + amount WHERE id = dst;
EXCEPTION WHEN division_by_zero THEN NULL;
END $$;
-- preload`;
}

/** Runs a bank without errors. Expects that it spends its whole budget and that its invariants hold. */
export async function expectSound(bank: Bank, more: object, env: NodeJS.ProcessEnv): Promise<void> {
  const { ended, out } = await bank.run(BANK, { actors: BUDGET, ...more }, env);
  expect(ended.exitCode, ended.stderr).toBe(0);
  const [{ operations, integrity } = expect.fail("no trial")] =
    onlyResultIn(out).result.treatments[0]?.trials ?? [];
  const { pay, look } = operations;
  expect((pay?.transactions ?? 0) + (look?.transactions ?? 0)).toBe(200);
  expect(integrity).toMatchObject({ verdict: "ok", published: pay?.transactions, lost: 0, duplicated: 0 });
  expect(integrity?.invariants?.map(({ holds }) => holds)).toEqual([true, true, true]);
  const parts =
    "pipeline" in more
      ? ["pipeline to pay.update-2", "commit"]
      : ["pay.insert", "pay.update", "pay.update-2", "begin", "commit"];
  expect(pay?.parts?.map(({ name }) => name)).toEqual(expect.arrayContaining(parts));
}

/** Runs a bank with an error. Expects that an invariant fails. */
export async function expectFoundOut(bank: Bank, sql: string): Promise<void> {
  expect(sql).not.toBe(BANK);
  const { ended, out } = await bank.run(sql, { actors: BUDGET });
  expect(ended.exitCode, ended.stderr).toBe(110);
  const [trial] = onlyResultIn(out).result.treatments[0]?.trials ?? [];
  expect(trial?.integrity?.verdict).toBe("violated");
  expect(trial?.integrity?.invariants?.some(({ holds }) => !holds)).toBe(true);
}
