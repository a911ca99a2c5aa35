// Causes each kind of slow queue on real servers through the built program, and finds it in the evidence: a held lock, a
// pool that is too small, an inverted index, a vacuum that does not come or may not clean, a slow commit. It checks the
// evidence, never the speed of this machine.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectAdmin, type AdminClient } from "../../src/database/postgres/admin.js";
import { systemClock } from "../../src/foundation/clock.js";
import type { Operation } from "../../src/metrics/operations.js";
import type { DatabaseEvidence, ResultDocument, TrialResult } from "../../src/results/result-schema.js";
import type { RunningTarget } from "../../src/targets/running-target.js";
import { startEmbedded } from "../../src/targets/embedded/embedded.js";
import { pgBouncerEnv } from "../support/pgbouncers.js";
import { urlOf } from "../support/suite-server.js";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  untilLogged,
  writeScenarioFile,
} from "../support/train-sim.js";

const SERVER = { track_wal_io_timing: "on" };
const CONNECTIONS = 60;
/** Timeout in milliseconds, which allows for a machine that is busy with other tests. */
const MOST_MS = 120_000;

/** A server without autovacuum, and a server that vacuums as often as possible. */
let unvacuumed: RunningTarget;
let vacuumed: RunningTarget;
beforeAll(async () => {
  const often = {
    autovacuum_naptime: "1s",
    autovacuum_vacuum_threshold: "50",
    autovacuum_vacuum_scale_factor: "0",
  };
  const options = { maxConnectionsNeeded: CONNECTIONS };
  [unvacuumed, vacuumed] = await Promise.all([
    startEmbedded({ ...SERVER, autovacuum: "off" }, options),
    startEmbedded({ ...SERVER, ...often, autovacuum_vacuum_cost_delay: "0" }, options),
  ]);
});
afterAll(async () => {
  await Promise.all([unvacuumed, vacuumed].map((server) => server.stop()));
});

function scenario({ admin }: RunningTarget, windowSeconds: number, rest: string): string {
  return `
name: causes
seed: 7
target: { kind: url, urls: ["${urlOf(admin)}"] }
diagnosis: { ceiling: false }
batch: { min: 10, max: 10 }
payload: text
appDelay: 0
trial: { warmUp: 200ms, duration: ${windowSeconds * 1000}ms, drain: false }
trials: 1
${rest}`;
}

/** Roles of the scenario: a producer, the given number of consumers, and an archiver if there are consumers. */
function actors(consumers: number): string {
  const group = (clients: number, thinkMs: number): string =>
    clients === 0
      ? "false"
      : `{ load: { executor: constant-clients, clients: ${clients}, thinkTime: ${thinkMs}ms } }`;
  return `actors:
  producers: ${group(1, 20)}
  consumers: ${group(consumers, 0)}
  archivers: ${group(Math.min(1, consumers), 0)}
`;
}

interface Run {
  readonly out: string;
  readonly result: Promise<ResultDocument>;
}

function start(yaml: string, env = process.env): Run {
  const out = join(scratchDirectory(), "results");
  const { ended } = startTrainSim(["run", writeScenarioFile(yaml), "--out", out, "--quiet"], { env });
  const result = ended.then(({ exitCode, stderr }) => {
    expect(exitCode, stderr).toBe(0);
    return onlyResultIn(out).result;
  });
  return { out, result };
}

/** One trial of each treatment, in order. */
function trialsOf({ treatments }: ResultDocument): [TrialResult, ...TrialResult[]] {
  const [first, ...others] = treatments.flatMap(({ trials }) => trials);
  if (!first) throw new Error("nothing was measured");
  for (const { status } of [first, ...others]) expect(status).toBe("complete");
  return [first, ...others];
}

type Part = readonly [name: string, ms: number];

/** Milliseconds by part, the largest first. */
function partsOf(trial: TrialResult, operation: Operation): [Part, ...Part[]] {
  const parts = trial.operations[operation]?.parts ?? [];
  const [first, ...others] = parts
    .map(({ name, meanMs }): Part => [name, meanMs])
    .sort(([, a], [, b]) => b - a);
  if (!first) throw new Error(`no ${operation} was taken apart`);
  return [first, ...others];
}

