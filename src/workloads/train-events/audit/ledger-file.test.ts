import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Prng } from "../../../foundation/prng.js";
import { BATCH_OUTCOMES, type LedgerBatch, type LedgerSource } from "../model/ledger.js";
import { scratchDirectory } from "../../../../test/support/train-sim.js";
import { LedgerFile, ledgerPath, LedgerFileWriter } from "./ledger-file.js";

const SOURCE: LedgerSource = {
  worker: 3,
  stream: "producers",
  ids: "uuidv7",
  seed: 7,
  documentBytes: 900,
  documentShape: "default",
};
const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const anyBatch: fc.Arbitrary<Written> = fc.record({
  batch: uint32,
  events: fc.integer({ min: 0, max: 1_000_000 }),
  client: uint32,
  firstDocument: uint32,
  madeAtMs: fc.integer({ min: 0, max: 2 ** 47 }),
  keys: fc.record({ u: uint32, v: uint32 }),
  outcome: fc.constantFrom(...BATCH_OUTCOMES),
  endedAtMs: fc.double({ min: 0, max: 2 ** 40, noNaN: true }),
  endpoint: fc.integer({ min: 0, max: 2 ** 24 - 1 }),
});

type Written = LedgerBatch & { readonly endedAtMs: number };

function writeLedger(batches: readonly Written[]): string {
  const path = ledgerPath(scratchDirectory(), SOURCE.worker);
  const writer = new LedgerFileWriter(path, SOURCE);
  for (const batch of batches) writer.add(batch, batch.outcome, batch.endedAtMs, batch.endpoint);
  writer.close();
  return path;
}

function batchOf(batch: number): Written {
  return {
    batch,
    events: 5,
    client: 1,
    firstDocument: 10,
    madeAtMs: 1.7e12,
    keys: { u: 1, v: 2 },
    outcome: "acknowledged",
    endedAtMs: 12.5,
    endpoint: 2,
  };
}

describe("a ledger file", () => {
  test("returns its batches in the order of their numbers, and each batch by its number", () => {
    const batches = fc.uniqueArray(anyBatch, { selector: ({ batch }) => batch, maxLength: 50 });
    fc.assert(
      fc.property(batches, (some) => {
        const file = LedgerFile.read(writeLedger(some));
        expect(file.source).toEqual(SOURCE);
        expect([...file.batches()]).toEqual([...some].sort((a, b) => a.batch - b.batch));
        for (const one of some) expect(file.find(one.batch)).toEqual(one);
        if (!some.some(({ batch }) => batch === 12)) expect(file.find(12)).toBeUndefined();
      }),
      { numRuns: 40 },
    );
  });

  test("is written before more than 1 024 batches are in memory", () => {
    const path = ledgerPath(scratchDirectory(), SOURCE.worker);
    const writer = new LedgerFileWriter(path, SOURCE);
    const headerBytes = statSync(path).size;
    for (let batch = 0; batch < 5_000; batch++) {
      writer.add(batchOf(batch), "acknowledged", batch);
      expect((batch + 1) * 44 - (statSync(path).size - headerBytes)).toBeLessThanOrEqual(1024 * 44);
    }
    writer.flush();
    expect(statSync(path).size).toBe(headerBytes + 5_000 * 44);
    writer.close();
    expect(LedgerFile.read(path)).toHaveLength(5_000);
  });

  test("is never overwritten", () => {
    expect(() => new LedgerFileWriter(writeLedger([]), SOURCE)).toThrow(/a file is in its place/);
  });

  test.each<[string, (bytes: Buffer) => Buffer, RegExp]>([
    ["is cut short", (bytes) => bytes.subarray(0, -1), /ends in the middle of a batch/],
    ["has no header", () => Buffer.alloc(100, 120), /has no header/],
    ["has another format", () => Buffer.from('{"format":"x"}\n'), /is not a "train-sim ledger 3"/],
    ["is null", () => Buffer.from("null\n"), /is not a/],
    ["has a header that is no JSON", () => Buffer.from("ledger\n"), /ledger/],
    ["has a batch twice", (bytes) => Buffer.concat([bytes, bytes.subarray(-44)]), /batch 1 twice/],
    [
      "has an unknown outcome",
      (bytes) => Buffer.concat([bytes.subarray(0, -12), Buffer.alloc(12, 9)]),
      /unknown outcome/,
    ],
  ])("is refused with a reason if it %s", (_, damage, words) => {
    const path = writeLedger([batchOf(0), batchOf(1)]);
    writeFileSync(path, damage(readFileSync(path)));
    expect(() => LedgerFile.read(path)).toThrow(words);
    expect(() => LedgerFile.read(path)).toThrow(/the ledger .*ledger-3\.bin cannot be read/);
  });

  test("is read or refused with an error if it is damaged at random places", () => {
    const bytes = readFileSync(writeLedger(Array.from({ length: 20 }, (_, i) => batchOf(i))));
    const prng = new Prng(3);
    for (let round = 0; round < 2_000; round++) {
      const damaged = Buffer.from(bytes.subarray(0, prng.intBetween(0, bytes.length)));
      if (damaged.length > 0) damaged[prng.intBetween(0, damaged.length - 1)] = prng.intBetween(0, 255);
      try {
        expect(LedgerFile.parse(damaged).length).toBeLessThanOrEqual(20);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
        expect(error).not.toBeInstanceOf(TypeError);
      }
    }
  });

  test("is named if it is missing", () => {
    expect(() => LedgerFile.read(join(scratchDirectory(), "ledger-1.bin"))).toThrow(/ENOENT/);
  });

  test.each([
    ["more events than any batch has", { events: 4_000_000_000 }, "batch 7 has 4000000000 events"],
    ["no time", { madeAtMs: Number.NaN }, "batch 7 was made at no moment there is"],
    ["a time that does not fit into a key", { madeAtMs: 2 ** 60 }, "batch 7 was made at no moment there is"],
  ])("is refused if a batch has %s", (_, wrong, words) => {
    expect(() => LedgerFile.read(writeLedger([{ ...batchOf(7), ...wrong }]))).toThrow(words);
  });
});
