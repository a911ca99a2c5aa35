// One suite of behaviours that the program of every queue must show, in whichever language it is written.
import { afterEach, describe, expect, it } from "vitest";
import { ownMonotonicMs } from "../../src/foundation/clock.js";
import type { Job, Payload, ProgramEvent, Start } from "../../src/workloads/jobs/adapters/protocol.js";
import { fullIt, isFull } from "./lanes.js";
import { testNamespace } from "./namespace.js";
import { ownDatabase } from "./own-database.js";
import { QueueProgram } from "./program-of-queue.js";
import { urlOf } from "./suite-server.js";

type Profile = Start["profile"];

/** A queue's program, and the differences between queues that their documentation states. */
export interface QueueUnderTest {
  /** Program and arguments. */
  readonly command: readonly string[];
  /** Profiles to try in the lane `full`, with the number of jobs of each. Default: 200 jobs of both. */
  readonly jobCounts?: Readonly<Partial<Record<Profile, number>>>;
  /** Levels of the scenario's keys for designs. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Directory that has the libraries. Default: train-sim's own. */
  readonly directory?: string;
  /** True if the tables still hold jobs that have ended. */
  readonly keepsDone: boolean;
  /** True if the library has a schema of a fixed name, which the program must remove after each test. */
  readonly hasFixedSchema?: boolean;
  /** Profiles without order: a claim takes most of the suite's jobs, and runs them in any order. */
  readonly unordered?: readonly Profile[];
  /** False if the queue has no priorities, delays or retries: the suite then enqueues jobs without them. */
  readonly hasPriorities?: boolean;
  readonly hasDelays?: boolean;
  readonly hasRetries?: boolean;
  /** False if the queue cannot enqueue in a transaction of the caller's. */
  readonly hasTransactions?: boolean;
  /** State of a job, according to the tables, whose worker was killed in the handler. Default: running. */
  readonly killedState?: "running" | "waiting";
  /** True if that job runs again as soon as a worker takes the killed one's place. */
  readonly rerunsAtOnce?: boolean;
}

interface StoredJob {
  readonly id: string;
  readonly state: string;
  readonly payload: Payload;
}

/** Profile and number of jobs outside of the lane `full`. */
const FEW_JOBS = { tuned: 40 };
const DELAY_MS = 1_500;
const CONCURRENCY = 4;
/** Text that a payload must keep, whichever quoting or type it is stored with. */
const HARD_TEXT = `quotes ' " \\ $1 %s, lines \n\t\r, letters é 日本 🚂, json {"a":[null,1.50]} `;

function makeJobs(
  count: number,
  { hasDelays = true, hasPriorities = true, hasRetries = true }: QueueUnderTest,
): Job[] {
  return Array.from({ length: count }, (_, i) => {
    const isUrgent = i >= count * 0.9;
    const fails = hasRetries && !isUrgent && i % 20 === 7 ? 1 : 0;
    const payload = { id: `job-${i}`, ms: i % 5 === 0 ? 0 : 20, fails, text: HARD_TEXT.repeat(1 + (i % 8)) };
    return {
      payload,
      ...(hasPriorities && isUrgent && { priority: 10 }),
      ...(hasDelays && !isUrgent && i % 10 === 3 && { delayMs: DELAY_MS }),
    };
  });
}

/** Largest number of handlers that ran at the same time. */
function mostAtATime(events: readonly ProgramEvent[]): number {
  let running = 0;
  let most = 0;
  for (const { event } of events) {
    if (event === "started") most = Math.max(most, ++running);
    if (event === "finished" || event === "failed") running--;
  }
  return most;
}

const attemptsOf = (fails: number): number[] => Array.from({ length: fails + 1 }, (_, i) => i + 1);