/** Values of a metric that the run's only trial has sampled so far. */
function samplesOf(out: string, metric: string): number[] {
  const file = readdirSync(out, { recursive: true, encoding: "utf8" }).find((name) =>
    name.endsWith("evidence.csv"),
  );
  const lines = file === undefined ? [] : readFileSync(join(out, file), "utf8").split("\n").slice(0, -1);
  return lines
    .map((line) => line.split(","))
    .flatMap(([, name, value]) => (name === metric ? [Number(value)] : []));
}

/** Waits until the metric has been above zero in `times` samples. */
async function untilSampled(out: string, metric: string, times: number): Promise<void> {
  const deadlineMs = systemClock.nowMs() + MOST_MS;
  while (samplesOf(out, metric).filter((value) => value > 0).length < times) {
    if (systemClock.nowMs() > deadlineMs) throw new Error(`${metric} was not above 0 in ${times} samples`);
    await systemClock.sleep(20);
  }
}

async function withAdmin<T>({ admin }: RunningTarget, work: (client: AdminClient) => Promise<T>): Promise<T> {
  const client = await connectAdmin(admin);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/**
 * Number of dead rows that only a vacuum removes. Dead rows of updates within a page do not count, since any reader may
 * remove them.
 */
function deadForVacuum({ rowsUpdated = 0, rowsHotUpdated = 0, rowsDeleted = 0 }: DatabaseEvidence): number {
  return rowsUpdated - rowsHotUpdated + rowsDeleted;
}

describe("the evidence of one trial", { timeout: MOST_MS }, () => {
  it("shows a lock held by another session by blocked sessions, chain length and lock waits", async () => {
    const run = start(scenario(unvacuumed, 4, `locking: for-update\npreload: 3000\n${actors(4)}`));
    await untilLogged(run.out, '"phase":"measure"', MOST_MS);
    await withAdmin(unvacuumed, async (holder) => {
      await holder.query("BEGIN");
      await holder.query(`SELECT event_id FROM train_sim.event_status WHERE status IN ('PENDING', 'PROCESSING')
        ORDER BY updated_at LIMIT 1 FOR UPDATE SKIP LOCKED`);
      await untilSampled(run.out, "locks.blocked", 2);
      await holder.query("ROLLBACK");
    });
    const [trial] = trialsOf(await run.result);
    const { database } = trial;
    expect(database.blocked?.max).toBeGreaterThanOrEqual(2);
    expect(database.longestChain).toBeGreaterThanOrEqual(2);
    const waits = database.waits?.filter(({ event }) => event.startsWith("Lock:")) ?? [];
    expect(waits.reduce((sum, { share }) => sum + share, 0)).toBeGreaterThan(0.1);
    expect(database.oldestTransactionMs).toBeGreaterThan(500);
    // The producer works meanwhile.
    expect(database.oldestXminAge).toBeGreaterThan(2);
    expect(partsOf(trial, "process")[0][0]).toBe("process.claim");
  });

  it("shows too small a PgBouncer pool by clients that wait in the pooler and in BEGIN", async () => {
    const pool = "pool: { strategy: pgbouncer, mode: transaction, size: 1 }";
    const yaml = scenario(unvacuumed, 1.5, `${pool}\n${actors(8)}`).replace("appDelay: 0", "appDelay: 5ms");
    const [trial] = trialsOf(await start(yaml, pgBouncerEnv()).result);
    const { pooler } = trial.database;
    expect(pooler?.clientsWaiting?.max).toBeGreaterThanOrEqual(4);
    expect(pooler?.serversActive.max).toBeLessThanOrEqual(1);
    expect(pooler?.waitMsPerTransaction).toBeGreaterThan(5);
    const [[largest, beginMs], ...others] = partsOf(trial, "process");
    expect(largest).toBe("begin");
    // Clients wait inside the pooler, which counts as "begin" and not as pool wait.
    expect(new Map(others).get("poolWait")).toBeLessThan(beginMs / 2);
  });

  it("shows an inverted index by WAL, index growth and pending pages, and missing vacuum by dead rows", async () => {
    await withAdmin(unvacuumed, (client) => client.query("CREATE EXTENSION IF NOT EXISTS pageinspect"));
    const yaml = scenario(unvacuumed, 3, `factors: { payload: [text, jsonb] }\n${actors(2)}`);
    const trials = trialsOf(await start(yaml.replace("payload: text\n", "")).result);
    const [text, jsonb] = trials.map(({ database }) => database);
    const ratio = (field: "walBytes" | "indexBytes"): number =>
      (jsonb?.perEvent?.[field] ?? Number.NaN) / (text?.perEvent?.[field] ?? Number.NaN);
    expect(ratio("walBytes")).toBeGreaterThan(1.2);
    expect(ratio("indexBytes")).toBeGreaterThan(1.2);
    expect(jsonb?.ginPendingPages).toBeGreaterThan(0);
    expect(text?.ginPendingPages).toBeUndefined();
    expect(jsonb?.ginPendingGrowthPages).toEqual(expect.any(Number));
    expect(text?.ginPendingGrowthPages).toBeUndefined();
    for (const { database } of trials) {
      expect(database.autovacuums).toBe(0);
      expect(database.deadTuples?.max).toBeGreaterThan(deadForVacuum(database) / 2);
      expect(database.deadTuples?.max).toBeGreaterThan(1.1 * (database.deadTuples?.mean ?? Number.NaN));
    }
  });

  it("shows a transaction that holds the oldest snapshot by dead rows that remain despite vacuum", async () => {
    await withAdmin(vacuumed, async (pinning) => {
      await pinning.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
      await pinning.query("SELECT 1");
      const [{ database, operations }] = trialsOf(await start(scenario(vacuumed, 4, actors(2))).result);
      expect(database.autovacuums).toBeGreaterThan(0);
      expect(database.deadTuples?.max).toBeGreaterThan(deadForVacuum(database) / 2);
      expect(database.oldestTransactionMs).toBeGreaterThan(3000);
      const writes = [operations.add, operations.process, operations.archive];
      const transactions = writes.reduce((sum, each) => sum + (each?.transactions ?? 0), 0);
      expect(database.oldestXminAge).toBeGreaterThan(transactions / 2);
    });
  });

  it("shows a slow commit by COMMIT as the largest part and by WAL fsyncs", async () => {
    const delayMs = 50;
    const role = unvacuumed.admin.user;
    const yaml = scenario(unvacuumed, 1.5, actors(0));
    const [trial] = await withAdmin(unvacuumed, async (client) => {
      await client.query(`ALTER ROLE ${role} SET commit_delay = ${delayMs * 1000}`);
      await client.query(`ALTER ROLE ${role} SET commit_siblings = 0`);
      try {
        return trialsOf(await start(yaml).result);
      } finally {
        await client.query(`ALTER ROLE ${role} RESET ALL`);
      }
    });
    const [[largest, commitMs]] = partsOf(trial, "add");
    expect(largest).toBe("commit");
    expect(commitMs).toBeGreaterThan(delayMs / 2);
    expect(trial.database.walFsyncs).toBeGreaterThanOrEqual((trial.operations.add?.transactions ?? NaN) / 2);
    expect(trial.database.walFsyncMs).toBeGreaterThan(0);
  });
});

describe("the reasons given for a difference", { timeout: MOST_MS }, () => {
  it("name the wait for a small pool", async () => {
    const factors = "factors: { pool: [{ strategy: direct }, { strategy: pg-pool, size: 3 }] }";
    const yaml = scenario(unvacuumed, 0.8, `${factors}\n${actors(8)}`);
    const five = yaml.replace("trials: 1", "trials: 5").replace("appDelay: 0", "appDelay: 20ms");
    const { comparisons, treatments } = await start(five).result;
    const found = comparisons.find(({ operation, metric }) => operation === "process" && metric === "mean");
    expect(found?.verdict).toMatch(/^(finding|exploratory)$/);
    expect(found?.ratio).toBeGreaterThan(1);
    expect(found?.because?.[0]).toMatch(/^a mean process transaction takes \S+ ms more: poolWait \+\S+ ms/);
    for (const trial of treatments[1]?.trials ?? []) expect(partsOf(trial, "process")[0][0]).toBe("poolWait");
  });
});
