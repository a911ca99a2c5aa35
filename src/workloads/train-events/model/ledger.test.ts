import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { batchNumberOf, ID_KINDS, positionOf, workerOf } from "../../event-id.js";
import { KeyMaker } from "./ledger.js";

describe.each(ID_KINDS)("remade keys of kind %s", (ids) => {
  const source = { worker: 9, ids, seed: 42 };

  test("are the same for the same batch, independent of earlier batches", () => {
    fc.assert(
      fc.property(fc.nat(100), fc.nat(2 ** 32 - 1), (events, batch) => {
        const described = { batch, events, madeAtMs: 1.7e12 };
        const asked = new KeyMaker(source);
        asked.keysOf({ batch: 3, events: 17, madeAtMs: 0 });
        const keys = asked.keysOf(described);
        expect(keys).toEqual(new KeyMaker(source).keysOf(described));
        expect(keys.map(positionOf)).toEqual(Array.from({ length: events }, (_, i) => i));
        for (const id of keys) expect([workerOf(id), batchNumberOf(id)]).toEqual([9, batch]);
      }),
    );
  });

  test("contain the position of each event, even beyond 12 bits", () => {
    const keys = new KeyMaker(source).keysOf({ batch: 1, events: 70_000, madeAtMs: 1.7e12 });
    expect(keys.every((id, i) => positionOf(id) === i)).toBe(true);
  });
});

test("remade keys of different workers, batches or seeds are all different", () => {
  const made = [
    { worker: 9, seed: 42, batch: 0 },
    { worker: 8, seed: 42, batch: 0 },
    { worker: 9, seed: 42, batch: 1 },
    { worker: 9, seed: 43, batch: 0 },
  ].flatMap(({ batch, ...source }) =>
    new KeyMaker({ ...source, ids: "uuidv4" }).keysOf({ batch, events: 50, madeAtMs: 1.7e12 }),
  );
  expect(new Set(made).size).toBe(200);
});
