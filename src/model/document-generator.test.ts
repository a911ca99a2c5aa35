// Documents follow from seed, actor and index alone, satisfy the one schema, and have the size asked for.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Prng } from "../foundation/prng.js";
import { DEFAULT_DOCUMENT_BYTES, DocumentGenerator } from "./document-generator.js";
import { EVENT_TYPES, EventDocument } from "./event.js";

const anySeed = fc.integer({ min: 0, max: 0xffffffff });
const anyActor = fc.string({ minLength: 1, maxLength: 20 });
const anyIndex = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe("DocumentGenerator", () => {
  test("gives the same document for the same seed, actor and index, in any order of asking", () => {
    fc.assert(
      fc.property(
        anySeed,
        anyActor,
        fc.array(anyIndex, { minLength: 2, maxLength: 20 }),
        (seed, actor, indices) => {
          const one = new DocumentGenerator(seed, actor);
          const documents = new Map(indices.map((index) => [index, one.at(index)]));
          const other = new DocumentGenerator(seed, actor);
          for (const index of new Prng(seed).shuffle([...indices])) {
            expect(other.at(index)).toEqual(documents.get(index));
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  test("keeps the documents that stored results were made from", () => {
    const document = new DocumentGenerator(42, "producer/0").at(0);
    expect(document).toMatchInlineSnapshot(`
      {
        "authorityId": "c1be5f98-1e96-47b6-b2de-c95b1405576a",
        "eventType": "WORK_ZONE_PROTECTION",
        "json": "{"eventType":"WORK_ZONE_PROTECTION","authorityId":"c1be5f98-1e96-47b6-b2de-c95b1405576a","deviceKey":"bae7f7d3-5b31-408a-bb68-0467a9e17f9a","state":"NEW","createdAt":"2026-01-01T00:00:00.025Z","route":{"segments":[{"id":"S65-c346","direction":"EAST","trackSections":["65-b2e3","65-9fa4","65-261a"]},{"id":"S88-f4e7","direction":"WEST","trackSections":["88-dd84","88-d1cf","88-7fa7"]},{"id":"S52-c8e7","direction":"WEST","trackSections":["52-ff31","52-1b8a","52-5647"]}],"switches":[{"id":"SW-3432","position":"REVERSE"},{"id":"SW-c76c","position":"NORMAL"}],"attributes":{"ALLOW_PASS":false,"REQUIRES_ACK":true,"SLOW_ORDER":false},"signalId":"SIG-818e"},"metrics":{"flags":{"onTrack":true,"fleeted":false},"circuitIds":["TC-d8ed","TC-1d8e","TC-49a1","TC-1526"],"confidence":0.822},"train":{"trainId":"RR-10-42402-20260101","withinLimits":true,"direction":"EAST"},"meta":{"userId":"u-38028","logicalPos":7620786,"sourceSystem":"CTC-NORTH"}}",
        "trainId": "RR-10-42402-20260101",
      }
    `);
  });

  test("gives different documents to another seed, another actor and another index", () => {
    const made = [
      new DocumentGenerator(1, "producer/0").at(0),
      new DocumentGenerator(2, "producer/0").at(0),
      new DocumentGenerator(1, "producer/1").at(0),
      new DocumentGenerator(1, "producer/0").at(1),
      new DocumentGenerator(1, "producer/0").at(2 ** 32 - 1),
    ];
    expect(new Set(made.map((document) => document.json)).size).toBe(made.length);
    expect(new Set(made.map((document) => document.authorityId)).size).toBe(made.length);
  });

  test("makes documents that satisfy the schema and say the same as their flat columns", () => {
    fc.assert(
      fc.property(
        anySeed,
        anyActor,
        anyIndex,
        fc.integer({ min: 1, max: 5000 }),
        (seed, actor, index, bytes) => {
          const made = new DocumentGenerator(seed, actor, bytes).at(index);
          const document = EventDocument.parse(JSON.parse(made.json));
          expect(document.eventType).toBe(made.eventType);
          expect(document.authorityId).toBe(made.authorityId);
          expect(document.train.trainId).toBe(made.trainId);
          expect(document.state).toBe("NEW");
          // The train's day is the day of the event.
          expect(made.trainId.slice(-8)).toBe(document.createdAt.slice(0, 10).replaceAll("-", ""));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("is about 900 bytes when no size is asked for", () => {
    const generator = new DocumentGenerator(42, "producer/0");
    const lengths = Array.from({ length: 2000 }, (_, index) => Buffer.byteLength(generator.at(index).json));
    const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
    expect(Math.abs(mean - DEFAULT_DOCUMENT_BYTES) / DEFAULT_DOCUMENT_BYTES).toBeLessThan(0.06);
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThan(60);
  });

  test("is exactly as long as asked once that is longer than its fields, in ASCII alone", () => {
    fc.assert(
      fc.property(anySeed, anyIndex, fc.integer({ min: 1024, max: 20_000 }), (seed, index, bytes) => {
        const { json } = new DocumentGenerator(seed, "producer/0", bytes).at(index);
        expect(json.length).toBe(bytes);
        expect(Buffer.byteLength(json)).toBe(bytes);
        expect((JSON.parse(json) as EventDocument).meta.remarks).toBeDefined();
      }),
      { numRuns: 100 },
    );
  });

  test("draws every event type about equally often", () => {
    const generator = new DocumentGenerator(9, "producer/0");
    const counts = new Map<string, number>();
    for (let index = 0; index < 10_000; index++) {
      const { eventType } = generator.at(index);
      counts.set(eventType, (counts.get(eventType) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual([...EVENT_TYPES].sort());
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });
});
