// Answers to reads, right and wrong in one way each, against what must hold for them.
import { describe, expect, it } from "vitest";
import { RECENT_LIMIT } from "../sql/statements.js";
import { misreadRows, missingRows, oldestOf, rowsOf, type Sought } from "./read-check.js";
import type { StatementRow } from "../../../database/contract.js";

const SOUGHT: Sought = { eventType: "SIGNAL_CLEAR", authorityId: "a1", trainId: "RR-1", id: "e3" };

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
  misreadRows({ newest: rows, found, isOrdered }, SOUGHT).map(({ id, words: said }) => `${id}: ${said}`);

describe("a read's rows", () => {
  it("are right where they are newest first, of the type and of the train", () => {
    expect(words(newest, [row(3)])).toEqual([]);
  });

  it("are wrong out of order, unless the statement gives none", () => {
    const swapped = [row(2), row(1), row(3)];
    expect(words(swapped)).toEqual(["e1: it was read after an older one, and newest first was asked for"]);
    expect(words(swapped, [], false)).toEqual([]);
  });

  it("are wrong of another type, of another train, twice, and too many", () => {
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

  it("lack what is live and newer, and the event that was looked for, only where it is live", () => {
    const rows = { newest, found: [], isOrdered: true };
    expect(missingRows(rows, ["e1", "e9"], undefined).map(({ id }) => id)).toEqual(["e9"]);
    expect(missingRows(rows, [], "e3").map(({ id }) => id)).toEqual(["e3"]);
    expect(missingRows({ ...rows, found: [row(3)] }, [], "e3")).toEqual([]);
  });

  it("say from when on every event must be among them: only a full answer leaves older ones out", () => {
    expect(oldestOf({ newest, found: [], isOrdered: true })).toBeUndefined();
    const full = Array.from({ length: RECENT_LIMIT }, (_, i) => row(i + 1));
    expect(oldestOf({ newest: full, found: [], isOrdered: true })).toBe(full.at(-1)?.[1]);
  });

  it("of one statement are taken apart by the train", () => {
    const {
      newest: recent,
      found,
      isOrdered,
    } = rowsOf({ answers: [[row(1, { train: "RR-9" }), row(3)]] }, SOUGHT);
    expect([recent.map(([id]) => id), found.map(([id]) => id), isOrdered]).toEqual([["e1"], ["e3"], false]);
  });
});
