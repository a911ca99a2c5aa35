// graphile-worker: a job is a row that a worker locks by a column, and deletes when the job is done.
import type * as GraphileWorkerModule from "graphile-worker";
import { dateIn, requireEmptySchema, withCaller } from "./callers.js";
import { caveatOf, leaseMsOf, serve, type Job, type Payload } from "./kit.js";
import { LIBRARY_PACKAGES, loadLibrary, type LoadedLibrary } from "./library-package.js";

const TASK = "train-sim";

let library: LoadedLibrary<typeof GraphileWorkerModule>;

/** Settings of the quick stats on https://worker.graphile.org/docs/performance, under "Batching". */
const TUNED = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } as const;

/** Numerically smaller priorities run first. */
const optionsOf = ({ priority, delayMs }: Job): { priority?: number; runAt?: Date } => ({
  ...(priority !== undefined && { priority: -priority }),
  ...(delayMs !== undefined && { runAt: dateIn(delayMs) }),
});

serve({
  async load(start) {
    // The perfTest of the performance page does not log each success.
    if (start.profile === "tuned") process.env["NO_LOG_SUCCESS"] = "1";
    library = await loadLibrary(LIBRARY_PACKAGES["graphile-worker"], start);
    // "each job will execute at least once": https://worker.graphile.org/docs
    const ignored =
      leaseMsOf(start) !== undefined &&
      "claim.lease has no effect: graphile-worker has no such setting, and a dead worker's job runs again after 4 hours";
    return { ...library, promise: "at-least-once", ...caveatOf(library.caveat, ignored) };
  },

  async install(start) {
    const { schema } = start;
    const pgPool = library.makePool(start);
    await requireEmptySchema(pgPool, start);
    await library.exports.runMigrations({ pgPool, schema });
    await pgPool.end();
    return `SELECT payload->>'id' AS id, payload,
      CASE WHEN locked_at IS NOT NULL THEN 'running' WHEN attempts >= max_attempts THEN 'failed' ELSE 'waiting' END AS state
      FROM ${schema}._private_jobs`;
  },

  async enqueuer(start) {
    const { schema } = start;
    const pgPool = library.makePool(start);
    const utils = await library.exports.makeWorkerUtils({ pgPool, schema });
    async function add(jobs: readonly Job[]): Promise<void> {
      const [first] = jobs;
      if (first && jobs.length === 1) await utils.addJob(TASK, first.payload, optionsOf(first));
      else
        await utils.addJobs(
          jobs.map((job) => ({ identifier: TASK, payload: job.payload, ...optionsOf(job) })),
        );
    }
    /** Bulk call in SQL, for a connection of the caller's: https://worker.graphile.org/docs/sql-add-job */
    const ADD_JOBS = `SELECT count(*) FROM ${schema}.add_jobs(ARRAY(
      SELECT json_populate_record(NULL::${schema}.job_spec, spec) FROM json_array_elements($1::json) AS specs(spec)))`;
    return {
      enqueue: (jobs, inTransaction) =>
        inTransaction
          ? withCaller(pgPool, start, jobs, (client) => {
              const specs = jobs.map((job) => {
                const { priority, runAt } = optionsOf(job);
                return { identifier: TASK, payload: job.payload, priority, run_at: runAt };
              });
              return client.query(ADD_JOBS, [JSON.stringify(specs)]);
            })
          : add(jobs),
      async close() {
        await utils.release();
        await pgPool.end();
      },
    };
  },

  // No event tells of the acknowledgement: `job:success` and `job:complete` are sent before the deletion is awaited.
  async worker(start, handler) {
    const { url, schema, connections, concurrency, profile } = start;
    const runner = await library.exports.run({
      preset: {
        worker: {
          ...{ connectionString: url, schema, maxPoolSize: connections, concurrentJobs: concurrency },
          ...(profile === "tuned" && TUNED),
        },
      },
      taskList: {
        [TASK]: (payload, { job }) => handler.run(payload as Payload, job.attempts),
      },
    });
    const failure = runner.promise.then(() => Promise.reject(new Error("the runner ended by itself")));
    return { failure, stop: () => runner.stop() };
  },
});
