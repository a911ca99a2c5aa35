import { expect, it } from "vitest";
import { sumOfReadings } from "./sum-of-readings.js";

const READING = { clientsActive: 1, clientsWaiting: 2, maxWaitMs: 30, serversActive: 4, serversIdle: 5 };
const COUNTS = { transactions: 1, waitMs: 2, queryMs: 3 };

it("readings of several poolers are added up, and the longest wait is their largest", () => {
  expect(sumOfReadings([READING, { ...READING, maxWaitMs: 10 }])).toEqual({
    clientsActive: 2,
    clientsWaiting: 4,
    maxWaitMs: 30,
    serversActive: 8,
    serversIdle: 10,
  });
  expect(sumOfReadings([READING, { ...READING, ...COUNTS }, { ...READING, ...COUNTS }])).toMatchObject({
    clientsActive: 3,
    transactions: 2,
    waitMs: 4,
    queryMs: 6,
  });
});

it("a sum of readings has no value that the poolers do not report", () => {
  const reading = { clientsActive: 1, serversActive: 1, serversIdle: 0 };
  expect(sumOfReadings([reading, reading])).toEqual({ clientsActive: 2, serversActive: 2, serversIdle: 0 });
});
