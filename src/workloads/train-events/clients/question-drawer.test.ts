import { describe, expect, it } from "vitest";
import { Prng } from "../../../foundation/prng.js";
import type { Connection, StatementRow } from "../../../database/sql.js";
import { DocumentGenerator } from "../model/document-generator.js";
import { EVENT_TYPES } from "../model/event.js";
import type { QuestionKind } from "../settings.js";
import type { LiveLookup } from "../store.js";
import { QuestionDrawer } from "./question-drawer.js";
import { containsPart } from "./read-check.js";

const SEED = 7;
const PRELOAD = 40;
const QUESTION_KINDS = ["id", "authority", "typeTime", "path"] as const;

const preloaded = new DocumentGenerator(SEED, "preload/0");
const documents = Array.from({ length: PRELOAD }, (_, index) => preloaded.at(index));

/** The event with that document, as the server returns it. */
function rowOf(index: number): StatementRow {
  const at = `2026-11-25 07:00:${String(index % 60).padStart(2, "0")}.123456+00`;
  return [`00000000-0000-4000-8000-${String(index).padStart(12, "0")}`, at, documents[index]?.json];
}

function setUp({ preload = 0, documentBytes = 900 } = {}) {
  const looks: LiveLookup[] = [];
  const state = { nowMs: 0, live: [] as readonly StatementRow[], isThere: true };
  const drawer = new QuestionDrawer({
    settings: { preload, documentBytes, documentShape: "default", ids: "uuidv7" },
    seed: SEED,
    prng: new Prng(1),
    queue: {
      someLive: async (_, sought) => {
        looks.push(sought);
        return state.live;
      },
    },
    lookAside: async (_, look) => (state.isThere ? look({} as Connection) : undefined),
    nowMs: () => state.nowMs,
  });
  const draw = (kind: QuestionKind, times = 50) => Array.from({ length: times }, () => drawer.draw(kind));
  return { drawer, draw, looks, state };
}

describe("a question before the first look-up of live events", () => {
  it("asks for authorities and parts of preloaded documents", () => {
    const { draw } = setUp({ preload: PRELOAD });
    const known = documents.map(({ authorityId }) => authorityId);
    for (const { question, matchesNoEvent } of [...draw("authority"), ...draw("path")]) {
      expect(matchesNoEvent).toBe(false);
      if (question.kind === "authority") expect(known).toContain(question.authorityId);
      if (question.kind === "path")
        expect(documents.some(({ json }) => containsPart(JSON.parse(json), question.part))).toBe(true);
    }
  });

  it("cannot ask for keys and times, and without a preload not for authorities and parts", () => {
    const withPreload = setUp({ preload: PRELOAD });
    for (const kind of ["id", "typeTime"] as const)
      expect(withPreload.draw(kind, 1)).toMatchObject([{ matchesNoEvent: true, question: { kind } }]);
    const without = setUp();
    for (const kind of QUESTION_KINDS)
      expect(without.draw(kind, 1)).toMatchObject([{ matchesNoEvent: true, question: { kind } }]);
  });

  it("can ask for the newest events and for counts", () => {
    const { draw } = setUp();
    expect([draw("newest", 1), draw("byType", 1)].flat()).toEqual([
      { question: { kind: "newest" }, matchesNoEvent: false },
      { question: { kind: "byType" }, matchesNoEvent: false },
    ]);
  });
});

