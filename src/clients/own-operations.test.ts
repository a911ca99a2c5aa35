// Times of operations on connections that the workload holds, with an injected clock.
import { expect, it } from "vitest";
import { postgresql } from "../database/postgres/postgresql.js";
import { Prng } from "../foundation/prng.js";
import { Sleeper } from "../foundation/sleeper.js";
import { PartNames, POOL_WAIT_PART } from "../metrics/part-times.js";
import { Recorder } from "../metrics/recorder.js";
import { EventLog } from "./event-log.js";
import { OwnConnectionOperations, type OwnConnectionPlan } from "./own-operations.js";
import { RetryPolicy } from "./retry-policy.js";
import { TimeAccount } from "./time-account.js";

let atMs = 0;
const slow: Record<string, number>[] = [];

function setUp(): { operations: OwnConnectionOperations; recorder: Recorder } {
  const recorder = new Recorder(["work"]);
  recorder.setWindow(0, Number.POSITIVE_INFINITY);
  const warn = ({ parts }: { parts: Record<string, number> }): void => void slow.push(parts);
  const operations = new OwnConnectionOperations({
    source: { endpointOf: () => 0 },
    recorder,
    eventLog: new EventLog({ warn, error: warn, isLevelEnabled: () => true } as never),
    retry: new RetryPolicy({ attempts: 2, baseMs: 0, ceilingMs: 0, deadlineMs: 60_000 }, new Prng(1)),
    slowTransactionMs: 0,
    sleeper: new Sleeper(),
    isStartedBySchedule: () => false,
    time: new TimeAccount(),
    partNames: new PartNames(),
    failures: postgresql.failures,
    failurePlaceOf: postgresql.failures.placesOf([], {}),
    nowMs: () => atMs,
  });
  return { operations, recorder };
}

const plan = (body: OwnConnectionPlan<number>["body"]): OwnConnectionPlan<number> => ({
  ...{ operation: "work", client: 0, intendedMs: 0, isPoll: false, events: (count) => count, body },
});

it("an operation on the workload's own connection has its whole body as service time if the body books nothing", async () => {
  const { operations, recorder } = setUp();
  const end = await operations.run(plan(() => Promise.resolve((atMs += 7))));
  expect(end).toMatchObject({ kind: "committed", finishedMs: 7 });
  const [second] = recorder.take(Number.POSITIVE_INFINITY).seconds;
  expect([...(second?.operations["work"]?.samplesUs.service ?? [])]).toEqual([7000]);
});

it("time of the body that is not booked as a wait counts as work of the operation", async () => {
  const { operations } = setUp();
  const startMs = atMs;
  await operations.run(
    plan(async (times) => {
      atMs += 3;
      times.book(POOL_WAIT_PART, startMs, atMs);
      atMs += 5;
      return 1;
    }),
  );
  expect(slow.at(-1)).toMatchObject({ poolWait: 3, work: 5 });
});
