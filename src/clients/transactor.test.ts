// Outcomes of a transaction: each is counted once, and a commit in doubt is settled before a repetition.
import { postgresql } from "../database/postgres/postgresql.js";
import { describe, expect, it, vi } from "vitest";
import { monotonicMs } from "../foundation/clock.js";
import { TrialError } from "../foundation/errors.js";
import { Prng } from "../foundation/prng.js";
import { InDoubtError, StatementError } from "../database/errors.js";
import { EndpointSplit } from "../metrics/endpoint-split.js";
import { PartNames } from "../metrics/part-times.js";
import { Recorder } from "../metrics/recorder.js";
import { EventLog } from "./event-log.js";
import { RetryPolicy } from "./retry-policy.js";
import { TimeAccount } from "./time-account.js";
import { Transactor, type TransactionPlan } from "./transactor.js";
import type { ConnectionSource } from "../database/session.js";
import { idleConnection } from "../../test/support/idle-connection.js";

function setUp(attempts = 3, isOpenLoop = false) {
  const released: boolean[] = [];
  const acquisitions: number[] = [];
  const slept: number[] = [];
  const lines: string[] = [];
  const source: ConnectionSource = {
    acquire: async (client) => {
      acquisitions.push(client);
      return { connection: idleConnection, release: async (suspect: boolean) => void released.push(suspect) };
    },
    // Each attempt is made at the next endpoint.
    endpointOf: () => acquisitions.length - 1,
    contacts: [],
    openConnections: async () => undefined,
    close: async () => undefined,
  };
  const split = new EndpointSplit(20);
  const recorder = new Recorder(["add"], split);
  // All transactions of a test finish in the first second of its window.
  recorder.setWindow(monotonicMs() - 500, Number.POSITIVE_INFINITY);
  const settings = { attempts, baseMs: 10, ceilingMs: 15, deadlineMs: 60_000 };
  const retry = new RetryPolicy(settings, new Prng(3));
  const write = (fields: { event: string }): void => void lines.push(fields.event);
  const transactor = new Transactor({
    failures: postgresql.failures,
    failurePlaceOf: postgresql.failures.placesOf([], {}),
    source,
    recorder,
    eventLog: new EventLog({ warn: write, error: write, isLevelEnabled: () => true } as never),
    retry,
    slowTransactionMs: 1e9,
    sleeper: { sleep: async (ms: number) => void slept.push(ms), wakeAll: () => undefined } as never,
    isStartedBySchedule: (operation) => isOpenLoop && operation === "add",
    time: new TimeAccount(),
    partNames: new PartNames(),
    nowMs: monotonicMs,
  });
  const counts = () => recorder.take(Number.POSITIVE_INFINITY).seconds[0]?.operations.add;
  return { transactor, retry, acquisitions, released, slept, lines, counts, split };
}

function bodyThatFails(errors: unknown[], result = 5): TransactionPlan<number>["body"] {
  return async () => {
    const error = errors.shift();
    if (error) throw error as Error;
    return result;
  };
}

const plan = (body: TransactionPlan<number>["body"], more: Partial<TransactionPlan<number>> = {}) => ({
  operation: "add" as const,
  client: 0,
  intendedMs: 0,
  isPoll: true,
  events: (count: number) => count,
  body,
  ...more,
});

const serverError = (code: string, text: string) => Object.assign(new Error(text), { code });
const serialization = () =>
  new StatementError("add.events", serverError("40001", "could not serialize"), "40001");
const lostConnectionError = () =>
  new StatementError("add.events", new Error("Connection terminated"), "08006");
const inDoubt = () => new InDoubtError(new Error("Connection terminated"));

