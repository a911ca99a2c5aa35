import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../../foundation/errors.js";
import { completeUrl as complete, ignoredVariables } from "./libpq-variables.js";
import { parseConnectionUrl } from "./parse-url.js";

function serviceFile(text: string): Record<string, string> {
  const file = join(mkdtempSync(join(tmpdir(), "train-sim-service-")), "services.conf");
  writeFileSync(file, text);
  return { PGSERVICEFILE: file };
}

const NONE: ReadonlySet<string> = new Set();
const ADDRESS = { PGHOST: "db.example", PGPORT: "5433", PGDATABASE: "trains", PGUSER: "rail" };

function completeAsTarget(url: string, environment: Record<string, string>, stated = NONE): string {
  return complete(url, environment, stated);
}

describe("libpq's variables", () => {
  it.each([
    ["postgresql://", ADDRESS, "postgresql://rail@db.example:5433/trains"],
    ["postgresql:///app", ADDRESS, "postgresql://rail@db.example:5433/app"],
    ["postgresql://h/app", ADDRESS, "postgresql://rail@h:5433/app"],
    ["postgresql://u:p%40@h:6432", ADDRESS, "postgresql://u:p%40@h:6432/trains"],
    ["postgresql://h?port=1&user=u", ADDRESS, "postgresql://h/trains?port=1&user=u"],
    ["postgresql:///app?host=/run/pg", ADDRESS, "postgresql:///app?host=/run/pg&user=rail&port=5433"],
    ["postgresql:///app", { PGHOST: "/run/pg" }, "postgresql:///app?host=/run/pg"],
    ["postgresql:///app", { PGHOST: "::1" }, "postgresql://[::1]/app"],
    ["postgresql://[::1]/app", { PGPORT: "5433" }, "postgresql://[::1]:5433/app"],
    ["postgresql://h/d", { PGUSER: "a@b", PGDATABASE: "x" }, "postgresql://a%40b@h/d"],
    ["postgresql://h/d", { PGSSLMODE: "require" }, "postgresql://h/d?sslmode=require"],
    ["postgresql://h/d?sslmode=disable", { PGSSLMODE: "require" }, "postgresql://h/d?sslmode=disable"],
    [
      "postgresql://h/d",
      { PGTARGETSESSIONATTRS: "read-write" },
      "postgresql://h/d?target_session_attrs=read-write",
    ],
  ])("complete %s with %j", (url, environment, expected) => {
    expect(completeAsTarget(url, environment)).toBe(expected);
    expect(() => parseConnectionUrl(expected, {}, {})).not.toThrow();
  });

  it.each([
    ["PGSSLROOTCERT", "sslrootcert"],
    ["PGSSLCERT", "sslcert"],
    ["PGSSLKEY", "sslkey"],
  ])("have the path in %s made absolute, because a stored scenario is read elsewhere", (name, parameter) => {
    expect(completeAsTarget("postgresql://h/d", { [name]: "a.pem" })).toBe(
      `postgresql://h/d?${parameter}=${resolve("a.pem")}`,
    );
  });

  it("are ignored if a key of the target sets the same", () => {
    const environment = { PGSSLMODE: "require", PGTARGETSESSIONATTRS: "any" };
    expect(completeAsTarget("postgresql://h/d", environment, new Set(["sslmode"]))).toBe(
      "postgresql://h/d?target_session_attrs=any",
    );
  });

  it("give only the user to a pooler's URL", () => {
    const environment = { ...ADDRESS, PGSSLMODE: "require" };
    expect(complete("postgresql://pool:6432/app", environment, "pooler")).toBe(
      "postgresql://rail@pool:6432/app",
    );
  });

  it.each([
    [{ PGSSLMODE: "prefer" }, /PGSSLMODE says sslmode=prefer, which is not supported/],
    [{ PGSSLROOTCERT: "system" }, /PGSSLROOTCERT says sslrootcert=system, which is not supported/],
    [{ PGTARGETSESSIONATTRS: "standby" }, /PGTARGETSESSIONATTRS says target_session_attrs=standby/],
    [{ PGPORT: "5432,5433" }, /PGPORT has an invalid port/],
    [{ PGHOST: "a,b" }, /PGHOST names several hosts/],
  ])("are refused by name: %j", (environment, message) => {
    const completeUrlOfTarget = (): string => complete("postgresql://h/d", environment, NONE);
    expect(completeUrlOfTarget).toThrow(UsageError);
    expect(completeUrlOfTarget).toThrow(message);
  });

  it("change no complete URL, and no URL if they are not set", () => {
    const part = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
    const url = fc
      .tuple(part, part, fc.integer({ min: 1, max: 65_535 }), part)
      .map(([user, host, port, database]) => `postgresql://${user}:s@${host}:${port}/${database}`);
    fc.assert(fc.property(url, (text) => completeAsTarget(text, ADDRESS) === text));
    fc.assert(
      fc.property(fc.oneof(url, fc.string(), fc.webUrl()), (text) => completeAsTarget(text, {}) === text),
    );
  });

  it("change no text that is not a valid URL", () => {
    for (const text of ["embedded", "postgresql://u:p?@h/d", "postgresql://a:1,b:2/d", "postgresql://h#x"])
      expect(completeAsTarget(text, ADDRESS)).toBe(text);
  });

  it("are listed with the reason if they are set and have no effect", () => {
    expect(ignoredVariables({ PGHOST: "h", PGPASSWORD: "p", PGPASSFILE: "f", PGAPPNAME: "" })).toEqual([]);
    expect(ignoredVariables({ PGOPTIONS: "-c a=b", PGCONNECT_TIMEOUT: "3" })).toEqual([
      "PGCONNECT_TIMEOUT is ignored: an attempt to connect has 15 s; remove it",
      expect.stringContaining("PGOPTIONS is ignored: set what it sets with ALTER ROLE"),
    ]);
  });
});

describe("libpq's services", () => {
  const SHOP =
    "# all\n[other]\nhost=o\n\n[shop]\n# main\nhost=db.example\nport=5433\ndbname=shop\nuser=me\nsslmode=require\n[last]\nhost=l\n";

  it.each([
    ["postgresql://?service=shop", {}, "postgresql://me@db.example:5433/shop?sslmode=require"],
    [
      "postgresql:///app?service=shop&sslmode=disable",
      {},
      "postgresql://me@db.example:5433/app?sslmode=disable",
    ],
    ["postgresql://h/d?sslmode=disable&service=last", {}, "postgresql://h/d?sslmode=disable"],
    [
      "postgresql://",
      { PGSERVICE: "shop", PGHOST: "x" },
      "postgresql://me@db.example:5433/shop?sslmode=require",
    ],
    ["postgresql://", { PGSERVICE: "last", PGPORT: "1" }, "postgresql://l:1"],
  ])("complete %s with %j", (url, variables, expected) => {
    expect(completeAsTarget(url, { ...serviceFile(SHOP), ...variables })).toBe(expected);
  });

  it.each([
    [
      "[shop]\nhost=h\npassword=secret",
      /services\.conf:3: service shop has a password, which a scenario would store$/,
    ],
    [
      "[shop]\nconnect_timeout=3",
      /:2: service shop: connect_timeout is not supported; an attempt to connect has 15 s/,
    ],
    ["[shop]\nnonsense", /:2: service shop: expected parameter=value$/],
    ["[other]\nhost=h", /^service shop is not in .*services\.conf$/],
  ])("are refused with file and line: %j", (text, message) => {
    expect(() => completeAsTarget("postgresql://?service=shop", serviceFile(text))).toThrow(message);
  });
});
