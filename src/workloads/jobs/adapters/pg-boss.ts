// pg-boss: a job is a row of its table `job`; workers poll, and claim with SKIP LOCKED.
import type * as PgBossModule from "pg-boss";
import { messageOf } from "../../../foundation/errors.js";
import { dateIn, requireEmptySchema, withCaller } from "./callers.js";
import { caveatOf, leaseSecondsOf, logError, serve, type Job, type Payload, type Start } from "./kit.js";
import { LIBRARY_PACKAGES, loadLibrary, type LoadedLibrary } from "./library-package.js";

const QUEUE = "train-sim";
/** The default is 2; a scenario's job may fail more often. */
const RETRY_LIMIT = 1000;
/** Smallest batch of a tuned worker; the documentation names no number. */
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
  boss.on("error", logError);
  return boss.start();
}

const optionsOf = ({ priority, delayMs }: Job): Pick<PgBossModule.JobInsert, "priority" | "startAfter"> => ({
  ...(priority !== undefined && { priority }),
  ...(delayMs !== undefined && { startAfter: dateIn(delayMs) }),
});

/**
 * The page https://pgboss.io/api/workers recommends `burstWhenBatchFull`, which fetches without a delay while batches are
 * full, and `useListenNotify`, which needs one more connection. Delayed jobs and retries send no notification, so the
 * interval of polling remains at its default of 2 s. One worker can fetch while another one runs its batch.
 */
const TUNED = {
  localConcurrency: 2,
  burstWhenBatchFull: true,
  notifyPollingIntervalSeconds: 2,
  perJobResults: true,
} as const;

/** Seconds between searches for expired jobs: as long as they last, and at most the default. */
const searchSeconds = (expireInSeconds: number): number => Math.min(expireInSeconds, 60);

/** Runs tasks in their order, at most `size` at a time: batches hold more jobs than may run. */
function limiter(size: number): (task: () => Promise<void>) => Promise<void> {
  let free = size;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}

serve({
  async load(start) {
    library = await loadLibrary(LIBRARY_PACKAGES["pg-boss"], start);
    // The README promises automatic retries: https://github.com/timgit/pg-boss/blob/12.38.0/README.md#summary
    const seconds = leaseSecondsOf(start);
    const lease =
      seconds !== undefined &&
      `claim.lease is expireInSeconds ${seconds}, and a search for expired jobs every ${searchSeconds(seconds)} s`;
    return { ...library, promise: "at-least-once", ...caveatOf(library.caveat, lease) };
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
    const seconds = leaseSecondsOf(start);
    await boss.createQueue(QUEUE, {
      ...{ retryLimit: RETRY_LIMIT, notify: profile === "tuned" },
      ...(seconds !== undefined && { expireInSeconds: seconds }),
    });
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
    const seconds = leaseSecondsOf(start);
    const boss = await startBoss(start, {
      connectionString: url,
      ...(seconds !== undefined && {
        superviseIntervalSeconds: searchSeconds(seconds),
        monitorIntervalSeconds: searchSeconds(seconds),
      }),
      ...(isTuned ? { max: connections - 1, useListenNotify: true } : { max: connections }),
    });
    const run = ({ data, retryCount }: PgBossModule.Job<Payload>): Promise<void> =>
      handler.run(data, retryCount + 1);
    if (isTuned) {
      const whenFree = limiter(concurrency);
      const settle = (job: PgBossModule.Job<Payload>): Promise<PgBossModule.JobResult> =>
        whenFree(() => run(job)).then(
          () => ({ id: job.id, status: "completed" }),
          (error: unknown) => ({ id: job.id, status: "failed", output: { message: messageOf(error) } }),
        );
      const batchSize = Math.max(BATCH_SIZE, concurrency);
      await boss.work(QUEUE, { ...TUNED, batchSize }, (jobs: PgBossModule.Job<Payload>[]) =>
        Promise.all(jobs.map(settle)),
      );
    } else
      await boss.work(QUEUE, { localConcurrency: concurrency }, async (jobs: PgBossModule.Job<Payload>[]) => {
        for (const job of jobs) await run(job);
      });
    return { stop: () => boss.stop({ timeout: 2 ** 31 - 1 }) };
  },
});
