import { expect, it } from "vitest";
import { zeroOutsideCounts, type RecorderDelta } from "../../metrics/recorder-delta.js";
import { PoolerWatch } from "./pooler-watch.js";
import type { EndpointContacts } from "../../database/session.js";

const ENDPOINTS = [6432, 6433].map((port) => ({
  scheme: "postgresql",
  host: "127.0.0.1",
  port,
  database: "d",
  user: "u",
}));

function setUp() {
  const clock = { nowMs: 0 };
  const watch = new PoolerWatch({ product: "PgBouncer", endpoints: ENDPOINTS }, () => clock.nowMs);
  const lost: string[] = [];
  void watch.lost.then((words) => lost.push(words));
  const refused: [number, number] = [0, 0];
  /** A second of a worker: its finished transactions, and the refusals by each pooler. */
  const second = async (transactions: number, ...more: [number, number]): Promise<string[]> => {
    const closedBefore = clock.nowMs / 1000;
    more.forEach((count, number) => (refused[number as 0 | 1] += count));
    const contacts: EndpointContacts[] = refused.map((count) => ({
      connects: 2,
      refused: count,
      lost: 2,
      refusal: "ECONNREFUSED",
    }));
    const outside = { ...zeroOutsideCounts(), transactions };
    const rest = { isWarmUp: false, seconds: [], clampedSamples: 0, serverTransactions: 0, underWay: {} };
    watch.addContacts(0, { ...rest, closedBefore, outside } satisfies RecorderDelta, contacts);
    clock.nowMs += 1000;
    await Promise.resolve();
    return lost;
  };
  return { watch, second };
}

it("poolers that refuse all connections for 10 s are named with their errors", async () => {
  const { second } = setUp();
  for (let n = 0; n < 4; n++) expect(await second(5, 1, 0)).toEqual([]);
  for (let n = 0; n < 9; n++) expect(await second(0, 10, n === 0 ? 1 : 0)).toEqual([]);
  expect(await second(0, 10, 0)).toEqual([
    "PgBouncer at 127.0.0.1:6432 refused 100 connections (ECONNREFUSED); PgBouncer at 127.0.0.1:6433 refused 1 connection (ECONNREFUSED) since second 4",
  ]);
});

it("poolers are not named while transactions finish, a fault is active, or nothing is refused", async () => {
  const { watch, second } = setUp();
  for (let n = 0; n < 30; n++) expect(await second(n % 5 === 0 ? 1 : 0, 1, 1)).toEqual([]);
  const end = watch.tolerateRefusals();
  for (let n = 0; n < 30; n++) expect(await second(0, 1, 1)).toEqual([]);
  end();
  for (let n = 0; n < 30; n++) expect(await second(0, n === 0 ? 1 : 0, 0)).toEqual([]);
});
