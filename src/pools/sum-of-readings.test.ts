import { expect, it } from "vitest";
import { sumOfReadings } from "./sum-of-readings.js";

const READING = { clientsActive: 1, clientsWaiting: 2, maxWaitMs: 30, serversActive: 4, serversIdle: 5 };
const COUNTS = { transactions: 1, waitMs: 2, queryMs: 3 };

it("takes several poolers for one: counts add up, the longest wait is that of any", () => {
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

it("states no more than they tell", () => {
  const told = { clientsActive: 1, serversActive: 1, serversIdle: 0 };
  expect(sumOfReadings([told, told])).toEqual({ clientsActive: 2, serversActive: 2, serversIdle: 0 });
});
