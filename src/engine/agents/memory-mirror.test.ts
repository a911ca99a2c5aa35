import fc from "fast-check";
import { expect, it } from "vitest";
import { LifecycleClock, RING_BYTES } from "../../workloads/publish-times.js";
import { batchKeys, idsOf } from "../../workloads/event-id.js";
import { Prng } from "../../foundation/prng.js";
import { MemoryMirror, writePieces } from "./memory-mirror.js";

const BYTES = 200_000;

it("the mirror of a shared buffer equals the original after any writes", () => {
  const write = fc.record({
    at: fc.nat(BYTES - 300),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 300 }),
  });
  fc.assert(
    fc.property(fc.array(fc.array(write)), (looks) => {
      const [own, copy] = [new SharedArrayBuffer(BYTES), new SharedArrayBuffer(BYTES)];
      const mirror = new MemoryMirror([[3, own]]);
      for (const writes of looks) {
        for (const { at, bytes } of writes) new Uint8Array(own).set(bytes, at);
        for (const { ordinal, pieces } of mirror.changes()) {
          expect(ordinal).toBe(3);
          expect(pieces.map(([offset]) => offset)).toEqual(
            pieces.map(([offset]) => offset).toSorted((a, b) => a - b),
          );
          writePieces(copy, pieces);
        }
        expect(Buffer.from(copy).equals(Buffer.from(own))).toBe(true);
      }
      expect(mirror.changes()).toEqual([]);
    }),
    { numRuns: 50 },
  );
});

it("the mirror sends publish times to lifecycle clocks elsewhere in at most 512 bytes", () => {
  const [own, copy] = [new SharedArrayBuffer(RING_BYTES), new SharedArrayBuffer(RING_BYTES)];
  const producer = new LifecycleClock(new Map([[0, own]]), []);
  const consumer = new LifecycleClock(new Map([[0, copy]]), [0]);
  const mirror = new MemoryMirror([[0, own]]);
  for (let batch = 0; batch < 20; batch++) producer.recordPublication(0, batch, 1000 + batch);
  const [{ pieces } = expect.fail("nothing changed")] = mirror.changes();
  expect(pieces.reduce((sum, [, bytes]) => sum + bytes.length, 0)).toBeLessThanOrEqual(512);
  writePieces(copy, pieces);
  const seen: number[] = [];
  consumer.recordStage(idsOf(batchKeys("uuidv7", 1, 0, 7, 1e12, new Prng(1))), 1010, (latencyMs) =>
    seen.push(latencyMs),
  );
  expect(seen).toEqual([3]);
});
