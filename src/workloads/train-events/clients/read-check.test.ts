// Correct answers to reads, and answers with one error each.
import { describe, expect, it } from "vitest";
import { RECENT_LIMIT } from "../stores/statements.js";
import {
  containsPart,
  misreadAnswerRows,
  misreadRows,
  missingAnswer,
  missingRows,
  oldestCreatedAt,
  rowsByLookUp,
  type SoughtEvent,
} from "./read-check.js";
import type { Question } from "../store.js";
import type { StatementRow } from "../../../database/sql.js";

const SOUGHT: SoughtEvent = { eventType: "SIGNAL_CLEAR", authorityId: "a1", trainId: "RR-1", id: "e3" };

function row(number: number, { type = "SIGNAL_CLEAR", train = "RR-1" } = {}): StatementRow {
  const createdAt = `2026-11-25 07:00:${String(60 - number).padStart(2, "0")}.00${number % 10}+00`;
  const document = `{"eventType": "${type}", "authorityId": "a1", "train": {"trainId": "${train}"}}`;
  return [`e${number}`, createdAt, document];
}
const newest = Array.from({ length: 5 }, (_, i) => row(i + 1));
const words = (
  rows: readonly StatementRow[],
  found: readonly StatementRow[] = [],
  isOrdered = true,
): string[] =>
  misreadRows({ newest: rows, found, isOrdered }, SOUGHT).map(
    ({ id, words: sentence }) => `${id}: ${sentence}`,
  );

describe("the check of a dispatcher's read", () => {
  it("accepts rows that are newest first, of the type and of the train", () => {
    expect(words(newest, [row(3)])).toEqual([]);
  });

  it("finds rows out of order, unless the statement orders none", () => {
    const swapped = [row(2), row(1), row(3)];
    expect(words(swapped)).toEqual(["e1: it was read after an older one, and newest first was asked for"]);
    expect(words(swapped, [], false)).toEqual([]);
  });

  it("finds rows of another type, of another train, duplicated or beyond the limit", () => {
    expect(words([row(1, { type: "DISPATCH_NOTE" })])).toEqual([
      "e1: it was read, and is of another type than asked for",
    ]);
    expect(words([], [row(1, { train: "RR-2" })])).toEqual([
      "e1: it was found, and is of another train than asked for",
    ]);
    expect(words([row(1), row(1)])).toEqual(["e1: one read has it twice"]);
    const many = Array.from({ length: RECENT_LIMIT + 1 }, (_, i) => row(i + 1));
    expect(words(many)).toEqual([`e21: 21 rows were read, ${RECENT_LIMIT} at most were asked for`]);
  });

  it("finds a missing row only if its event is live", () => {
    const rows = { newest, found: [], isOrdered: true };
    expect(missingRows(rows, ["e1", "e9"], undefined).map(({ id }) => id)).toEqual(["e9"]);
    expect(missingRows(rows, [], "e3").map(({ id }) => id)).toEqual(["e3"]);
    expect(missingRows({ ...rows, found: [row(3)] }, [], "e3")).toEqual([]);
  });

  it("expects every event since the oldest row of a full answer, and all if the answer is not full", () => {
    expect(oldestCreatedAt({ newest, found: [], isOrdered: true })).toBeUndefined();
    const full = Array.from({ length: RECENT_LIMIT }, (_, i) => row(i + 1));
    expect(oldestCreatedAt({ newest: full, found: [], isOrdered: true })).toBe(full.at(-1)?.[1]);
  });

  it("separates rows of a single statement by their train", () => {
    const {
      newest: recent,
      found,
      isOrdered,
    } = rowsByLookUp({ answers: [[row(1, { train: "RR-9" }), row(3)]] }, SOUGHT);
    expect([recent.map(([id]) => id), found.map(([id]) => id), isOrdered]).toEqual([["e1"], ["e3"], false]);
  });
});

describe("the check of a question's rows", () => {
  const wrong = (rows: readonly StatementRow[], question: Question): string[] =>
    misreadAnswerRows(rows, question).map(({ id }) => id);
  const typeTime = {
    kind: "typeTime",
    eventType: "SIGNAL_CLEAR",
    from: new Date(Date.UTC(2026, 10, 25, 7, 0, 50)),
    to: "2026-11-25 07:00:59.001+00",
  } as const;

  it("accepts rows that the question asks for", () => {
    expect(wrong([row(3)], { kind: "id", id: "e3" })).toEqual([]);
    expect(wrong([row(3), row(1)], { kind: "authority", authorityId: "a1" })).toEqual([]);
    expect(wrong(newest, typeTime)).toEqual([]);
    expect(wrong([row(3)], { kind: "path", part: { train: { trainId: "RR-1" } } })).toEqual([]);
    expect(wrong(newest, { kind: "newest" })).toEqual([]);
    expect(wrong([["DISPATCH_NOTE", "3", "2026-11-25 07:00:00+00"]], { kind: "byType" })).toEqual([]);
  });

  it("finds rows that the question does not ask for", () => {
    expect(wrong([row(3), row(4)], { kind: "id", id: "e3" })).toEqual(["e4"]);
    expect(wrong([row(3)], { kind: "authority", authorityId: "a2" })).toEqual(["e3"]);
    expect(wrong([row(1, { type: "DISPATCH_NOTE" }), row(2), row(11)], typeTime)).toEqual(["e1", "e11"]);
    expect(wrong([row(0)], typeTime)).toEqual(["e0"]);
    expect(wrong([row(3)], { kind: "path", part: { train: { trainId: "RR-2" } } })).toEqual(["e3"]);
    expect(wrong([["e1", "", "no JSON"]], { kind: "path", part: { train: {} } })).toEqual(["e1"]);
    expect(
      wrong(
        [
          ["DISPATCH_NOTE", "0"],
          ["DISPATCH", "1"],
        ],
        { kind: "byType" },
      ),
    ).toEqual(["DISPATCH_NOTE", "DISPATCH"]);
  });

  it("finds rows that are duplicated, out of order or beyond the limit", () => {
    expect(wrong([row(3), row(3)], { kind: "id", id: "e3" })).toEqual(["e3"]);
    expect(wrong([row(2), row(1), row(3)], { kind: "newest" })).toEqual(["e1"]);
    expect(wrong([row(2), row(1)], typeTime)).toEqual(["e1"]);
    expect(wrong([row(2), row(1)], { kind: "authority", authorityId: "a1" })).toEqual([]);
    const many = Array.from({ length: RECENT_LIMIT + 1 }, (_, i) => row(i + 1));
    expect(wrong(many, { kind: "newest" })).toEqual(["e21"]);
  });

  it("finds a live event that is missing", () => {
    expect(missingAnswer([row(3)], { kind: "id", id: "e3" }, "e3")).toEqual([]);
    expect(missingAnswer([], { kind: "id", id: "e3" }, "e3")).toEqual([
      { id: "e3", words: "it is live, and readId did not give it" },
    ]);
  });
});

it("containsPart agrees with PostgreSQL's @> for objects, arrays and nested values", () => {
  const whole = { a: [{ b: ["x", "y"], c: 1 }, { b: ["z"] }], d: null };
  for (const part of [{}, { a: [] }, { a: [{ b: ["y"] }] }, { a: [{ b: ["z"] }, { c: 1 }] }, { d: null }])
    expect(containsPart(whole, part), JSON.stringify(part)).toBe(true);
  for (const part of [{ e: 1 }, { a: { b: ["y"] } }, { a: [{ b: ["y", "z"] }] }, { d: {} }, { a: ["x"] }, []])
    expect(containsPart(whole, part), JSON.stringify(part)).toBe(false);
});
