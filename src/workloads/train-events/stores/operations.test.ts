import { describe, expect, test } from "vitest";
import { eventOperations } from "./operations.js";
import { DISPATCHER_ONLY_WEIGHTS, READ_KINDS, STATEMENT_SHAPES, type ReadWeights } from "../settings.js";

const ALL_READS = Object.fromEntries(READ_KINDS.map((kind) => [kind, 1])) as ReadWeights;
const settings = {
  dialect: "postgres",
  namespace: 'odd"name',
  payload: "jsonb",
  locking: "skip-locked",
  isolation: "read committed",
  statementShape: "set-based",
} as const;

describe("statements of the event operations", () => {
  test.each(["set-based", "row-by-row"] as const)(
    "are listed in order for statement shape %s",
    (statementShape) => {
      expect(eventOperations({ ...settings, statementShape }).statements.map(({ name }) => name)).toEqual([
        "add.events",
        "add.status",
        "process.claim",
        "process.advance",
        "process.payload",
        "archive.claim",
        "archive.copy",
        "archive.delete-status",
        "archive.delete-events",
        "read.recent",
        "read.find",
        "resolve.present",
      ]);
    },
  );

  test("are one for each transaction with shape single-statement", () => {
    const { statements } = eventOperations({ ...settings, statementShape: "single-statement" });
    expect(statements.map(({ name }) => name)).toEqual([
      "add",
      "process",
      "archive",
      "read",
      "resolve.present",
    ]);
  });

  test("include the reads that have a weight, and the look-up of live events", () => {
    const reads = { ...DISPATCHER_ONLY_WEIGHTS, dispatcher: 0, id: 1, path: 0.5 };
    for (const statementShape of STATEMENT_SHAPES) {
      const { statements } = eventOperations({ ...settings, statementShape, reads });
      expect(statements.map(({ name }) => name).filter((name) => /^read|^probe/.test(name))).toEqual([
        "readId",
        "readPath",
        "probe.live",
      ]);
    }
  });

  test("qualify and quote every table", () => {
    for (const statementShape of STATEMENT_SHAPES) {
      for (const { text } of eventOperations({ ...settings, statementShape, reads: ALL_READS }).statements) {
        const tables = text.match(/\S*\bevent(s|_status|s_archive)\b(?!_)/g) ?? [];
        expect(tables.length).toBeGreaterThan(0);
        for (const table of tables) expect(table).toMatch(/^"odd""name"\./);
      }
    }
  });
});
