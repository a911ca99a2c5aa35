// pg-boss: a job is a row of its table `job`; workers poll, and claim with SKIP LOCKED.
import type * as PgBossModule from "pg-boss";
import { dateIn, requireEmptySchema, withCaller } from "./callers.js";
import { serve, type Job, type Payload, type Start } from "./kit.js";
import { LIBRARY_PACKAGES, loadLibrary, type LoadedLibrary } from "./library-package.js";

const QUEUE = "train-sim";
/** The default is 2; a scenario's job may fail more often. */
const RETRY_LIMIT = 1000;
/** One batch of a tuned worker; the documentation names no number. */
const BATCH_SIZE = 50;

let library: LoadedLibrary<typeof PgBossModule>;

/** An instance that runs; the schema and, unless it installs, the tables must be there. */
async function startBoss(
  { schema, role }: Start,
  options: PgBossModule.ConstructorOptions,
): Promise<PgBossModule.PgBoss> {
  const boss = new library.exports.PgBoss({
    schema,
    createSchema: false,
    migrate: role === "install",
    ...options,
  });
  boss.on("error", (error) => console.error(error.message));
  return boss.start();
}

const optionsOf = ({ priority, delayMs }: Job): Pick<PgBossModule.JobInsert, "priority" | "startAfter"> => ({
  ...(priority !== undefined && { priority }),
  ...(delayMs !== undefined && { startAfter: dateIn(delayMs) }),
});

/**
 * Tuned as https://pgboss.io/api/workers says: `burstWhenBatchFull` fetches without a delay while batches are full, and
 * "Low-latency dispatch with LISTEN/NOTIFY" wakes workers, on a connection beside the pool. Jobs with a delay and retries
 * are not notified of; the interval is the one that polls them without notification.
 */
const tunedWork = {
  ...{ batchSize: BATCH_SIZE, burstWhenBatchFull: true, notifyPollingIntervalSeconds: 2 },
  perJobResults: true,
} as const;

serve({
  async load(start) {
    library = await loadLibrary(LIBRARY_PACKAGES["pg-boss"], start);
    // The README promises automatic retries: https://github.com/timgit/pg-boss/blob/12.38.0/README.md#summary
    return { ...library, promise: "at-least-once" };
  },

  async install(start) {
    const pool = library.makePool(start);
    await requireEmptySchema(pool, start);
    await pool.end();
    const { url, connections, profile, schema } = start;
    const boss = await startBoss(start, {
      connectionString: url,
      max: connections,
      supervise: false,
      schedule: false,
    });
    await boss.createQueue(QUEUE, { retryLimit: RETRY_LIMIT, notify: profile === "tuned" });
    await boss.stop();
    return `SELECT data->>'id' AS id, data AS payload,
      CASE state WHEN 'created' THEN 'waiting' WHEN 'retry' THEN 'waiting' WHEN 'active' THEN 'running'
        WHEN 'completed' THEN 'done' ELSE 'failed' END AS state
      FROM ${schema}.job WHERE name = '${QUEUE}'`;
  },

  async enqueuer(start) {
    const pool = library.makePool(start);
    const executeSql: PgBossModule.Db["executeSql"] = (text, values) => pool.query(text, values);
    const boss = await startBoss(start, { db: { executeSql } });
    async function insert(jobs: readonly Job[], options: PgBossModule.ConnectionOptions): Promise<void> {
      const [first] = jobs;
      if (first && jobs.length === 1)
        await boss.send(QUEUE, first.payload, { ...optionsOf(first), ...options });
      else
        await boss.insert(
          QUEUE,
          jobs.map((job) => ({ data: job.payload, ...optionsOf(job) })),
          options,
        );
    }
    return {
      enqueue: (jobs, inTransaction) =>
        inTransaction
          ? withCaller(pool, start, jobs, (client) =>
              insert(jobs, { db: { executeSql: (text, values) => client.query(text, values) } }),
            )
          : insert(jobs, {}),
      async close() {
        await boss.stop();
        await pool.end();
      },
    };
  },

  async worker(start, handler) {
    const { url, connections, concurrency, profile } = start;
    const isTuned = profile === "tuned";
    const boss = await startBoss(start, {
      connectionString: url,
      ...(isTuned ? { max: connections - 1, useListenNotify: true } : { max: connections }),
    });
    const run = ({ data, retryCount }: PgBossModule.Job<Payload>): Promise<void> =>
      handler.run(data, retryCount + 1);
    if (isTuned)
      await boss.work(
        QUEUE,
        { ...tunedWork, localConcurrency: concurrency },
        async (jobs: PgBossModule.Job<Payload>[]) => {
          const results: PgBossModule.JobResult[] = [];
          for (const job of jobs)
            results.push(
              await run(job).then(
                () => ({ id: job.id, status: "completed" as const }),
                (error: Error) => ({
                  id: job.id,
                  status: "failed" as const,
                  output: { message: error.message },
                }),
              ),
            );
          return results;
        },
      );
    else
      await boss.work(QUEUE, { localConcurrency: concurrency }, async (jobs: PgBossModule.Job<Payload>[]) => {
        for (const job of jobs) await run(job);
      });
    return { stop: () => boss.stop({ timeout: 2 ** 31 - 1 }) };
  },
});
