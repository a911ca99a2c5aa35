import { afterEach, describe, expect, it } from "vitest";
import { product } from "../../../../test/support/combinations.js";
import {
  DESIGN_PROGRAM,
  DESIGN_SETTINGS,
  installDesign,
  makeJobs,
  type QueueOfDesign,
} from "../../../../test/support/design-programs.js";
import { casesOf } from "../../../../test/support/lanes.js";
import { ownDatabase } from "../../../../test/support/own-database.js";
import type { QueueProgram } from "../../../../test/support/program-of-queue.js";
import { describeQueueProgram } from "../../../../test/support/queue-program.js";
import { systemClock } from "../../../foundation/clock.js";
import { connectAdmin } from "../../../database/postgres/admin.js";
import { startEmbedded } from "../../../targets/embedded/embedded.js";
import { DESIGN_NAMES, designProblem, type DesignName, type DesignSettings } from "../designs.js";

const keepsClaim = (design: DesignName): boolean => !["held", "advisory"].includes(design);

/** All designs in the lane `full`, otherwise one. */
const TESTED = casesOf(["lease", ...DESIGN_NAMES.filter((name) => name !== "lease")] as const, 1);

for (const design of TESTED)
  describeQueueProgram(design, {
    command: DESIGN_PROGRAM,
    settings: { design, ...DESIGN_SETTINGS },
    jobCounts: { tuned: 200 },
    keepsDone: ["batch", "partitions"].includes(design),
    hasPriorities: design !== "batch",
    killedState: keepsClaim(design) ? "running" : "waiting",
    rerunsAtOnce: !keepsClaim(design),
  });

const LEVELS = {
  layout: ["status-index", "hot", "two-tables"],
  retire: ["delete", "archive", "keep", "drop-partition"],
  ids: ["bigint", "uuidv4", "uuidv7"],
  isNotified: [true, false],
  foreignKey: [false, true],
  claimBatch: [3, 1],
} as const;

const allowedLevels = (design: DesignName) =>
  product(LEVELS).filter((levels) => !designProblem(design, levels));

