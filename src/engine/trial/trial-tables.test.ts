import { expect, it } from "vitest";
import { TargetError, TrialError } from "../../foundation/errors.js";
import { unreadableTablesOutcome } from "./trial-tables.js";

const serverError = (code: string, message: string): Error => Object.assign(new Error(message), { code });

it.each([
  ["42P01", 'relation "pgbench_history" does not exist'],
  ["42703", 'column "delta" does not exist'],
  ["42883", "function sum(text) does not exist"],
  ["42501", "permission denied for table pgbench_history"],
  ["22P02", "invalid input syntax for type json"],
])("SQLSTATE %s of an audit means unreadable tables, with the message %s", (code, message) => {
  const { findings } = unreadableTablesOutcome(serverError(code, message));
  expect(findings).toMatchObject({ verdict: "violated", isUnreadable: true });
  expect(findings.violations).toEqual([`the audit could not read the tables: ${message} (SQLSTATE ${code})`]);
});

it.each([
  ["a lost connection", new TargetError("lost the connection", "Check the server.")],
  ["an end of the session", serverError("57P01", "terminating connection")],
  ["a reset socket", serverError("ECONNRESET", "read ECONNRESET")],
  ["a lock timeout", serverError("55P03", "canceling statement due to lock timeout")],
  ["an invariant that the server refuses", new TrialError("bank.sql:9:1: no such column", "Correct it.")],
  ["a fault of the program", new TypeError("undefined is not a function")],
  ["a syntax error of the query", serverError("42601", "syntax error")],
])("the audit rethrows %s", (_, error) => {
  expect(() => unreadableTablesOutcome(error)).toThrow(error);
});
