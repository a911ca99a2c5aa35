// Records of faults from their moments and from what the load did: seconds from the start of the window, the recovery,
// and the errors of the right seconds, each counted where it belongs.
import { expect, test } from "vitest";
import { Totals } from "../../metrics/totals.js";
import type { PlannedTrial, Treatment } from "../../scenario/settings.js";
import type { FaultSpan } from "./fault.js";
import { faultRecords } from "./fault-records.js";
import { LoadSeconds } from "./load-seconds.js";

const START_MS = 50_000;
const INPUTS = {
  trial: { number: 3 } as PlannedTrial,
  treatment: { id: "text" } as Treatment,
};

function loadOf(seconds: readonly { committed: number; errors?: Record<string, number> }[]): LoadSeconds {
  const load = new LoadSeconds();
  seconds.forEach(({ committed, errors = {} }, second) => {
    const totals = new Totals(["add", "process"]);
    totals.countsOf("add").transactions = committed - 1;
    totals.countsOf("process").transactions = 1;
    for (const [sqlstate, count] of Object.entries(errors)) {
      totals.countsOf("add").retries.set(sqlstate, count);
      totals.countsOf("process").failures.set(sqlstate, 1);
    }
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

test("a record has its moments, the recovery, and the errors from injection until the load was back", () => {
  const load = loadOf([
    { ...steady, errors: { "40001": 5 } },
    ...[steady, steady, steady],
    { committed: 50, errors: { "08006": 2 } },
    { committed: 20, errors: { "08006": 20, "57P01": 1 } },
    { ...steady, errors: { "57P01": 3 } },
    { ...steady, errors: { "40001": 9 } },
    ...[steady, steady],
  ]);
  expect(faultRecords(INPUTS, [span(4100, 4700)], START_MS, 10, load)).toEqual([
    {
      ...{ trial: 3, treatment: "text", kind: "network-reset", atSeconds: 4, forSeconds: 0 },
      ...{ injectedAtSeconds: 4.1, clearedAtSeconds: 4.7, recoverySeconds: expect.closeTo(1.3) as number },
      errors: { "08006": 24, "57P01": 6 },
      words: "reset 8 connections of the clients",
    },
  ]);
});

test("a fault that was never cleared has every error that came after it, and no recovery", () => {
  const load = loadOf([
    steady,
    steady,
    { committed: 1, errors: { "08006": 4 } },
    { committed: 1, errors: { "08006": 1 } },
  ]);
  expect(faultRecords(INPUTS, [span(2000, undefined)], START_MS, 4, load)).toMatchObject([
    {
      clearedAtSeconds: null,
      recoverySeconds: null,
      recoveryReason: "it was never cleared",
      errors: { "08006": 7 },
    },
  ]);
});

test("the errors of a fault that the load did not recover from end where the next one begins", () => {
  const load = loadOf([
    ...[steady, steady],
    { committed: 1, errors: { "08006": 4 } },
    { committed: 2, errors: { "08006": 1 } },
    { committed: 2, errors: { "08006": 2 } },
    { committed: 3, errors: { "53300": 8 } },
    { committed: 3, errors: { "53300": 1 } },
    { committed: 3, errors: { "53300": 1 } },
  ]);
  const [first, second] = faultRecords(INPUTS, [span(2000, 2500), span(5000, 5500)], START_MS, 8, load);
  expect([first?.recoverySeconds, second?.recoverySeconds]).toEqual([null, null]);
  // Each SQLSTATE once more for the other operation of that second.
  expect(first?.errors).toEqual({ "08006": 10 });
  expect(second?.errors).toEqual({ "53300": 13 });
});
