import { expect, it } from "vitest";
import { readingAfterLoss } from "./agent-poolers.js";

it("an ended pooler keeps its totals and drops its gauges", () => {
  const reading = { clientsActive: 1, clientsWaiting: 2, maxWaitMs: 3, serversActive: 4, serversIdle: 5 };
  expect(readingAfterLoss({ ...reading, transactions: 6, waitMs: 7, queryMs: 8 })).toEqual({
    clientsActive: 0,
    clientsWaiting: 0,
    maxWaitMs: 0,
    serversActive: 0,
    serversIdle: 0,
    transactions: 6,
    waitMs: 7,
    queryMs: 8,
  });
});
