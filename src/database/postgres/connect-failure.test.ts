// Messages for failures that a test machine cannot cause; admin.db.test.ts causes the others.
import { describe, expect, it } from "vitest";
import type { Endpoint } from "../endpoint.js";
import { connectFailure } from "./connect-failure.js";

const endpoint: Endpoint = {
  scheme: "postgresql",
  host: "db.example",
  port: 5432,
  database: "rail",
  user: "load",
  password: "hunter2",
};
const withCode = (code: string, message: string) => Object.assign(new Error(message), { code });

describe("connectFailure", () => {
  it.each([
    [withCode("ENOTFOUND", "getaddrinfo ENOTFOUND db.example"), "host name is not known"],
    [new Error("timeout expired"), "did not answer"],
    [withCode("EHOSTUNREACH", "connect EHOSTUNREACH"), "did not answer"],
    [withCode("57P03", "the database system is starting up"), "starting up"],
    [withCode("08P01", "no more connections allowed (max_client_conn)"), "no connection left"],
    [withCode("28000", 'role "load" is not permitted to log in'), 'user "load" may not log in'],
    [withCode("08006", "unable to accept connection, access denied"), 'refused role "load" with this token'],
    [withCode("CERT_HAS_EXPIRED", "certificate has expired"), "cannot be trusted"],
    [new Error("Connection terminated unexpectedly"), "hung up during the login"],
    [new Error("something new"), "the connection failed (something new)"],
  ])("explains %s", (error, seen) => {
    const failure = connectFailure(endpoint, error);
    expect(failure.message).toMatch(/^cannot connect to postgresql:\/\/load@db\.example:5432\/rail: /);
    expect(failure.message).toContain(seen);
    expect(failure.hint).toMatch(/^[A-Z].*\.$/);
    expect(failure.cause).toBe(error);
    expect(failure.exitCode).toBe(111);
  });

  it("never shows the password", () => {
    const failure = connectFailure(
      endpoint,
      withCode("28P01", 'password authentication failed for user "load"'),
    );
    expect(failure.message + failure.hint).not.toContain("hunter2");
  });
});
