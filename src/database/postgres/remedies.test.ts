// The table of remedies, row by row: each row has an error that it explains, as the server or the pooler words it.
import { describe, expect, it } from "vitest";
import { UsageError } from "../../foundation/errors.js";
import { StatementError } from "../errors.js";
import { FAILURE_REMEDIES, remedyOf } from "./remedies.js";
import { explain } from "../registry.js";

const fromServer = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code, severity: "ERROR" });

/** Cases in the order of the table. */
const CASES: readonly (readonly [code: string, message: string, way: string])[] = [
  ["53300", 'too many connections for role "a "b"', 'ALTER ROLE "a ""b" CONNECTION LIMIT -1'],
  ["53300", 'too many connections for database "shop"', 'ALTER DATABASE "shop" CONNECTION LIMIT -1'],
  ["53300", "sorry, too many clients already", "max_connections"],
  ["08P01", "no more connections allowed (max_client_conn)", "max_client_conn of the pooler"],
  ["08P01", "unsupported startup parameter: search_path", "Add search_path to ignore_startup_parameters"],
  ["08P01", "transaction blocks not allowed in statement pooling mode", "pool.url"],
  ["08P01", "prepared statement did not exist", "pool.url"],
  ["26000", 'prepared statement "add.events" does not exist', "pool.url"],
  ["42P05", 'prepared statement "add.insert" already exists', "pool.url"],
  ["57014", "canceling statement due to statement timeout", "statement_timeout of the role"],
  ["57014", "canceling statement due to user request", "Another session"],
  ["57014", "canceling statement due to conflict with recovery", "Run again"],
  ["55P03", "canceling statement due to lock timeout", "pg_locks"],
  [
    "25P03",
    "terminating connection due to idle-in-transaction timeout",
    "idle_in_transaction_session_timeout",
  ],
  ["25P04", "terminating connection due to transaction timeout", "transaction_timeout of"],
  ["57P05", "terminating connection due to idle-session timeout", "idle_session_timeout"],
  ["25006", "cannot execute INSERT during recovery", "primary, or all"],
  ["25006", "cannot execute CREATE SCHEMA in a read-only transaction", "default_transaction_read_only = off"],
  ["23505", 'duplicate key value violates unique constraint "t_pkey"', "ON CONFLICT"],
  ["42501", "permission denied for table events", "Grant the role"],
  ["53100", "could not extend file: No space left on device", "disk"],
  ["53200", "out of shared memory", "max_locks_per_transaction"],
  ["53200", "out of memory", "work_mem"],
  ["53400", "configuration limit exceeded", "limit that the message names"],
  ["54000", "index row size 2712 exceeds btree version 4 maximum", "smaller"],
  ["57P03", "the database system is starting up", "in a moment"],
  ["57P01", "terminating connection due to administrator command", "still running"],
  ["58030", "could not read file", "disk and files"],
  ["XX001", "invalid page in block 3", "log"],
  ["08006", "connection failure", "still running"],
];

describe("the table of remedies", () => {
  it.each(CASES)("has a remedy for %s, %s", (code, message, way) => {
    expect(remedyOf(fromServer(code, message))).toContain(way);
  });

  it("has one example for each row, and no row hides another", () => {
    const rows = CASES.map(([code, message]) =>
      FAILURE_REMEDIES.findIndex((row) => code.startsWith(row.code) && (row.detail ?? /^/).test(message)),
    );
    expect(rows).toEqual(FAILURE_REMEDIES.map((_, row) => row));
  });
});

describe("an uncaught error", () => {
  it("names the server's statement, its SQLSTATE and the remedy if a server refused", () => {
    const cause = fromServer("57014", "canceling statement due to statement timeout");
    for (const error of [cause, new StatementError("audit.count", cause, "57014")]) {
      const known = explain(error);
      expect(known?.message).toMatch(
        /^the server refused a statement: .*statement timeout \(SQLSTATE 57014\)$/,
      );
      expect(known?.hint).toContain("statement_timeout");
    }
  });

  it("names the path if a file system refused a change, and the limit if the machine has one", () => {
    const full = Object.assign(new Error("ENOSPC: no space left"), {
      code: "ENOSPC",
      syscall: "write",
      path: "/a/b",
    });
    expect(explain(full)?.message).toBe("No space left on the disk to write /a/b");
    const files = Object.assign(new Error("EMFILE: too many"), {
      code: "EMFILE",
      syscall: "scandir",
      path: "/a",
    });
    expect(explain(files)?.hint).toContain("ulimit -n");
  });

  it("is the program's own bug if neither server nor system has caused it", () => {
    expect(explain(new TypeError("x is not a function"))).toBeUndefined();
    const ours = new UsageError("no");
    expect(explain(ours)).toBe(ours);
  });
});
