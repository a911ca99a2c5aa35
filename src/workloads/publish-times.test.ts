import { expect, it } from "vitest";
import { Prng } from "../foundation/prng.js";
import { batchKeys, idsOf, PRELOAD_WORKER } from "./event-id.js";
import { LifecycleClock, RING_BYTES } from "./publish-times.js";

function clocks(): { producer: LifecycleClock; consumer: LifecycleClock } {
  const buffers = new Map([[4, new SharedArrayBuffer(RING_BYTES)]]);
  return { producer: new LifecycleClock(buffers, []), consumer: new LifecycleClock(buffers, []) };
}
const ids = (worker: number, batch: number) =>
  idsOf(batchKeys("uuidv7", 2, worker, batch, 1e12, new Prng(1)));

it("each event of a batch gets the time since its commit was acknowledged in another thread", () => {
  const { producer, consumer } = clocks();
  producer.recordPublication(4, 17, 1000.5);
  const seen: [number, number][] = [];
  consumer.recordStage(ids(4, 17), 1003.75, (latencyMs, atMs) => seen.push([latencyMs, atMs]));
  expect(seen).toEqual([
    [3.25, 1003.75],
    [3.25, 1003.75],
  ]);
});

it("an event waits until its acknowledgement is known, and its end-to-end latency is never negative", () => {
  const { producer, consumer } = clocks();
  const seen: number[] = [];
  consumer.recordStage(ids(4, 0), 50, (latencyMs) => seen.push(latencyMs));
  expect(seen).toEqual([]);
  producer.recordPublication(4, 0, 51);
  consumer.settlePending();
  expect(seen).toEqual([0, 0]);
  expect(consumer.unmatched).toBe(0);
});

it("events whose publishing is unknown are counted, preloaded events are not", () => {
  const { consumer } = clocks();
  const never = (): never => {
    throw new Error("no latency is known");
  };
  consumer.recordStage(ids(9, 0), 50, never);
  expect(consumer.unmatched).toBe(2);
  consumer.recordStage(ids(PRELOAD_WORKER, 0), 50, never);
  expect(consumer.unmatched).toBe(2);
  consumer.recordStage(ids(4, 1), 50, never);
  consumer.settlePending();
  expect(consumer.unmatched).toBe(2);
  consumer.close();
  expect(consumer.unmatched).toBe(4);
});

it("an event waits for a late publishing time, but for a limited number of look-ups only", () => {
  const { producer, consumer } = clocks();
  const seen: number[] = [];
  const record = (latencyMs: number): unknown => seen.push(latencyMs);
  consumer.recordStage(ids(4, 0), 50, record);
  consumer.settlePending();
  consumer.settlePending();
  producer.recordPublication(4, 0, 30);
  consumer.settlePending();
  expect(seen).toEqual([20, 20]);
  consumer.recordStage(ids(4, 1), 60, record);
  for (let look = 0; look < 5; look++) consumer.settlePending();
  expect(consumer.unmatched).toBe(2);
  producer.recordPublication(4, 1, 30);
  consumer.settlePending();
  expect(seen).toHaveLength(2);
});

it("an order of events across agents is certain only beyond the error of their clocks", () => {
  const buffers = new Map([[4, new SharedArrayBuffer(RING_BYTES)]]);
  const [here, elsewhere] = [new LifecycleClock(buffers, []), new LifecycleClock(buffers, [4])];
  here.recordPublication(4, 0, 5000);
  const [id = ""] = ids(4, 0);
  expect([here.wasPublishedBefore(id, 5001), elsewhere.wasPublishedBefore(id, 5001)]).toEqual([true, false]);
  expect(elsewhere.wasPublishedBefore(id, 6001)).toBe(true);
});