describe("a transaction", () => {
  it("counts a commit that the server acknowledged with a warning", async () => {
    const { transactor, counts } = setUp();
    await transactor.run(plan(async () => 5));
    await transactor.run(
      plan(async (on) => {
        Object.assign(on, { warnedCommits: 1 });
        return 5;
      }),
    );
    await transactor.run(plan(async () => 5));
    expect(counts()).toMatchObject({ transactions: 3, warnedCommits: 1 });
  });

  it("is recorded once with its events when it commits", async () => {
    const { transactor, counts, released } = setUp();
    expect((await transactor.run(plan(bodyThatFails([])))).kind).toBe("committed");
    expect(counts()).toMatchObject({ transactions: 1, events: 5, retries: {}, failures: {} });
    expect(released).toEqual([false]);
  });

  it("is booked to its endpoints: each retry to the one that failed, the outcome to the last one", async () => {
    const { transactor, split } = setUp();
    await transactor.run(plan(bodyThatFails([lostConnectionError(), serialization()])));
    await transactor.run(
      plan(bodyThatFails([lostConnectionError(), lostConnectionError(), lostConnectionError()])),
    );
    const [first, second, third, ...others] = split.operations().map(({ add }) => add);
    const retry = { transactions: 0, events: 0, retries: 1, failures: 0, responseTimeMs: null };
    expect([first, second]).toEqual([retry, retry]);
    expect(third).toMatchObject({ transactions: 1, events: 5, retries: 0, failures: 0 });
    expect(others.slice(0, 3)).toEqual([retry, retry, { ...retry, retries: 0, failures: 1 }]);
  });

  it("records the delay of its scheduled start, which is no part of its service time", async () => {
    const { transactor, counts } = setUp(3, true);
    const intendedMs = monotonicMs() - 500;
    await transactor.run(plan(bodyThatFails([]), { intendedMs }));
    const { samplesUs } = counts() ?? {};
    expect(samplesUs?.startdelay?.[0]).toBeGreaterThanOrEqual(500_000);
    expect(samplesUs?.response?.[0]).toBeGreaterThanOrEqual(samplesUs?.startdelay?.[0] ?? 0);
    expect((samplesUs?.response?.[0] ?? 0) - (samplesUs?.service?.[0] ?? 0)).toBeCloseTo(
      samplesUs?.startdelay?.[0] ?? 0,
      -1,
    );
  });

  it("has no start delay without a schedule", async () => {
    const { transactor, counts } = setUp();
    await transactor.run(plan(bodyThatFails([])));
    expect(counts()?.samplesUs.startdelay).toBeUndefined();
  });

  it("is retried on the same connection after a serialization failure, with jitter below the ceiling", async () => {
    const { transactor, counts, released, slept, lines } = setUp(4);
    expect(
      (await transactor.run(plan(bodyThatFails([serialization(), serialization(), serialization()])))).kind,
    ).toBe("committed");
    expect(counts()).toMatchObject({ transactions: 1, retries: { "40001": 3 }, failures: {} });
    expect(released).toEqual([false, false, false, false]);
    expect(slept).toHaveLength(3);
    expect(slept[0]).toBeLessThanOrEqual(10);
    expect(Math.max(...slept)).toBeLessThanOrEqual(15);
    expect(lines).toEqual(["retry", "retry", "retry"]);
  });

  it("is retried on a new connection after its connection was lost", async () => {
    const { transactor, released } = setUp();
    await transactor.run(plan(bodyThatFails([lostConnectionError()])));
    expect(released).toEqual([true, false]);
  });

  it("is one counted failure when its attempts are used up", async () => {
    const { transactor, counts, lines } = setUp(2);
    const end = await transactor.run(plan(bodyThatFails([serialization(), serialization()])));
    expect(end).toMatchObject({ kind: "failed", inDoubt: false });
    expect(counts()).toMatchObject({ transactions: 0, retries: { "40001": 1 }, failures: { "40001": 1 } });
    expect(lines).toEqual(["retry", "failure"]);
  });

  it("is one counted failure if its next attempt would start after the end of the load", async () => {
    const { transactor, retry, counts, slept } = setUp(1000);
    retry.forbidRetriesAfter(monotonicMs());
    const end = await transactor.run(plan(bodyThatFails([serialization(), serialization()])));
    expect(end).toMatchObject({ kind: "failed", inDoubt: false });
    expect(counts()).toMatchObject({ transactions: 0, retries: {}, failures: { "40001": 1 } });
    expect(slept).toEqual([]);
  });

  it("is retried if the server lacks a resource, and fails without stopping the trial if this stays so", async () => {
    const { transactor, counts, released } = setUp(2);
    const full = (): StatementError =>
      new StatementError("add.events", serverError("53100", "could not extend file"), "53100");
    expect((await transactor.run(plan(bodyThatFails([full(), full()])))).kind).toBe("failed");
    expect(counts()).toMatchObject({ retries: { "53100": 1 }, failures: { "53100": 1 } });
    expect(released).toEqual([false, false]);
  });

  it("counts each unanswered commit, and is retried if the commit cannot be settled", async () => {
    const { transactor, counts } = setUp();
    const end = await transactor.run(plan(bodyThatFails([inDoubt()], 7)));
    expect(end).toMatchObject({ kind: "committed", result: 7 });
    expect(counts()).toMatchObject({ transactions: 1, events: 7, unansweredCommits: 1 });
  });

  it("is counted as an empty poll, not as a transaction, if it finds no work", async () => {
    const { transactor, counts } = setUp();
    expect((await transactor.run(plan(bodyThatFails([], 0)))).kind).toBe("empty");
    expect(counts()).toMatchObject({ transactions: 0, emptyPolls: 1 });
  });

  it("is not repeated if a commit in doubt turns out to have happened", async () => {
    const { transactor, counts } = setUp();
    const body = vi.fn(bodyThatFails([inDoubt()]));
    const end = await transactor.run(plan(body, { settle: async () => 5 }));
    expect(end).toMatchObject({ kind: "committed", result: 5 });
    expect(body).toHaveBeenCalledTimes(1);
    expect(counts()).toMatchObject({ transactions: 1, events: 5 });
  });

  it("is settled again if the commit in doubt arrives after the first check and the repetition fails as a duplicate", async () => {
    const { transactor } = setUp();
    const answers = [undefined, 5];
    const duplicate = new StatementError("add.events", serverError("23505", "duplicate key"), "23505");
    const end = await transactor.run(
      plan(bodyThatFails([inDoubt(), duplicate]), { settle: async () => answers.shift() }),
    );
    expect(end).toMatchObject({ kind: "committed", result: 5 });
  });

  it("fails in doubt if the commit cannot be settled before its attempts are used up", async () => {
    const { transactor } = setUp(2);
    const end = await transactor.run(
      plan(bodyThatFails([inDoubt(), lostConnectionError()]), { settle: async () => undefined }),
    );
    expect(end).toMatchObject({ kind: "failed", inDoubt: true });
  });

  it("stops the trial, naming the statement, on a non-retryable error", async () => {
    const { transactor, acquisitions } = setUp();
    const missing = new StatementError(
      "process.claim",
      serverError("42P01", 'relation "x" does not exist'),
      "42P01",
    );
    await expect(transactor.run(plan(bodyThatFails([missing])))).rejects.toThrow(TrialError);
    await expect(transactor.run(plan(bodyThatFails([missing])))).rejects.toThrow(/process\.claim.*42P01/);
    expect(acquisitions).toHaveLength(2);
  });
});
