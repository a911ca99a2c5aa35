// The place of a failure comes from the server's message, or follows from the statement's text; nothing else names a table.
import { describe, expect, it } from "vitest";
import { eventOperations } from "../workloads/train-events/stores/operations.js";
import { InDoubtError, StatementError } from "./errors.js";
import { onlyTableOfStatements, failurePlaceOf as placeIn } from "./failure-place.js";
import { LOCKINGS, PAYLOADS, STATEMENT_SHAPES } from "../workloads/train-events/settings.js";

const TABLES = {
  events: '"n".events',
  event_status: '"n".event_status',
  events_archive: '"n".events_archive',
};
const settings = { dialect: "postgres", namespace: "n", isolation: "read committed" } as const;
const ONLY = onlyTableOfStatements(
  eventOperations({ ...settings, statementShape: "set-based", payload: "text", locking: "nowait" })
    .statements,
  TABLES,
);
const placeOf = (error: unknown) => placeIn(error, ONLY);
const serverError = (message: string, more: object = {}) => Object.assign(new Error(message), more);

describe("the place of a failure", () => {
  it("is the table in the server's field, message or context", () => {
    const locked = serverError('could not obtain lock on row in relation "event_status"');
    expect(placeOf(new StatementError("process.claim", locked))).toEqual({
      statement: "process.claim",
      table: "event_status",
    });
    const where = 'while updating tuple (0,7) in relation "events"\nSQL statement "..."';
    const deadlock = serverError("deadlock detected", { where });
    expect(placeOf(new StatementError("process", deadlock)).table).toBe("events");
    const duplicate = serverError("duplicate key value", { table: "event_status" });
    expect(placeOf(new StatementError("add", duplicate)).table).toBe("event_status");
  });

  it("is the statement's table if it has only one, and unknown otherwise", () => {
    const lost = serverError("could not serialize access due to concurrent update");
    expect(placeOf(new StatementError("process.payload", lost)).table).toBe("events");
    expect(placeOf(new StatementError("process.claim", lost))).toEqual({ statement: "process.claim" });
    expect(placeOf(new StatementError("commit", lost))).toEqual({ statement: "commit" });
  });

  it("is the commit for a commit in doubt, and empty for an error without a statement", () => {
    expect(placeOf(new InDoubtError(new StatementError("commit", new Error("gone"))))).toEqual({
      statement: "commit",
    });
    expect(placeOf(new Error("connect ECONNREFUSED"))).toEqual({});
    expect(placeOf(undefined)).toEqual({});
  });

  it("is known for each statement with a single table, in every shape, payload and locking", () => {
    for (const statementShape of STATEMENT_SHAPES)
      for (const payload of PAYLOADS)
        for (const locking of LOCKINGS) {
          const { statements } = eventOperations({ ...settings, statementShape, payload, locking });
          const single = statements.flatMap(({ name, text }) => {
            const tables = new Set(Array.from(text.matchAll(/"n"\.(\w+)/g), ([, table = ""]) => table));
            return tables.size === 1 ? [[name, ...tables]] : [];
          });
          expect(Object.fromEntries(onlyTableOfStatements(statements, TABLES))).toEqual(
            Object.fromEntries(single),
          );
        }
  });
});
