// Queues that lose, repeat or invent jobs: changes planted into the example program of a queue.
import { testNamespace } from "../support/namespace.js";
import { tinyKeys, tinyQueue } from "../support/tiny-queue.js";
import { mutant } from "./mutant.js";
import { startScenario, verdictOf } from "./program.js";

const RUN_MS = 90_000;

function queue(change: string, as: string, ...replacement: readonly [text: string, by: string]): void {
  const plant = async () => {
    const keys = `${tinyKeys(tinyQueue(replacement))}
actors: { enqueuers: { load: { clients: 2, thinkTime: 5ms } }, workers: { load: { clients: 4 } } }`;
    return verdictOf(startScenario(keys, { namespace: testNamespace("queues"), seconds: 2 }));
  };
  mutant("code", change, plant, { family: "jobs", as, timeoutMs: RUN_MS });
}

const HANDLE = "await (job ? handle(job) : sleep(20));";

queue(
  "jobs are completed without a run",
  "lost",
  HANDLE,
  `await (job ? pool.query(end, [job.n, "done"]) : sleep(20));`,
);
queue(
  "every 20th job is dropped by its worker",
  "lost",
  HANDLE,
  "await (job ? (job.n % 20 === 0 ? pool.query(`DELETE FROM ${jobs} WHERE n = $1`, [job.n]) : handle(job)) : sleep(20));",
);
queue(
  "every 20th job runs twice",
  "duplicated",
  HANDLE,
  `if (job && job.n % 20 === 0) await handle(job);\n    ${HANDLE}`,
);
queue(
  "an enqueueing is acknowledged and forgotten",
  "lost",
  "await pool.query(insert,",
  "if (request % 20 !== 0) await pool.query(insert,",
);
queue(
  "a payload is changed in the table",
  "changed",
  "SELECT j->'payload', coalesce",
  `SELECT jsonb_set(j->'payload', '{text}', '"x"'), coalesce`,
);
queue(
  "a job runs that nobody enqueued",
  "unexpected",
  "await sleep(job.payload.ms);",
  'send({ event: "started", id: "ffffffff-ffff-4fff-bfff-ffffffffffff", attempt: 1, atMs: Number(process.hrtime.bigint()) / 1e6 }); await sleep(job.payload.ms);',
);
