// Rules of the table itself; sqlstates.db.test.ts has errors of real servers.
import { describe, expect, it } from "vitest";
import { TargetError } from "../../foundation/errors.js";
import { InDoubtError, StatementError } from "../errors.js";
import { classifyFailure } from "./sqlstates.js";

const withCode = (code: string, message = "x") => Object.assign(new Error(message), { code });

describe("classifyFailure", () => {
  it.each([
    ["40001", "retry"],
    ["40P01", "retry"],
    ["55P03", "retry"],
    ["08006", "reconnect"],
    ["57P01", "reconnect"],
    ["57P02", "reconnect"],
    ["57P03", "reconnect"],
    ["53300", "reconnect"],
    ["25P03", "reconnect"],
    ["ECONNRESET", "reconnect"],
    ["ECONNREFUSED", "reconnect"],
    ["EPIPE", "reconnect"],
    ["ETIMEDOUT", "reconnect"],
    ["EADDRNOTAVAIL", "reconnect"],
    ["40003", "in-doubt"],
    ["42P01", "fatal"],
    ["23505", "fatal"],
    ["53100", "retry"],
    ["53200", "retry"],
    ["57014", "retry"],
    ["58030", "retry"],
    ["25006", "reconnect"],
    ["ERR_STREAM_DESTROYED", "reconnect"],
    ["53400", "fatal"],
    ["XX000", "fatal"],
    ["XX001", "fatal"],
    ["EMFILE", "fatal"],
  ] as const)("classifies %s as %s and counts the error under that code", (code, kind) => {
    expect(classifyFailure(withCode(code))).toEqual({ kind, sqlstate: code });
  });

  it.each([
    ["Connection terminated unexpectedly", "08006"],
    ["Connection terminated", "08006"],
    ["Client has encountered a connection error and is not queryable", "08003"],
    ["Client was closed and is not queryable", "08003"],
    ["timeout expired", "08001"],
  ])("classifies the driver's message %j as %s, with a reconnect", (message, sqlstate) => {
    expect(classifyFailure(new Error(message))).toEqual({ kind: "reconnect", sqlstate });
  });

  it.each([
    ["server conn crashed?", "reconnect"],
    ["query_wait_timeout", "reconnect"],
    ["pgbouncer cannot connect to server", "reconnect"],
    ["server login has been failing, try again later (server_login_retry)", "reconnect"],
    ["no more connections allowed (max_client_conn)", "reconnect"],
    ["client_login_timeout (server down)", "reconnect"],
    ["transaction blocks not allowed in statement pooling mode", "fatal"],
    ["no such database: nowhere", "fatal"],
    ["password authentication failed", "fatal"],
    ["unsupported startup parameter: options", "fatal"],
    ["prepared statement did not exist", "fatal"],
  ] as const)("classifies PgBouncer's %j (08P01) as %s", (message, kind) => {
    expect(classifyFailure(withCode("08P01", message))).toEqual({ kind, sqlstate: "08P01" });
  });

  it("finds the code in a statement's error and in a connection's explanation", () => {
    const cause = withCode("40001");
    expect(classifyFailure(new StatementError("process.claim", cause))).toEqual({
      kind: "retry",
      sqlstate: "40001",
    });
    expect(classifyFailure(new TargetError("cannot connect", "", { cause: withCode("57P03") }))).toEqual({
      kind: "reconnect",
      sqlstate: "57P03",
    });
  });

  it.each([
    ["53100", "ERROR", "retry"],
    ["53100", "PANIC", "reconnect"], // the WAL's disk is full: the server crashes and recovers
    ["53200", "FATAL", "reconnect"],
    ["XX000", "PANIC", "reconnect"],
    ["28P01", "FATAL", "fatal"],
  ] as const)("classifies %s of severity %s as %s", (code, severity, kind) => {
    expect(classifyFailure(Object.assign(withCode(code), { severity }))).toEqual({ kind, sqlstate: code });
  });

  it("retries a concurrent change of a catalogue row, and no other internal error", () => {
    expect(classifyFailure(withCode("XX000", "tuple concurrently updated")).kind).toBe("retry");
    expect(classifyFailure(withCode("XX000", "cache lookup failed for relation 1")).kind).toBe("fatal");
  });

  it.each([
    "unable to read data from DB node 0",
    "failed to read data of length 5 from DB node: 1",
    "unable to flush data to backend",
    "unable to read message kind from backend",
    "failed to read kind from backend 0",
    "unable to forward message to backend",
    "failed to create a backend 0 connection",
  ])("classifies Pgpool-II's message of a lost server as a reconnect: %s", (words) => {
    expect(classifyFailure(withCode("XX000", words)).kind).toBe("reconnect");
  });

  it("keeps a commit without an answer in doubt for any cause", () => {
    const lost = new StatementError("commit", new Error("Connection terminated unexpectedly"));
    expect(classifyFailure(new InDoubtError(lost))).toEqual({ kind: "in-doubt", sqlstate: "08006" });
  });

  it("retries a missing socket file, but no other missing file", () => {
    const missing = withCode("ENOENT");
    expect(classifyFailure(missing).kind).toBe("fatal");
    expect(classifyFailure(Object.assign(missing, { syscall: "connect" })).kind).toBe("reconnect");
  });

  it("uses the first address's failure if all addresses of a host fail", () => {
    const all = new AggregateError([withCode("ECONNREFUSED"), withCode("ECONNREFUSED")]);
    expect(classifyFailure(all)).toEqual({ kind: "reconnect", sqlstate: "ECONNREFUSED" });
  });

  it.each([
    [new TypeError("undefined is not a function"), "TypeError"],
    ["a string", "string"],
    [undefined, "undefined"],
  ])("classifies any other value as fatal, under a name that is never empty: %s", (error, sqlstate) => {
    expect(classifyFailure(error)).toEqual({ kind: "fatal", sqlstate });
  });
});
