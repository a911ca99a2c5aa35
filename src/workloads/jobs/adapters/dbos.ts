// DBOS: a job is a workflow of one step on a queue, a row of `workflow_status`; a process polls for all that it may run.
import type * as DbosModule from "@dbos-inc/dbos-sdk";
import { requireEmptySchema, withCaller } from "./callers.js";
import { caveatOf, leaseMsOf, serve, Unusable, type Job, type Payload } from "./kit.js";
import { LIBRARY_PACKAGES, loadLibrary, type LoadedLibrary } from "./library-package.js";

const APPLICATION = "train-sim";
const QUEUE = "train-sim";
const WORKFLOW = "job";
/** The default is 3; a scenario's job may fail more often. */
const MAX_ATTEMPTS = 1000;
/** Smaller numbers run first, and a workflow without a priority before all others: a job without one gets this. */
const MIDDLE_PRIORITY = 1_000_000;
/** Tuned: https://docs.dbos.dev/typescript/reference/queues, `minPollingIntervalMs`, which is 1000 by default. */
const TUNED = { minPollingIntervalMs: 100 } as const;

let library: LoadedLibrary<typeof DbosModule>;

const optionsOf = ({ priority = 0, delayMs }: Job): DbosModule.EnqueueWorkflowOptions => ({
  ...{ queueName: QUEUE, workflowName: WORKFLOW, priority: MIDDLE_PRIORITY - priority },
  ...(delayMs !== undefined && { delaySeconds: delayMs / 1000 }),
});

serve({
  async load(start) {
    library = await loadLibrary(LIBRARY_PACKAGES.dbos, start);
    // "Steps are tried at least once": https://docs.dbos.dev/typescript/tutorials/workflow-tutorial#workflow-guarantees
    const ignored =
      leaseMsOf(start) !== undefined &&
      "claim.lease has no effect: DBOS has no such setting, and a dead worker's jobs run again when a process with its " +
        "executor's name starts";
    return { ...library, promise: "at-least-once", ...caveatOf(library.caveat, ignored) };
  },

  async install(start) {
    const { url, schema } = start;
    const pool = library.makePool(start);
    await requireEmptySchema(pool, start);
    await pool.end();
    await library.exports.DBOS.migrate(url, { schemaName: schema });
    return `SELECT inputs.inputs::json->'json'->0->>'id' AS id, inputs.inputs::json->'json'->0 AS payload,
      CASE status WHEN 'ENQUEUED' THEN 'waiting' WHEN 'DELAYED' THEN 'waiting' WHEN 'PENDING' THEN 'running'
        WHEN 'SUCCESS' THEN 'done' ELSE 'failed' END AS state
      FROM ${schema}.workflow_status LEFT JOIN ${schema}.workflow_input AS inputs USING (workflow_uuid)
      WHERE name = '${WORKFLOW}'`;
  },

  async enqueuer(start) {
    const { url, schema } = start;
    const pool = library.makePool(start);
    const client = await library.exports.DBOSClient.create({
      ...{ systemDatabaseUrl: url, systemDatabasePool: pool, systemDatabaseSchemaName: schema },
      applicationName: APPLICATION,
    });
    await pool.query("SELECT 1");
    return {
      enqueue: (jobs, inTransaction) =>
        inTransaction
          ? withCaller(pool, start, jobs, async (caller) => {
              for (const job of jobs) await client.enqueueInTransaction(caller, optionsOf(job), job.payload);
            })
          : Promise.all(jobs.map((job) => client.enqueue(optionsOf(job), job.payload))).then(() => undefined),
      async close() {
        await client.destroy();
        await pool.end();
      },
    };
  },

  async worker(start, handler) {
    const { DBOS } = library.exports;
    const { url, schema, connections, concurrency, profile } = start;
    if (connections < 2)
      throw new Unusable(
        "LISTEN takes a connection for itself, and DBOS's worker has 1",
        "Give workers 2 connections.",
      );
    const pool = library.makePool(start);
    // A launch recovers the workflows that its executor left: https://docs.dbos.dev/production/workflow-recovery
    DBOS.setConfig({
      ...{ name: APPLICATION, executorID: `worker-${start.worker}`, runMigrations: false },
      ...{ systemDatabaseUrl: url, systemDatabasePool: pool, systemDatabaseSchemaName: schema },
    });
    DBOS.registerWorkflow(
      (payload: Payload) =>
        DBOS.runStep(() => handler.run(payload, DBOS.stepStatus?.currentAttempt ?? 1), {
          ...{ name: "handler", retriesAllowed: true, maxAttempts: MAX_ATTEMPTS },
        }),
      { name: WORKFLOW },
    );
    await DBOS.launch();
    await DBOS.registerQueue(QUEUE, { workerConcurrency: concurrency, ...(profile === "tuned" && TUNED) });
    return {
      async stop() {
        await DBOS.shutdown({ workflowCompletionTimeoutMS: 2 ** 31 - 1 });
        await pool.end();
      },
    };
  },
});
