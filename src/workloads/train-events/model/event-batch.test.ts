import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DocumentGenerator } from "./document-generator.js";
import { BatchMaker, EventBatch } from "./event-batch.js";
import { ID_KINDS, idsOf, keyBytes } from "../../event-id.js";
import type { PreparedEvent } from "./event.js";
import { KeySum } from "./key-sum.js";
import { KeyMaker } from "./ledger.js";

const makeBatch = (
  ids: (typeof ID_KINDS)[number],
  events: number,
  documentBytes: number,
  first = 0,
  room = 0,
) => {
  const keys = new KeyMaker({ worker: 4, ids, seed: 3 }).bytesOf({ batch: 7, events, madeAtMs: 1.7e12 });
  const generator = new DocumentGenerator(3, "producers/1", documentBytes);
  return { keys, generator, batch: new BatchMaker(ids, room).make(keys, generator, first) };
};

function byKey(events: PreparedEvent[]): PreparedEvent[] {
  return events.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

describe.each(ID_KINDS)("a batch of %s keys", (kind) => {
  test("holds each key with the document of its position, ordered by key", () => {
    const anyCase = [fc.nat(60), fc.integer({ min: 1, max: 3000 }), fc.nat(1e6), fc.nat(5)] as const;
    fc.assert(
      fc.property(...anyCase, (events, documentBytes, first, room) => {
        const { keys, generator, batch } = makeBatch(kind, events, documentBytes, first, room);
        const wanted = idsOf(keys).map((id, position) => {
          const { json, ...columns } = generator.at(first + position);
          return { id, payload: json, ...columns };
        });
        expect(batch.events()).toEqual(byKey(wanted));
        expect(batch.size).toBe(events);
      }),
      { numRuns: 60 },
    );
  });

  test("is the same if it is made from its events in any order", () => {
    const { batch } = makeBatch(kind, 40, 900);
    const events = batch.events();
    const again = EventBatch.of(events.toReversed());
    expect(again.events()).toEqual(events);
    expect(again.documents.bytes.equals(batch.documents.bytes)).toBe(true);
    expect(again.keys.equals(batch.keys)).toBe(true);
    expect(again.authorityIds.equals(batch.authorityIds)).toBe(true);
  });

  test("can be sliced by rows", () => {
    const { batch } = makeBatch(kind, 40, 900, 0, 5);
    const parts = [batch.slice(0, 13), batch.slice(13, 13), batch.slice(13, 40)];
    expect(parts.flatMap((part) => part.events())).toEqual(batch.events());
  });

  test("has the same sum for key bytes and key texts", () => {
    const { keys } = makeBatch(kind, 40, 900);
    expect(new KeySum().addKeys(keys)).toEqual(new KeySum().addAll(idsOf(keys)));
    expect(keyBytes(idsOf(keys)).equals(keys)).toBe(true);
  });
});

test("a batch does not depend on the size of the batch that its maker made before", () => {
  const maker = new BatchMaker("uuidv7");
  for (const size of [3, 60, 0, 7, 61]) {
    const { keys, generator, batch } = makeBatch("uuidv7", size, 900);
    expect(maker.make(keys, generator, 0).events()).toEqual(batch.events());
  }
});

test("a batch accepts documents that are not ASCII", () => {
  const [event] = makeBatch("uuidv7", 1, 900).batch.events();
  const events = [{ ...(event as PreparedEvent), payload: '{"remarks":"Überholgleis"}' }];
  expect(EventBatch.of(events).events()).toEqual(events);
});

test.each(["uuidv7", "uuidv4"] as const)(
  "a batch of %s has the values of each document in its row",
  (ids) => {
    const { keys, generator, batch } = makeBatch(ids, 40, 900);
    const made = new BatchMaker(ids, 0, true).make(keys, generator, 0);
    const authorities = (texts: readonly string[]) => texts.map((text) => text.split("|")[1]);
    const wanted = batch.events().map(({ authorityId }) => authorityId);
    expect(authorities(made.values())).toEqual(wanted);
    expect(authorities(made.slice(3, 9).values())).toEqual(wanted.slice(3, 9));
    expect(() => batch.values()).toThrow("without values");
  },
);
