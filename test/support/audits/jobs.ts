// Workload jobs: a client enqueues batches of two jobs with the design `lease`, and no worker runs them.
import { JobMaker } from "../../../src/workloads/jobs/job.js";
import type { AuditedFamily } from "./family.js";
import { SEED } from "./trial.js";

const KEYS = { enqueue: { batch: 2 }, payloadSize: "200B" };
const maker = new JobMaker(
  {
    handlerMs: { min: 0, max: 0 },
    failing: 0,
    payloadBytes: 200,
    priorities: 1,
    delayMs: 0,
    enqueue: { batch: 2, transaction: false },
  },
  SEED,
);
const idOf = (batch: number, position: number): string => maker.batch(0, batch)[position]?.payload.id ?? "";
const first = idOf(0, 0);
/** Id of a batch that the client never sent. */
const unsent = idOf(999, 1);

export const jobs: AuditedFamily = {
  scenario: {
    workload: "jobs",
    queue: "lease",
    ...KEYS,
    pool: { strategy: "own", size: 2 },
    actors: { enqueuers: { clients: 1 }, workers: false },
  },
  iterations: { enqueuers: 6 },
  changes: [
    {
      what: "a missing job",
      kind: "deleted",
      change: `DELETE FROM jobs WHERE payload ->> 'id' = '${first}'`,
      found: { lost: 1 },
      named: [`lost ${first}: acknowledged, not in the tables, and never ran`],
    },
    {
      what: "a job that is called done and never ran",
      change: `UPDATE jobs SET state = 'done' WHERE payload ->> 'id' = '${first}'`,
      own: { retire: "keep" },
      found: { lost: 1 },
      named: [`lost ${first}: called done, and never ran`],
    },
    {
      what: "a doubled job",
      kind: "doubled",
      change: `INSERT INTO jobs (priority, run_at, payload) SELECT priority, run_at, payload FROM jobs
        WHERE payload ->> 'id' = '${first}'`,
      found: { duplicated: 1 },
      named: [`duplicated ${first}`],
    },
    {
      what: "a job that was never sent",
      kind: "invented",
      change: `INSERT INTO jobs (priority, run_at, payload)
        SELECT 0, now(), jsonb_build_object('id', '${unsent}')`,
      found: { unexpected: 1 },
      named: [`unexpected ${unsent}`],
    },
    {
      what: "a damaged payload",
      kind: "changed",
      change: `UPDATE jobs SET payload = jsonb_set(payload, '{text}', '"x"') WHERE payload ->> 'id' = '${first}'`,
      found: { changed: 1 },
      named: [`changed ${first}`],
    },
  ],
};
