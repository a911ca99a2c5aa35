import { expect, test } from "vitest";
import { Totals } from "../../metrics/totals.js";
import type { PlannedTrial, Treatment } from "../../scenario/settings.js";
import type { FaultSpan } from "../../faults/fault-schedule.js";
import { BacklogSamples, faultRecords } from "./fault-records.js";
import { LoadSeconds } from "../../faults/load-seconds.js";

const START_MS = 50_000;
const INPUTS = {
  trial: { number: 3 } as PlannedTrial,
  treatment: { id: "text" } as Treatment,
};

interface LoadSecond {
  readonly committed: number;
  /** Number of errors by SQLSTATE; each error is in the middle of the second. */
  readonly errors?: Readonly<Record<string, number>>;
  /** Times of errors in milliseconds of the window, by SQLSTATE. */
  readonly errorsAtMs?: Readonly<Record<string, readonly number[]>>;
}

function loadOf(seconds: readonly LoadSecond[]): LoadSeconds {
  const load = new LoadSeconds();
  seconds.forEach(({ committed, errors = {}, errorsAtMs = {} }, second) => {
    const totals = new Totals(["add", "process"]);
    totals.countsOf("add").transactions = committed - 1;
    totals.countsOf("process").transactions = 1;
    for (const [sqlstate, count] of Object.entries(errors))
      totals.errorTimes.push([sqlstate, new Float64Array(count).fill((second + 0.5) * 1e6)]);
    for (const [sqlstate, times] of Object.entries(errorsAtMs))
      totals.errorTimes.push([sqlstate, Float64Array.from(times, (ms) => ms * 1000)]);
    load.add(second, totals);
  });
  return load;
}

const span = (injectedMs: number, clearedMs: number | undefined): FaultSpan => ({
  fault: { kind: "network-reset", atMs: 4000, forMs: 0, between: "clients" },
  injectedMs: START_MS + injectedMs,
  clearedMs: clearedMs === undefined ? undefined : START_MS + clearedMs,
  words: "reset 8 connections of the clients",
});

const steady = { committed: 100 };
const UNSAMPLED = new BacklogSamples();

test("a fault record has times, recovery, and errors from injection until recovery", () => {
  const load = loadOf([
    { ...steady, errors: { "40001": 5 } },
    steady,
    steady,
    steady,
    { committed: 50, errors: { "08006": 2 } },
    { committed: 20, errors: { "08006": 20, "57P01": 1 } },
    { ...steady, errors: { "57P01": 3 } },
    { ...steady, errors: { "40001": 9 } },
    steady,
    steady,
  ]);
  expect(faultRecords(INPUTS, [span(4100, 4700)], START_MS, 10, load, UNSAMPLED)).toEqual([
    {
      trial: 3,
      treatment: "text",
      kind: "network-reset",
      atSeconds: 4,
      forSeconds: 0,
      injectedAtSeconds: 4.1,
      clearedAtSeconds: 4.7,
      recoverySeconds: expect.closeTo(1.3) as number,
      errors: { "08006": 22, "57P01": 4 },
      words: "reset 8 connections of the clients",
    },
  ]);
});

test("a fault that was never cleared has every later error and no recovery", () => {
  const load = loadOf([
    steady,
    steady,
    { committed: 1, errors: { "08006": 4 } },
    { committed: 1, errors: { "08006": 1 } },
  ]);
  expect(faultRecords(INPUTS, [span(2000, undefined)], START_MS, 4, load, UNSAMPLED)).toMatchObject([
    {
      clearedAtSeconds: null,
      recoverySeconds: null,
      recoveryReason: "it was never cleared",
      errors: { "08006": 5 },
    },
  ]);
});

test("errors of a fault without recovery end where the next fault begins", () => {
  const load = loadOf([
    steady,
    steady,
    { committed: 1, errors: { "08006": 4 } },
    { committed: 2, errors: { "08006": 1 } },
    { committed: 2, errors: { "08006": 2 } },
    { committed: 3, errors: { "53300": 8 } },
    { committed: 3, errors: { "53300": 1 } },
    { committed: 3, errors: { "53300": 1 } },
  ]);
  const [first, second] = faultRecords(
    INPUTS,
    [span(2000, 2500), span(5000, 5500)],
    START_MS,
    8,
    load,
    UNSAMPLED,
  );
  expect([first?.recoverySeconds, second?.recoverySeconds]).toEqual([null, null]);
  expect(first?.errors).toEqual({ "08006": 7 });
  expect(second?.errors).toEqual({ "53300": 10 });
});

test("errors count for the fault during which they occurred if two faults occur within a second", () => {
  const load = loadOf([
    steady,
    steady,
    { ...steady, errorsAtMs: { "57P01": [2050, 2100, 2350, 2410, 2950], "53300": [2450, 2500] } },
    { ...steady, errorsAtMs: { "53300": [3050], "57P01": [3950] } },
    steady,
    steady,
    steady,
    steady,
    steady,
    steady,
  ]);
  const faults = [span(2100, 2300), span(2400, 2900)];
  const [first, second] = faultRecords(INPUTS, faults, START_MS, 10, load, UNSAMPLED);
  // The error at 2350 ms follows the first fault and precedes the second, so it counts for the first. At 2050 ms there was no fault.
  expect(first?.errors).toEqual({ "57P01": 2 });
  expect(second?.errors).toEqual({ "53300": 3, "57P01": 2 });
});

test("an error during two faults counts for both, and an error long after both faults for neither", () => {
  const load = loadOf([
    steady,
    steady,
    steady,
    { ...steady, errorsAtMs: { "08006": [3010, 3400, 3900] } },
    steady,
    steady,
    steady,
    { ...steady, errorsAtMs: { "08006": [7500, 7999] } },
    steady,
    { ...steady, errorsAtMs: { "40001": [9500] } },
  ]);
  const faults = [span(3000, 7000), span(3300, 3320)];
  const [long, short] = faultRecords(INPUTS, faults, START_MS, 10, load, UNSAMPLED);
  expect(long?.errors).toEqual({ "08006": 5 });
  expect(short?.errors).toEqual({ "08006": 2 });
});

test("a fault record has the recovery time of each sampled queue", () => {
  const queue = new BacklogSamples();
  [4, 6, 5, 40, 30, 6, 5, 4, 4].forEach((pending, second) =>
    queue.add(second + 1, { "queue.pending": pending, "queue.processing": 9, "locks.blocked": 1 }),
  );
  // A sample without a value for the queue, as if the server had not answered.
  queue.add(10, { "host.clientCpuMs": 3 });
  const load = loadOf(Array.from({ length: 10 }, () => steady));
  const [record] = faultRecords(INPUTS, [span(3200, 3700)], START_MS, 10, load, queue);
  const recoverySeconds = expect.closeTo(2.3) as number;
  expect(record?.backlog).toEqual({ pending: { before: 6, most: 40, recoverySeconds } });
});
