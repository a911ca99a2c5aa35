import { DOCUMENT_SHAPES, type DocumentShape } from "../settings.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Prng } from "../../../foundation/prng.js";
import { DocumentGenerator } from "./document-generator.js";
import { EVENT_TYPES, EventDocument } from "./event.js";

const anySeed = fc.integer({ min: 0, max: 0xffffffff });
const anyClient = fc.string({ minLength: 1, maxLength: 20 });
const anyIndex = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe("DocumentGenerator", () => {
  test("makes the same document for the same seed, actor and index, in any order", () => {
    fc.assert(
      fc.property(
        anySeed,
        anyClient,
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

  test("makes the documents of results that are already stored", () => {
    const document = new DocumentGenerator(42, "producer/0").at(0);
    expect(document).toMatchInlineSnapshot(`
      {
        "authorityId": "c1be5f98-1e96-47b6-895b-32de1405576a",
        "eventType": "TRAIN_POSITION_UPDATE",
        "json": "{"eventType":"TRAIN_POSITION_UPDATE","authorityId":"c1be5f98-1e96-47b6-895b-32de1405576a","deviceKey":"eb53c2c6-f0a9-4432-818e-c76cbae7f7d3","state":"NEW","createdAt":"2026-01-01T00:00:00.025Z","route":{"segments":[{"id":"S80-7b68","direction":"WEST","trackSections":["80-0467","80-7f9a","80-a9e1"]},{"id":"S94-c601","direction":"WEST","trackSections":["94-a565","94-c346","94-9fa4"]},{"id":"S18-0988","direction":"EAST","trackSections":["18-fbbb","18-f4e7","18-d1cf"]}],"switches":[{"id":"SW-63dc","position":"REVERSE"},{"id":"SW-3bfe","position":"REVERSE"}],"attributes":{"ALLOW_PASS":false,"REQUIRES_ACK":true,"SLOW_ORDER":false},"signalId":"SIG-c8e7"},"metrics":{"flags":{"onTrack":false,"fleeted":false},"circuitIds":["TC-1b8a","TC-4802","TC-1acd","TC-63ed"],"confidence":0.325},"train":{"trainId":"RR-42-46384-20260101","withinLimits":false,"direction":"EAST"},"meta":{"userId":"u-59480","logicalPos":7547932,"sourceSystem":"WAYSIDE-4"}}",
        "trainId": "RR-42-46384-20260101",
      }
    `);
  });

  test("makes different documents for another seed, actor or index", () => {
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

  test("makes documents that satisfy the schema and agree with their flat columns", () => {
    fc.assert(
      fc.property(
        anySeed,
        anyClient,
        anyIndex,
        fc.integer({ min: 1, max: 5000 }),
        fc.constantFrom(...DOCUMENT_SHAPES),
        (seed, actor, index, bytes, shape) => {
          const made = new DocumentGenerator(seed, actor, bytes, shape).at(index);
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

  test("makes documents of 927 to 952 bytes if no larger size is set", () => {
    const generators = [1, 42, 7919].map((seed) => new DocumentGenerator(seed, "producer/0"));
    const lengths = generators.flatMap((generator) =>
      Array.from({ length: 2000 }, (_, index) => Buffer.byteLength(generator.at(index).json)),
    );
    expect(Math.min(...lengths)).toBe(927);
    expect(Math.max(...lengths)).toBeGreaterThan(940);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(952);
  });

  test("makes ASCII documents of exactly the set size if it exceeds their fields", () => {
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

  test("draws ids from 2 201 values with document shape source, and from far more by default", () => {
    const numbersIn = (shape: DocumentShape): number => {
      const generator = new DocumentGenerator(9, "producer/0", 900, shape);
      const routes = Array.from({ length: 6000 }, (_, index) => {
        const { route, metrics } = JSON.parse(generator.at(index).json) as EventDocument;
        const { segments, switches, signalId } = route;
        return [
          ...segments.flatMap(({ id, trackSections }) => [id, ...trackSections]),
          ...switches.map(({ id }) => id),
          ...[signalId, ...metrics.circuitIds],
        ];
      });
      return new Set(routes.flat()).size;
    };
    // 500 segments, 200 sections, 500 switches, one signal, 1000 circuits.
    expect(numbersIn("source")).toBe(2201);
    expect(numbersIn("default")).toBeGreaterThan(30_000);
  });

  test("draws ages over 21 days and 17 digits of confidence with document shape source", () => {
    const generator = new DocumentGenerator(9, "producer/0", 900, "source");
    const documents = Array.from({ length: 4200 }, (_, index) => generator.at(index).json);
    const DAY_MS = 86_400_000;
    const ages = documents.map((json) => {
      const { createdAt } = JSON.parse(json) as EventDocument;
      return (Date.UTC(2026, 0, 22) - Date.parse(createdAt)) / DAY_MS;
    });
    for (let day = 0; day < 21; day++) {
      const count = ages.filter((age) => age > day && age <= day + 1).length;
      expect(Math.abs(count - 200), `day ${day}`).toBeLessThan(60);
    }
    const confidences = documents.map((json) => /"confidence":([^,}]+)/.exec(json)?.[1] ?? "");
    for (const text of confidences) expect(text).toMatch(/^0\.[5-9]\d{15}[1-9]$/);
    expect(new Set(confidences).size).toBe(documents.length);
  });

  test("adds only the crew to a document of the newer schema", () => {
    const [older, newer] = [false, true].map((isNew) => {
      const { json } = new DocumentGenerator(5, "producers/0", 900, "default", isNew).at(7);
      return EventDocument.parse(JSON.parse(json));
    });
    expect(newer?.meta.crewId).toMatch(/^C-[0-9a-f]{4}$/);
    expect({ ...newer, meta: { ...newer?.meta, crewId: undefined } }).toEqual({
      ...older,
      meta: { ...older?.meta, crewId: undefined },
    });
    expect(older?.meta).not.toHaveProperty("crewId");
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
