// Unanswered commits on a real server behind a network that breaks at every other COMMIT, before or after the server has it.
// An add is stored once or not at all, as its ledger says; process and archive count acknowledged commits only.
import type { Connection } from "../database/sql.js";
import { postgresql } from "../database/postgres/postgresql.js";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { keyBytes } from "../workloads/event-id.js";
import { EventBatch } from "../workloads/train-events/model/event-batch.js";
import { monotonicMs, systemClock } from "../foundation/clock.js";
import { Prng } from "../foundation/prng.js";
import { Sleeper } from "../foundation/sleeper.js";
import type { Operation } from "../metrics/operations.js";
import { PartNames } from "../metrics/part-times.js";
import { Recorder } from "../metrics/recorder.js";
import { connectAdmin, type AdminClient } from "../database/postgres/admin.js";
import { countPresent, readTableCounts } from "../workloads/train-events/stores/audit-queries.js";
import { eventOperations } from "../workloads/train-events/stores/operations.js";
import { createConnectionSource } from "../pools/registry.js";
import type { EventOperations } from "../workloads/train-events/store.js";
import { makeBatch } from "../../test/support/make-batch.js";
import { dropNamespace, resetNamespace, testNamespace } from "../../test/support/namespace.js";
import { TcpProxy } from "../faults/means/tcp-proxy.js";
import { EventLog } from "./event-log.js";
import { RetryPolicy } from "./retry-policy.js";
import { TimeAccount } from "./time-account.js";
import { Transactor, type TransactionPlan } from "./transactor.js";
import type { ConnectionSource } from "../database/session.js";

const endpoint = inject("adminEndpoint");
const namespace = testNamespace("doubt");
const CLIENTS = 4;
const BATCH = 5;
const ROUNDS = 20;

let admin: AdminClient;
let proxy: TcpProxy;
let source: ConnectionSource;
let workload: EventOperations;

beforeAll(async () => {
  admin = await connectAdmin(endpoint, { purpose: "doubt" });
  proxy = await TcpProxy.open({ host: endpoint.host, port: endpoint.port }, systemClock, new Prng(11));
  const levels = { payload: "text", locking: "skip-locked", isolation: "read committed" } as const;
  workload = eventOperations({ dialect: "postgres", namespace, statementShape: "set-based", ...levels });
  source = createConnectionSource({
    pool: { strategy: "direct", reconnect: "never" },
    endpoints: [{ ...endpoint, host: "127.0.0.1", port: proxy.port }],
    ...{
      clients: CLIENTS,
      firstClient: 0,
      clientsOfTrial: CLIENTS,
      workers: 1,
      workerIndex: 0,
      prepared: true,
    },
    applicationName: "train-sim/doubt",
  });
});
beforeEach(async () => {
  await proxy.clear();
  await resetNamespace(admin, { namespace, payload: "text" });
});
afterAll(async () => {
  await source.close();
  await proxy.close();
  await dropNamespace(admin, namespace);
  await admin.close();
});

function transactorFor(operation: Operation, attempts = 1000) {
  const recorder = new Recorder([operation]);
  recorder.setWindow(0, Number.POSITIVE_INFINITY);
  const prng = new Prng(5);
  const transactor = new Transactor({
    failures: postgresql.failures,
    failurePlaceOf: postgresql.failures.placesOf([], {}),
    source,
    recorder,
    eventLog: new EventLog({ isLevelEnabled: () => false } as never),
    retry: new RetryPolicy({ attempts, baseMs: 1, ceilingMs: 20, deadlineMs: 60_000 }, prng),
    slowTransactionMs: 1e9,
    sleeper: new Sleeper(),
    isStartedBySchedule: () => false,
    time: new TimeAccount(),
    partNames: new PartNames(),
    nowMs: monotonicMs,
  });
  /** Totals over all seconds. */
  const counts = () => {
    const all = recorder
      .take(Number.POSITIVE_INFINITY)
      .seconds.map(({ operations }) => operations[operation]);
    const sum = (of: (one: NonNullable<(typeof all)[number]>) => number): number =>
      all.reduce((total, one) => total + (one ? of(one) : 0), 0);
    return {
      transactions: sum((one) => one.transactions),
      events: sum((one) => one.events),
      unansweredCommits: sum((one) => one.unansweredCommits),
    };
  };
  return { transactor, counts };
}

/** Lets every client run its `plans` one after the other. */
async function everyClient(work: (client: number, round: number) => Promise<void>): Promise<void> {
  const loop = async (client: number): Promise<void> => {
    for (let round = 0; round < ROUNDS; round++) await work(client, round);
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => loop(client)));
}