export function describeQueueProgram(name: string, queue: QueueUnderTest): void {
  const { keepsDone, killedState = "running" } = queue;
  const jobCounts = isFull ? (queue.jobCounts ?? { defaults: 200, tuned: 200 }) : FEW_JOBS;

  describe(`the program of queue ${name}`, () => {
    const database = ownDatabase("queue");
    const running = new Set<QueueProgram>();
    const schemas: string[] = [];
    const killAll = async (): Promise<void> => {
      await Promise.all([...running].map((program) => program.kill()));
      running.clear();
    };
    afterEach(async () => {
      await killAll();
      for (const schema of schemas.splice(0)) {
        if (queue.hasFixedSchema) await start("remove", schema).ended;
        await database.admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      }
    });

    /** A schema as train-sim makes it, still without the queue's tables. */
    async function makeSchema(): Promise<string> {
      const schema = testNamespace("queue");
      schemas.push(schema);
      await database.admin.query(`CREATE SCHEMA ${schema}`);
      await database.admin.query(`CREATE TABLE ${schema}.callers (id text PRIMARY KEY)`);
      return schema;
    }

    function start(role: Start["role"], schema: string, changes: Partial<Start> = {}): QueueProgram {
      const program = new QueueProgram(queue.command, {
        role,
        worker: 0,
        schema,
        url: `${urlOf(database.endpoint)}?application_name=${schema}_${role}`,
        connections: 6,
        concurrency: CONCURRENCY,
        profile: "tuned",
        directory: queue.directory ?? process.cwd(),
        settings: queue.settings ?? {},
        ...changes,
      });
      running.add(program);
      return program;
    }

    /** Installs the queue's tables; resolves to a reader of the jobs that they hold. */
    async function install(
      schema: string,
      changes: Partial<Start> = {},
    ): Promise<() => Promise<StoredJob[]>> {
      const program = start("install", schema, changes);
      const { jobs = "" } = await program.event("ready");
      expect(await program.ended, program.describe()).toBe(0);
      return async () => {
        const rows = await database.admin.query(jobs);
        return rows.map(({ id, state, payload }) => ({
          ...{ id: String(id), state: String(state) },
          payload: (typeof payload === "string" ? JSON.parse(payload) : payload) as Payload,
        }));
      };
    }

    /** Enqueues jobs in one request each; resolves once all are acknowledged and the program has ended. */
    async function enqueue(
      schema: string,
      requests: readonly (readonly Job[])[],
      changes: Partial<Start> = {},
    ): Promise<void> {
      const program = start("enqueue", schema, changes);
      await program.event("ready");
      for (const [request, jobs] of requests.entries()) program.send({ enqueue: jobs, request });
      for (const request of requests.keys())
        await program.event("enqueued", (event) => event.request === request);
      await stop(program);
    }

    async function stop(program: QueueProgram): Promise<void> {
      program.send({ stop: true });
      expect(await program.ended, program.describe()).toBe(0);
      expect(program.all("broken")).toEqual([]);
    }

    async function sessionsOf(program: string): Promise<number> {
      const rows = await database.admin.query(
        "SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = $1",
        [program],
      );
      return Number(rows[0]?.["count"]);
    }

    for (const [profile, count] of Object.entries(jobCounts) as [Profile, number][])
      it(`runs each acknowledged job as often as its failures ask, profile ${profile}`, async () => {
        const schema = await makeSchema();
        const readJobs = await install(schema, { profile });
        const jobs = makeJobs(count, queue);
        const byId = new Map(jobs.map((job) => [job.payload.id, job]));
        const third = Math.ceil(count / 3);
        const enqueuedFromMs = ownMonotonicMs();
        await enqueue(
          schema,
          [jobs.slice(0, 1), jobs.slice(1, third), jobs.slice(third, 2 * third), jobs.slice(2 * third)],
          { profile },
        );
        const waiting = await readJobs();
        expect(new Map(waiting.map(({ id, payload }) => [id, payload]))).toEqual(
          new Map(jobs.map(({ payload }) => [payload.id, payload])),
        );
        expect(new Set(waiting.map(({ state }) => state))).toEqual(new Set(["waiting"]));
        expect(waiting).toHaveLength(count);

        const worker = start("work", schema, { profile });
        const ready = await worker.event("ready");
        expect(ready).toMatchObject({
          library: expect.stringMatching(/\w/) as string,
          version: expect.stringMatching(/\w/) as string,
          promise: expect.stringMatching(/^(at-least-once|at-most-once|exactly-once)$/) as string,
        });
        await worker.until("end of every job", () => worker.all("finished").length >= count);
        expect(await sessionsOf(`${schema}_work`)).toBeLessThanOrEqual(6);
        await stop(worker);
        for (const [id, { payload, delayMs = 0 }] of byId) {
          const started = worker.all("started").filter((event) => event.id === id);
          expect(started.map(({ attempt }) => attempt)).toEqual(attemptsOf(payload.fails));
          expect(worker.all("failed").filter((event) => event.id === id)).toHaveLength(payload.fails);
          expect(worker.all("finished").filter((event) => event.id === id)).toHaveLength(1);
          expect((started[0]?.atMs ?? 0) - enqueuedFromMs).toBeGreaterThanOrEqual(delayMs - 1);
        }
        if (!ready.acknowledges) expect(mostAtATime(worker.events)).toBeLessThanOrEqual(CONCURRENCY);
        expect(mostAtATime(worker.events)).toBeGreaterThan(1);
        if ((queue.hasPriorities ?? true) && !queue.unordered?.includes(profile)) {
          const urgent = worker.all("started").map(({ id }) => byId.get(id)?.priority !== undefined);
          const earlier = urgent.slice(0, urgent.lastIndexOf(true)).filter((isUrgent) => !isUrgent);
          expect(earlier.length).toBeLessThan(count / 2);
        }

        const left = await readJobs();
        expect(left.map(({ state }) => state)).toEqual(left.map(() => "done"));
        expect(new Set(left.map(({ id }) => id))).toEqual(new Set(keepsDone ? byId.keys() : []));
      });

    it("leaves the job of a killed worker to be found", async () => {
      const schema = await makeSchema();
      const readJobs = await install(schema);
      const payload = { id: "killed", ms: 300_000, fails: 0, text: "" };
      await enqueue(schema, [[{ payload }]]);
      const worker = start("work", schema);
      await worker.event("started");
      await worker.kill();
      await expect
        .poll(readJobs, { timeout: 10_000 })
        .toEqual([{ id: "killed", state: killedState, payload }]);
      if (queue.rerunsAtOnce) await start("work", schema).event("started", ({ id }) => id === "killed");
    });

    it("ends the job under way before it stops", async () => {
      const schema = await makeSchema();
      const readJobs = await install(schema);
      await enqueue(schema, [[{ payload: { id: "last", ms: 400, fails: 0, text: "" } }]]);
      const worker = start("work", schema);
      await worker.event("started");
      await stop(worker);
      expect(worker.all("finished").map(({ id }) => id)).toEqual(["last"]);
      expect((await readJobs()).map(({ state }) => state)).toEqual(keepsDone ? ["done"] : []);
    });

    if (queue.hasTransactions ?? true)
      it("keeps all or nothing of a caller's transaction", async () => {
        const schema = await makeSchema();
        const readJobs = await install(schema);
        await database.admin.query(`
          CREATE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'refused at commit' USING ERRCODE = '23514'; END $$`);
        await database.admin.query(`
          CREATE CONSTRAINT TRIGGER refused AFTER INSERT ON ${schema}.callers
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.id = 'refused') EXECUTE FUNCTION ${schema}.refuse()`);
        const program = start("enqueue", schema);
        await program.event("ready");
        const ids = ["one", "first of two", "second of two", "refused", "second of refused"];
        const [one, first, second, refused, next] = ids.map((id): Job => ({
          payload: { id, ms: 0, fails: 0, text: HARD_TEXT },
        })) as [Job, Job, Job, Job, Job];
        program.send({ enqueue: [one], request: 1, transaction: true });
        program.send({ enqueue: [first, second], request: 2, transaction: true });
        program.send({ enqueue: [refused, next], request: 3, transaction: true });
        await program.until("answers", () => program.events.length >= 4);
        await stop(program);
        expect(
          program
            .all("enqueued")
            .map(({ request }) => request)
            .sort(),
        ).toEqual([1, 2]);
        expect(program.all("refused")).toEqual([
          {
            event: "refused",
            request: 3,
            message: expect.stringContaining("refused at commit") as string,
            code: "23514",
          },
        ]);
        const callers = await database.admin.query(`SELECT id FROM ${schema}.callers ORDER BY id`);
        expect(callers.map(({ id }) => id)).toEqual(["first of two", "one"]);
        expect((await readJobs()).map(({ id }) => id).sort()).toEqual(ids.slice(0, 3).sort());
      });

    for (const role of ["install", "enqueue", "work"] as const)
      fullIt(`is broken once, with a remedy, by a wrong password at ${role}`, async () => {
        const schema = await makeSchema();
        const url = urlOf({ ...database.endpoint, password: "wrong" });
        const program = start(role, schema, { url });
        expect(await program.ended, program.describe()).toBe(1);
        expect(program.events).toEqual([
          {
            event: "broken",
            message: expect.stringMatching(/password/) as string,
            remedy: expect.stringMatching(/\w\.$/) as string,
          },
        ]);
      });

    fullIt(
      "refuses to install its tables where they are already, and removes everything outside of the schema",
      async () => {
        const schemasNow = async (): Promise<unknown[]> =>
          (await database.admin.query("SELECT nspname FROM pg_namespace ORDER BY 1")).map(
            ({ nspname }) => nspname,
          );
        const before = await schemasNow();
        const schema = await makeSchema();
        await install(schema);
        const again = start("install", schema);
        expect(await again.ended, again.describe()).toBe(1);
        expect(again.events.map(({ event }) => event)).toEqual(["broken"]);
        const removal = start("remove", schema);
        expect(await removal.ended, removal.describe()).toBe(0);
        await database.admin.query(`DROP SCHEMA ${schema} CASCADE`);
        expect(await schemasNow()).toEqual(before);
      },
    );
  });
}
