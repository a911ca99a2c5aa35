// Parts of a transaction's time, on a clock that moves only during waits: they add up to the response time exactly.
import { postgresql } from "../database/postgres/postgresql.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Prng } from "../foundation/prng.js";
import { StatementError } from "../database/errors.js";
import { inTransaction } from "../database/postgres/transaction.js";
import { PartNames } from "../metrics/part-times.js";
import { Recorder } from "../metrics/recorder.js";
import { EventLog } from "./event-log.js";
import { RetryPolicy } from "./retry-policy.js";
import { TimeAccount } from "./time-account.js";
import { Transactor, type TransactionPlan } from "./transactor.js";
import type { CallObserver, ConnectionSource } from "../database/session.js";
import type { Connection } from "../database/sql.js";
import { idleConnection } from "../../test/support/idle-connection.js";

const CLAIM = { name: "process.claim", text: "SELECT 1" };

/** `waitMs` is the duration of each part by name; `failures` states how often a part fails before it succeeds. */
function setUp(waitMs: (name: string) => number, failures: Record<string, number> = {}, isOpenLoop = false) {
  const time = new TimeAccount(() => 0);
  time.setWindow(0, Number.POSITIVE_INFINITY);
  let clockMs = 10_000;
  const pass = (name: string): void => void (clockMs += waitMs(name));
  let observer: CallObserver | undefined;
  const call = async (name: string): Promise<void> => {
    const startMs = clockMs;
    await Promise.resolve();
    pass(name);
    observer?.onCall(name, startMs, clockMs);
    if ((failures[name] ?? 0) <= 0) return;
    failures[name] = (failures[name] ?? 0) - 1;
    const cause = Object.assign(new Error("could not serialize"), { code: "40001" });
    throw new StatementError(name, cause, "40001");
  };
  const connection: Connection = {
    ...idleConnection,
    execute: async ({ name }) => {
      await call(name);
      return [];
    },
    control: (name) => call(name),
    observe: (next) => void (observer = next),
  };
  const source: ConnectionSource = {
    acquire: async () => {
      pass("poolWait");
      return { connection, release: async () => pass("release") };
    },
    endpointOf: () => 0,
    contacts: [],
    openConnections: async () => undefined,
    close: async () => undefined,
  };
  const recorder = new Recorder(["process"]);
  recorder.setWindow(0, Number.POSITIVE_INFINITY);
  const slow: Record<string, unknown>[] = [];
  const warn = (fields: Record<string, unknown>): void => {
    if (fields["event"] === "slow") slow.push(fields);
  };
  const transactor = new Transactor({
    failures: postgresql.failures,
    failurePlaceOf: postgresql.failures.placesOf([], {}),
    source,
    recorder,
    eventLog: new EventLog({ warn, error: warn, isLevelEnabled: () => true } as never),
    retry: new RetryPolicy({ attempts: 10, baseMs: 1, ceilingMs: 1, deadlineMs: 60_000 }, new Prng(3)),
    slowTransactionMs: 100,
    sleeper: { sleep: async () => pass("backoff"), wakeAll: () => undefined } as never,
    isStartedBySchedule: (operation) => isOpenLoop && operation === "process",
    time,
    partNames: new PartNames(),
    nowMs: () => clockMs,
  });
  const plan = (intendedMs: number, events = 1): TransactionPlan<number> => ({
    operation: "process",
    client: 2,
    intendedMs,
    isPoll: true,
    events: (count) => count,
    body: (held: Connection, times) =>
      inTransaction(held, "BEGIN", async () => {
        await held.execute(CLAIM, []);
        pass("program");
        const fromMs = clockMs;
        pass("appDelay");
        times.bookNamedPart("appDelay", fromMs, clockMs);
        return events;
      }),
  });
  const counts = () => recorder.take(Number.POSITIVE_INFINITY).seconds[0]?.operations.process;
  return { transactor, plan, counts, slow, connection, time, pass, nowMs: () => clockMs };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe("the parts of a transaction's response time", () => {
  it("are its waits, the delay of its start and all time of its failed attempts", async () => {
    const takesMs: Record<string, number> = {
      ...{ poolWait: 2, begin: 1, "process.claim": 8, appDelay: 30, commit: 5, rollback: 0.5 },
      ...{ backoff: 12, release: 0.25, program: 0.75 },
    };
    const { transactor, plan, counts, slow, nowMs } = setUp(
      (name) => takesMs[name] ?? 0,
      { "process.claim": 2 },
      true,
    );
    await transactor.run(plan(nowMs() - 40));
    const expected = {
      ...{ startDelay: 40, poolWait: 6, begin: 3, "process.claim": 24, appDelay: 30, commit: 5 },
      ...{ rollback: 1, release: 0.5, backoff: 24, program: 0.75 },
    };
    const process = counts();
    expect(process?.parts?.slowest).toEqual({
      responseMs: sum(Object.values(expected)),
      client: 2,
      parts: expected,
    });
    expect(process?.samplesUs.response?.[0]).toBe(sum(Object.values(expected)) * 1000);
    expect(process?.parts?.sums["process.claim"]?.calls).toBe(3);
    expect(process?.parts?.sums["backoff"]?.calls).toBe(0);
    expect(slow).toHaveLength(0); // 94.25 ms of service: the delay of its start is not the server's
  });

  it("end with the answer to COMMIT: reading the answer and releasing the connection are no part", async () => {
    const { transactor, plan, counts, time, pass, nowMs } = setUp(() => 1);
    const made = plan(nowMs());
    const readingBody: typeof made.body = async (held, times) => {
      const events = await made.body(held, times);
      for (let ms = 0; ms < 7; ms++) pass("reading");
      return events;
    };
    const end = await transactor.run({ ...made, body: readingBody });
    expect(end).toMatchObject({ kind: "committed", finishedMs: nowMs() - 8 });
    expect(counts()?.samplesUs.response?.[0]).toBe(6_000);
    time.bookWork(made.client, nowMs());
    expect(time.total()).toMatchObject({ service: 6, preparing: 8 });
  });

  it("are logged with a slow transaction", async () => {
    const { transactor, plan, slow, nowMs } = setUp((name) => (name === "commit" ? 120 : 1));
    await transactor.run(plan(nowMs()));
    const parts = {
      ...{ poolWait: 1, begin: 1, "process.claim": 1, appDelay: 1, commit: 120, program: 1 },
    };
    expect(slow).toMatchObject([{ serviceMs: 125, responseMs: 125, client: 2, parts }]);
  });

  it("are recorded of committed transactions with work only, not of an empty poll or a failure", async () => {
    const { transactor, plan, counts, nowMs } = setUp(() => 1, { "process.claim": 10 });
    expect((await transactor.run(plan(nowMs()))).kind).toBe("failed");
    expect((await transactor.run(plan(nowMs(), 0))).kind).toBe("empty");
    expect(counts()?.parts).toBeUndefined();
  });

  it("exclude statements on the connection after its release", async () => {
    const { transactor, plan, counts, connection, nowMs } = setUp(() => 1);
    await transactor.run(plan(nowMs()));
    await connection.execute(CLAIM, []);
    expect(counts()?.parts?.sums["process.claim"]).toMatchObject({ ns: 1e6, calls: 1 });
  });

  it("are never negative and add up to the response time, for any waits and failures", async () => {
    const seed = fc.integer({ min: 0, max: 2 ** 31 });
    const times = fc.integer({ min: 0, max: 3 });
    await fc.assert(
      fc.asyncProperty(seed, times, times, async (waits, claims, commits) => {
        const prng = new Prng(waits);
        const failures = { "process.claim": claims, commit: commits };
        const { transactor, plan, counts, nowMs } = setUp(() => prng.float() * 5, failures, true);
        for (let i = 0; i < 3; i++) await transactor.run(plan(nowMs() - prng.float() * 20));
        const process = counts();
        const sums = Object.values(process?.parts?.sums ?? {}).map(({ ns }) => ns / 1e6);
        for (const ms of sums) expect(ms).toBeGreaterThanOrEqual(0);
        const responsesUs = Array.from(process?.samplesUs.response ?? []);
        expect(responsesUs).toHaveLength(3);
        // Samples are whole microseconds.
        expect(Math.abs(sum(sums) - sum(responsesUs) / 1000)).toBeLessThan(3 * 0.0005 + 1e-5);
        expect(process?.parts?.slowest.responseMs).toBeCloseTo(Math.max(...responsesUs) / 1000, 3);
      }),
    );
  });
});
