// Time after which the job of a killed worker runs again: the default in the source of each library, shown by moving the
// time of the claim in the library's own table, and the tuned value of `claim.lease`, waited for.
import { fileURLToPath } from "node:url";
import { run } from "graphile-worker";
import { PgBoss } from "pg-boss";
import { afterEach, describe, expect, it } from "vitest";
import { ownMonotonicMs, systemClock } from "../../src/foundation/clock.js";
import type { Start } from "../../src/workloads/jobs/adapters/protocol.js";
import { KilledJob } from "../support/killed-job.js";
import { ownDatabase } from "../support/own-database.js";
import { urlOf } from "../support/suite-server.js";

const database = ownDatabase("recovery");
let killed: KilledJob | undefined;
afterEach(async () => {
  await killed?.remove();
  killed = undefined;
});

async function killIn(queue: string, common: Partial<Start> = {}): Promise<KilledJob> {
  const adapter = new URL(`../../dist/workloads/jobs/adapters/${queue}.js`, import.meta.url);
  killed = await KilledJob.make([process.execPath, fileURLToPath(adapter)], database, common);
  return killed;
}

/** Milliseconds from the kill to the next start, with `claim.lease`. */
async function rerunMs(queue: string, leaseMs: number, common: Partial<Start> = {}): Promise<number> {
  const job = await killIn(queue, { ...common, settings: { leaseMs } });
  const killedMs = ownMonotonicMs();
  const { atMs } = await job.work().event("started");
  return atMs - killedMs;
}

const rows = (sql: string): Promise<Record<string, unknown>[]> => database.admin.query(sql);

describe("the job of a killed worker", () => {
  // pg-boss 12.38.0: dist/plans.js:16 (FIFTEEN_MINUTES) and 86 (expire_seconds), 2944 (timedOut).
  it("runs again in pg-boss after 15 minutes by default", async () => {
    const job = await killIn("pg-boss");
    const boss = new PgBoss({
      ...{ connectionString: urlOf(database.endpoint), schema: job.schema, createSchema: false },
      ...{ migrate: false, supervise: false, schedule: false, monitorIntervalSeconds: 1 },
    });
    await boss.start();
    const searchAt = async (age: string): Promise<unknown> => {
      await rows(`UPDATE ${job.schema}.job SET started_on = now() - interval '${age}'`);
      await systemClock.sleep(1_100);
      await boss.supervise();
      return (await rows(`SELECT state::text FROM ${job.schema}.job`))[0]?.["state"];
    };
    expect(await searchAt("14 minutes 50 seconds")).toBe("active");
    expect(await searchAt("15 minutes 1 second")).toBe("retry");
    await boss.stop();
    expect(await job.startsWithin(job.work(), 30_000)).toBe(true);
  });

  // graphile-worker 0.18.0: dist/sql/resetLockedAt.js:9 and 13; dist/config.js:51 and 52 (every 8 to 10 minutes).
  it("runs again in graphile-worker after 4 hours by default", async () => {
    const job = await killIn("graphile-worker");
    const searchAt = async (age: string): Promise<unknown> => {
      await rows(`UPDATE ${job.schema}._private_jobs SET locked_at = now() - interval '${age}'`);
      const searcher = await run({
        ...{ connectionString: urlOf(database.endpoint), schema: job.schema },
        ...{ minResetLockedInterval: 50, maxResetLockedInterval: 50, noHandleSignals: true },
        taskList: { other: () => undefined },
      });
      await new Promise((resolve) => searcher.events.once("resetLocked:success", resolve));
      await searcher.stop();
      return (await rows(`SELECT locked_by IS NOT NULL AS held FROM ${job.schema}._private_jobs`))[0]?.[
        "held"
      ];
    };
    expect(await searchAt("3 hours 59 minutes")).toBe(true);
    expect(await searchAt("4 hours 1 second")).toBe(false);
    expect(await job.startsWithin(job.work(), 30_000)).toBe(true);
  });

  // DBOS 5.3.0 has no time: dist/src/dbos-executor.js, recoverPendingWorkflows, takes the workflows of its executor's name.
  it("runs again in DBOS when a process of the same executor's name starts, and not before", async () => {
    const job = await killIn("dbos");
    const other = job.work({ worker: 1 });
    expect(await job.startsWithin(other, 4_000)).toBe(false);
    // It would take the job that the next process puts back into the queue.
    await other.kill();
    expect(await job.startsWithin(job.work({ worker: 0 }), 30_000)).toBe(true);
  });

  // pgmq 1.13.0 has no default: the example of its README reads with a visibility timeout of 30 s, as the adapter does.
  it("runs again in pgmq after 30 seconds by default", async () => {
    const directory = fileURLToPath(new URL("../fixtures/pgmq", import.meta.url));
    const job = await killIn("pgmq", { directory });
    const [read] = await rows(
      "SELECT extract(epoch FROM vt - last_read_at)::float AS seconds FROM pgmq.q_jobs",
    );
    expect(read?.["seconds"]).toBeCloseTo(30, 0);
    const age = (seconds: number) =>
      rows(`UPDATE pgmq.q_jobs SET vt = clock_timestamp() + interval '${30 - seconds} seconds'`);
    await age(20);
    const worker = job.work();
    expect(await job.startsWithin(worker, 2_000)).toBe(false);
    await age(30);
    expect(await job.startsWithin(worker, 5_000)).toBe(true);
  });

  it.each(["defaults", "tuned"] as const)(
    "runs again in pg-boss when claim.lease has ended, at the next search and poll, profile %s",
    async (profile) => {
      // A lease of 3 s and a search every 3 s, then a poll every 2 s.
      const ms = await rerunMs("pg-boss", 2_500, { profile });
      expect(ms).toBeGreaterThan(2_500);
      expect(ms).toBeLessThan(15_000);
    },
  );

  it("runs again in pgmq when claim.lease has ended, in whole seconds", async () => {
    const directory = fileURLToPath(new URL("../fixtures/pgmq", import.meta.url));
    const ms = await rerunMs("pgmq", 1_500, { directory });
    expect(ms).toBeGreaterThan(1_500);
    expect(ms).toBeLessThan(10_000);
  });

  it.each([
    ["graphile-worker", "claim.lease has no effect"],
    ["dbos", "claim.lease has no effect"],
    ["pg-boss", "claim.lease is expireInSeconds 3"],
  ])("has a caveat about claim.lease in %s if it is named, and none else", async (queue, caveat) => {
    const job = await killIn(queue);
    expect((await job.work().event("ready")).caveat ?? "").not.toContain("claim.lease");
    const named = job.work({ settings: { leaseMs: 2_500 } });
    expect((await named.event("ready")).caveat).toContain(caveat);
  });
});