describe.each(TESTED)("design %s", (design) => {
  const database = ownDatabase("design");
  const queues: QueueOfDesign[] = [];
  afterEach(async () => {
    for (const queue of queues.splice(0)) await queue.remove();
  });

  async function install(changes: Partial<DesignSettings> = {}): Promise<QueueOfDesign> {
    const queue = await installDesign(database.admin, database.endpoint, design, changes);
    queues.push(queue);
    return queue;
  }

  async function statesIn({ jobs }: QueueOfDesign): Promise<Record<string, number>> {
    const rows = await database.admin.query(
      `SELECT state, count(*)::int AS count FROM (${jobs}) AS jobs GROUP BY state`,
    );
    return Object.fromEntries(rows.map(({ state, count }) => [String(state), Number(count)]));
  }

  async function end(worker: QueueProgram): Promise<void> {
    worker.send({ stop: true });
    expect(await worker.ended, worker.describe()).toBe(0);
  }

  const idsOf = (events: readonly { readonly id: string }[]): string[] => events.map(({ id }) => id).sort();

  it.each(casesOf(allowedLevels(design), 1))("runs 100 jobs with %j", async ({ isNotified, ...levels }) => {
    const queue = await install({ ...levels, wakeup: { pollMs: 20, isNotified } });
    const jobs = makeJobs(100);
    const failing = { payload: { id: "fails twice", ms: 0, fails: 2, text: "" } };
    const hopeless = { payload: { id: "fails each time", ms: 0, fails: 9, text: "" } };
    const worker = queue.start("work");
    await worker.event("ready");
    await queue.enqueue([...jobs, failing, hopeless]);
    await worker.until("end of all jobs", () => worker.all("finished").length >= 101);
    await worker.until("last failure", () => worker.all("failed").length >= 5);
    await end(worker);
    expect(idsOf(worker.all("finished"))).toEqual([...jobs, failing].map(({ payload }) => payload.id).sort());
    const attempts = (id: string) =>
      worker.all("started").flatMap((each) => (each.id === id ? [each.attempt] : []));
    expect(attempts("fails twice")).toEqual([1, 2, 3]);
    expect(attempts("fails each time")).toEqual([1, 2, 3]);
    const isGone = levels.retire === "delete";
    expect(await statesIn(queue)).toEqual({ failed: 1, ...(!isGone && { done: 101 }) });
  });

  it.each(
    casesOf(
      allowedLevels(design).filter(
        ({ ids, foreignKey, isNotified, claimBatch }) =>
          ids === "bigint" && !foreignKey && isNotified && claimBatch === 1,
      ),
      1,
    ),
  )(
    "never reads its whole table, although its plans were made while it was empty, with %j",
    async ({ isNotified: _, ...levels }) => {
      const queue = await install({ ...levels, leaseMs: 1_000 });
      const worker = queue.start("work");
      await database.admin.query("ANALYZE");
      await worker.event("ready");
      await systemClock.sleep(300); // several polls
      const before = await scansOf(queue);
      await queue.enqueue(makeJobs(1_000));
      await worker.until("ends", () => worker.all("finished").length >= 1_000);
      await end(worker);
      const after = await scansOf(queue);
      expect(after.index - before.index).toBeGreaterThanOrEqual(design === "batch" ? 500 : 1_000);
      expect(after.sequential - before.sequential).toBe(0);
    },
  );

  /** Numbers of scans of the tables of jobs: of their indexes, and of whole tables. */
  async function scansOf({ schema }: QueueOfDesign): Promise<{ index: number; sequential: number }> {
    await systemClock.sleep(1_100); // sessions report their counts once a second
    const [row] = await database.admin.query(
      `SELECT sum(idx_scan)::int AS index, sum(seq_scan)::int AS sequential FROM pg_stat_user_tables
       WHERE schemaname = '${schema}' AND relname ~ '^(jobs|running|events)'`,
    );
    return row as { index: number; sequential: number };
  }

  if (keepsClaim(design))
    it.each(
      casesOf(
        LEVELS.layout.filter((layout) => !designProblem(design, { layout, ids: "bigint" })),
        1,
      ),
    )("runs a job again after the lease of a killed worker, with layout %s", async (layout) => {
      const queue = await install({ layout, leaseMs: 1_000 });
      await queue.enqueue(makeJobs(1, 300_000));
      const killed = queue.start("work");
      await killed.event("started");
      await killed.kill();
      const next = queue.start("work");
      expect(await next.event("started")).toMatchObject({ id: "job-0", attempt: 2 });
    });

  if (!designProblem(design, { layout: "hot", ids: "bigint" }))
    it("claims by HOT updates with layout hot and room in the pages", async () => {
      const queue = await install({ layout: "hot", fillfactor: 50 });
      await queue.enqueue(makeJobs(200));
      const worker = queue.start("work");
      await worker.until("ends", () => worker.all("finished").length >= 200);
      await end(worker);
      const [row] = await database.admin.query(
        `SELECT sum(n_tup_upd)::int AS updates, sum(n_tup_hot_upd)::int AS hot FROM pg_stat_user_tables
         WHERE schemaname = '${queue.schema}' AND relname ~ '^jobs'`,
      );
      if (design === "lease") expect(row).toEqual({ updates: 200, hot: 200 });
      // Completions keep the row and change the index of claims, so they fill pages.
      else expect(row?.["hot"]).toBeGreaterThan(100);
    });

  if (!designProblem(design, { layout: "status-index", ids: "bigint", retire: "drop-partition" }))
    it("drops a partition once all of its jobs have ended, and no other", async () => {
      const queue = await install();
      const partitions = async (): Promise<unknown[]> =>
        (
          await database.admin.query(
            `SELECT relname FROM pg_class WHERE relnamespace = '${queue.schema}'::regnamespace AND relispartition
               AND relkind = 'r' ORDER BY relname`,
          )
        ).map(({ relname }) => relname);
      const turn = (): Promise<unknown> =>
        database.admin.query(
          `UPDATE ${queue.schema}.slots SET since = '-infinity'; SELECT ${queue.schema}.turn()`,
        );
      const table = design === "batch" ? "events" : "jobs";
      await queue.enqueue(makeJobs(10));
      await turn();
      expect(await partitions()).toEqual([`${table}_1`, `${table}_2`]);
      const worker = queue.start("work");
      await worker.until("ends", () => worker.all("finished").length >= 10);
      await end(worker);
      await turn();
      expect(await partitions()).toEqual([`${table}_3`]);
      await queue.enqueue(makeJobs(1));
      expect(await statesIn(queue)).toEqual({ waiting: 1 });
    });

  it("loses no job when its server is killed and started again", async () => {
    const server = await startEmbedded({}, { maxConnectionsNeeded: 30 });
    try {
      let admin = await connectAdmin(server.admin);
      const queue = await installDesign(admin, server.admin, design, { leaseMs: 2_000 });
      queues.push(queue);
      const jobs = makeJobs(200, 10);
      await queue.enqueue(jobs);
      const worker = queue.start("work");
      await worker.until("some ends", () => worker.all("finished").length >= 40);
      const asExpected = server.control?.expectLoss();
      await server.control?.kill();
      await server.control?.start();
      asExpected?.();
      const ids = jobs.map(({ payload }) => payload.id);
      await worker.until("end of each job", () => new Set(idsOf(worker.all("finished"))).size === ids.length);
      await end(worker);
      await admin.close().catch(() => undefined);
      admin = await connectAdmin(server.admin);
      const left = await admin.query(`SELECT state FROM (${queue.jobs}) AS jobs WHERE state <> 'done'`);
      expect(left).toEqual([]);
      expect(worker.all("finished").length).toBeLessThan(ids.length + 20);
      await admin.close();
      queues.pop();
    } finally {
      await server.stop();
    }
  });
});