describe("a look-up of live events", () => {
  it("seeks preloaded events by their authorities, and the newest events of a type", async () => {
    const { drawer, looks, state } = setUp({ preload: PRELOAD });
    for (let second = 0; second < 30; second++) {
      state.nowMs = second * 1000;
      await drawer.look(0);
    }
    expect(looks).toHaveLength(30);
    const sought = looks.flatMap(({ authorityIds }) => authorityIds);
    expect(new Set(sought)).toEqual(new Set(documents.map(({ authorityId }) => authorityId)));
    expect(new Set(looks.map(({ eventType }) => eventType)).size).toBeGreaterThan(EVENT_TYPES.length / 2);
  });

  it("occurs at most once per second for all clients of a worker", async () => {
    const { drawer, looks, state } = setUp();
    await Promise.all([drawer.look(0), drawer.look(1)]);
    state.nowMs = 999;
    await drawer.look(2);
    expect(looks).toHaveLength(1);
    state.nowMs = 1000;
    await drawer.look(2);
    expect(looks).toHaveLength(2);
  });

  it("seeks fewer events if documents are large", async () => {
    const small = setUp({ preload: 1000 });
    const large = setUp({ preload: 1000, documentBytes: 1024 ** 2 });
    await small.drawer.look(0);
    await large.drawer.look(0);
    expect(small.looks[0]).toMatchObject({ most: 128 });
    expect(small.looks[0]?.authorityIds).toHaveLength(128);
    expect(large.looks[0]).toMatchObject({ most: 1 });
    expect(large.looks[0]?.authorityIds).toHaveLength(1);
  });

  it("makes later questions ask for events that it found", async () => {
    const { drawer, draw, state } = setUp({ preload: PRELOAD });
    state.live = [rowOf(3), rowOf(4), rowOf(5)];
    await drawer.look(0);
    const drawn = QUESTION_KINDS.flatMap((kind) => draw(kind));
    expect(new Set(drawn.map(({ id }) => id))).toEqual(new Set(state.live.map(([id]) => id)));
    for (const { question, id, matchesNoEvent } of drawn) {
      expect(matchesNoEvent).toBe(false);
      const index = Number(id?.slice(-12));
      const { json, eventType, authorityId } = documents[index] ?? expect.fail("no such document");
      if (question.kind === "id") expect(question.id).toBe(id);
      if (question.kind === "authority") expect(question.authorityId).toBe(authorityId);
      if (question.kind === "path") expect(containsPart(JSON.parse(json), question.part)).toBe(true);
      if (question.kind === "typeTime")
        expect(question).toEqual({
          kind: "typeTime",
          eventType,
          from: new Date(Date.UTC(2026, 10, 25, 6, 59, 50 + index, 123)),
          to: rowOf(index)[1],
        });
    }
  });

  it("questions about paths ask for track sections and for circuits", () => {
    const { draw } = setUp({ preload: PRELOAD });
    const names = draw("path").flatMap(({ question }) =>
      question.kind === "path" ? Object.keys(question.part) : [],
    );
    expect(new Set(names)).toEqual(new Set(["route", "metrics"]));
  });

  it("questions about paths ask for a crew only if the document has one", async () => {
    const evolved = new DocumentGenerator(SEED, "producers/0", 900, "default", true).at(3).json;
    const crewOf = (json: string): string | undefined => /"crewId":"([^"]+)"/.exec(json)?.[1];
    const { drawer, draw, state } = setUp({ preload: PRELOAD });
    const [id, at] = rowOf(3);
    state.live = [[id, at, evolved], rowOf(4)];
    await drawer.look(0);
    const drawn = draw("path", 200).flatMap(({ question }) =>
      question.kind === "path" ? [question.part] : [],
    );
    const crews = drawn.filter((part) => "meta" in part);
    expect(crews.length).toBeGreaterThan(10);
    for (const part of crews) expect(part).toEqual({ meta: { crewId: crewOf(evolved) } });
    expect(crewOf(documents[4]?.json ?? "")).toBeUndefined();
    const others = drawn.filter((part) => !("meta" in part));
    expect(others.some((part) => containsPart(JSON.parse(documents[4]?.json ?? ""), part))).toBe(true);
  });

  it("leaves no question if it finds no event, and changes nothing if it fails", async () => {
    const { drawer, draw, state } = setUp({ preload: PRELOAD });
    state.live = [rowOf(3)];
    await drawer.look(0);
    Object.assign(state, { nowMs: 1000, live: [], isThere: false });
    await drawer.look(0);
    expect(draw("id", 1)).toMatchObject([{ id: rowOf(3)[0], matchesNoEvent: false }]);
    Object.assign(state, { nowMs: 2000, isThere: true });
    await drawer.look(0);
    expect(draw("authority", 1)).toMatchObject([{ matchesNoEvent: true }]);
  });

  it("leaves no question about paths if the document has another form", async () => {
    const { drawer, draw, state } = setUp();
    const [id, at] = rowOf(3);
    state.live = [[id, at, "{}"]];
    await drawer.look(0);
    expect(draw("path", 1)).toMatchObject([{ matchesNoEvent: true }]);
    expect(draw("id", 1)).toMatchObject([{ question: { kind: "id", id }, matchesNoEvent: false }]);
  });
});
