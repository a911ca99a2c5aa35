import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { Prng } from "../foundation/prng.js";
import {
  batchKeys,
  batchNumberOf,
  ID_KINDS,
  idsOf,
  MAX_TRIAL_WORKERS,
  PRELOAD_WORKER,
  workerOf,
} from "./event-id.js";

const NOW_MS = Date.UTC(2026, 0, 1);
const schemas = { uuidv7: z.uuidv7(), uuidv4: z.uuidv4() };

/** The 48 bits of time at the front of a version 7 UUID. */
function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

describe.each(ID_KINDS)("an event id of kind %s", (kind) => {
  test("is a valid UUID of its version and contains its worker and batch", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 0, max: PRELOAD_WORKER }),
        fc.integer({ min: 0, max: 0xffffffff }),
        fc.integer({ min: 0, max: 2 ** 47 }),
        fc.integer({ min: 0, max: 0xffffffff }),
        (size, worker, batchNumber, nowMs, seed) => {
          const ids = idsOf(batchKeys(kind, size, worker, batchNumber, nowMs, new Prng(seed)));
          expect(ids).toHaveLength(size);
          for (const id of ids) {
            expect(schemas[kind].safeParse(id).success).toBe(true);
            expect(workerOf(id)).toBe(worker);
            expect(batchNumberOf(id)).toBe(batchNumber);
          }
        },
      ),
    );
  });

  test("is unique over workers and batches of a trial, even with equal times and seeds", () => {
    const ids = new Set<string>();
    const workers = [0, 1, MAX_TRIAL_WORKERS - 1, PRELOAD_WORKER];
    for (const worker of workers) {
      const prng = new Prng(1);
      for (let batch = 0; batch < 200; batch++) {
        for (const id of idsOf(batchKeys(kind, 50, worker, batch, NOW_MS, prng))) ids.add(id);
      }
    }
    expect(ids.size).toBe(workers.length * 200 * 50);
  });

  test("is valid and unique in a batch of more than 4 096 events", () => {
    const ids = idsOf(batchKeys(kind, 70_000, 3, 12, NOW_MS, new Prng(5)));
    expect(new Set(ids).size).toBe(70_000);
    for (const id of [ids[0], ids[4095], ids[4096], ids[69_999]]) {
      expect(schemas[kind].safeParse(id).success).toBe(true);
      expect(workerOf(id ?? "")).toBe(3);
      expect(batchNumberOf(id ?? "")).toBe(12);
    }
  });

  test("is absent for an empty batch", () => {
    expect(idsOf(batchKeys(kind, 0, 0, 0, NOW_MS, new Prng(1)))).toEqual([]);
  });
});

describe("an event id of version 7", () => {
  test("contains the time, and rises within a batch of over 4 096 events and to the next batch", () => {
    const batch = idsOf(batchKeys("uuidv7", 10_000, 1, 1, NOW_MS, new Prng(1)));
    expect(timeOf(batch[0] ?? "")).toBe(NOW_MS);
    expect([...batch].sort()).toEqual(batch);
    // Positions above 4096 borrow one millisecond for each 4096.
    const [next] = idsOf(batchKeys("uuidv7", 1, 1, 2, NOW_MS + 3, new Prng(1)));
    expect((next ?? "") > (batch.at(-1) ?? "")).toBe(true);
  });
});

describe("an event id of version 4", () => {
  test("is in random order and does not depend on the time", () => {
    const early = idsOf(batchKeys("uuidv4", 1000, 1, 1, 0, new Prng(1)));
    expect(idsOf(batchKeys("uuidv4", 1000, 1, 1, NOW_MS, new Prng(1)))).toEqual(early);
    const rises = early.filter((id, i) => i > 0 && id > (early[i - 1] ?? "")).length;
    expect(Math.abs(rises - 500)).toBeLessThan(80);
  });
});