const addPlan = (client: number, round: number): TransactionPlan<true> & { ids: string[] } => {
  const batch = makeBatch(BATCH, 3, client * ROUNDS + round);
  const ids = batch.map(({ id }) => id);
  return {
    ids,
    ...{ operation: "add", client, intendedMs: 0, isPoll: false, events: () => BATCH },
    body: async (connection: Connection) => {
      await workload.add(EventBatch.of(batch))(connection);
      return true;
    },
    settle: async (connection: Connection) =>
      (await workload.countPresent(connection, keyBytes(ids))) > 0 ? true : undefined,
  };
};

describe("transactions of which every other commit loses its connection", () => {
  it("every add that is acknowledged in the end is stored exactly once", async () => {
    const { transactor, counts } = transactorFor("add");
    await proxy.apply({ kind: "reset-commits", share: 0.5 });
    await everyClient(async (client, round) => {
      expect((await transactor.run(addPlan(client, round))).kind).toBe("committed");
    });
    const { commitsLost, answersLost } = proxy.effect;
    expect(commitsLost).toBeGreaterThan(0);
    expect(answersLost).toBeGreaterThan(0);
    const events = CLIENTS * ROUNDS * BATCH;
    const measured = counts();
    expect(measured).toMatchObject({ transactions: CLIENTS * ROUNDS, events });
    // Settling reads in a transaction of one statement, which has no COMMIT to lose.
    expect(measured.unansweredCommits).toBe(commitsLost + answersLost);
    expect(await readTableCounts(admin, namespace)).toMatchObject({
      pending: events,
      orphaned: 0,
      duplicated: 0,
    });
  });

  it("an add without another attempt stays in doubt and is stored completely or not at all", async () => {
    const { transactor } = transactorFor("add", 1);
    await proxy.apply({ kind: "reset-commits", share: 0.5 });
    let published = 0;
    const doubtful: string[][] = [];
    await everyClient(async (client, round) => {
      const plan = addPlan(client, round);
      const end = await transactor.run(plan);
      if (end.kind === "failed" && end.inDoubt) doubtful.push(plan.ids);
      else if (end.kind === "committed") published += BATCH;
    });
    const { commitsLost, answersLost } = proxy.effect;
    expect(doubtful).toHaveLength(commitsLost + answersLost);
    const found: number[] = [];
    for (const ids of doubtful) found.push(await countPresent(admin, namespace, ids));
    expect(new Set(found)).toEqual(new Set([0, BATCH]));
    expect(found.filter((count) => count === BATCH)).toHaveLength(answersLost);
    expect(await readTableCounts(admin, namespace)).toMatchObject({
      pending: published + answersLost * BATCH,
      orphaned: 0,
    });
  });

  it.each(["process", "archive"] as const)(
    "%s counts no event of an unacknowledged commit, and misses at most the events of unanswered commits",
    async (operation) => {
      const { connection: filling } = await source.acquire(0);
      for (let batch = 0; batch < 40; batch++)
        await workload.add(EventBatch.of(makeBatch(20, 9, batch)))(filling);
      const prng = new Prng(1);
      const pass = { limit: BATCH, roll: () => prng.float(), chances: { claim: 1, complete: 1, fail: 0 } };
      if (operation === "archive") {
        const { connection } = await source.acquire(0);
        while ((await workload.process({ ...pass, limit: 1000 })(connection)).events > 0);
      }
      const { transactor, counts } = transactorFor(operation);
      await proxy.apply({ kind: "reset-commits", share: 0.5 });
      await everyClient(async (client) => {
        await transactor.run<number>({
          ...{ operation, client, intendedMs: 0, isPoll: true, events: (count: number) => count },
          body: async (connection: Connection) =>
            operation === "process"
              ? (await workload.process(pass)(connection)).events
              : (await workload.archive(BATCH)(connection)).archivedIds.length,
        });
      });
      const { answersLost } = proxy.effect;
      const { events, unansweredCommits } = counts();
      const passes = `SELECT coalesce(sum(attempts), 0)::int AS done FROM ${namespace}.event_status`;
      const archived = `SELECT count(*)::int AS done FROM ${namespace}.events_archive`;
      const [row] = await admin.query(operation === "process" ? passes : archived);
      const done = Number(row?.["done"]);
      expect(answersLost).toBeGreaterThan(0);
      expect(done).toBeGreaterThan(events);
      expect(done - events).toBe(answersLost * BATCH);
      expect(unansweredCommits).toBeGreaterThanOrEqual(answersLost);
      const tables = await readTableCounts(admin, namespace);
      const { pending, processing, complete, failed, archived: moved, orphaned, duplicated } = tables;
      expect({ sum: pending + processing + complete + failed + moved, orphaned, duplicated }).toEqual({
        ...{ sum: 800, orphaned: 0, duplicated: 0 },
      });
    },
  );
});
