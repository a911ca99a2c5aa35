// The text of PgBouncer's configuration, which decides what is measured.
import { describe, expect, it } from "vitest";
import { UsageError } from "../../foundation/errors.js";
import type { Endpoint } from "../../database/endpoint.js";
import { isVersionAtLeast } from "../find-program.js";
import { pgBouncerIni, pgBouncerUserList, type PgBouncerSettings } from "./pgbouncer-config.js";
import { externalPooler } from "../managed.js";
import { pgbouncerKind } from "./pgbouncer.js";

const UPSTREAM: Endpoint = {
  scheme: "postgresql",
  host: "db",
  port: 5432,
  database: "trains",
  user: "rail",
  password: "secret",
};
const SETTINGS: PgBouncerSettings = {
  mode: "transaction",
  size: 64,
  instances: 2,
  maxPreparedStatements: 200,
  maxClientConnections: 512,
};
const FILES = { port: 6432, userListFile: "/private/userlist.txt" };
const lines = (upstream = UPSTREAM, files = FILES, hasPreparedStatements = true, settings = SETTINGS) =>
  pgBouncerIni(settings, upstream, files, hasPreparedStatements).split("\n");

describe("pgBouncerIni", () => {
  it("contains the scenario's mode and size, and admits every client", () => {
    expect(lines()).toEqual(
      expect.arrayContaining([
        "train_sim = host='db' port=5432 dbname='trains'",
        "listen_addr = 127.0.0.1",
        "pool_mode = transaction",
        "default_pool_size = 64",
        "max_client_conn = 522",
        "max_prepared_statements = 200",
        "server_tls_sslmode = disable",
      ]),
    );
  });

  it("authenticates clients by password, or by trust if the server does", () => {
    expect(lines()).toContain("auth_type = scram-sha-256");
    const trusting = lines(UPSTREAM, FILES, true, { ...SETTINGS, auth: "trust" });
    expect(trusting).toContain("auth_type = trust");
  });

  it("omits max_prepared_statements for a PgBouncer that does not know this setting", () => {
    expect(lines(UPSTREAM, FILES, false).join()).not.toContain("max_prepared_statements");
  });

  it("contains the scenario's settings in place of the defaults", () => {
    const own = { server_lifetime: "3600", server_login_retry: "2" };
    const text = lines(UPSTREAM, FILES, true, { ...SETTINGS, settings: own });
    expect(text).toEqual(expect.arrayContaining(["server_lifetime = 3600", "server_login_retry = 2"]));
    expect(text).not.toContain("server_login_retry = 1");
  });

  it("sets the search path through a connection query if no reset between clients undoes the query", () => {
    const upstream: Endpoint = { ...UPSTREAM, searchPath: "lab" };
    const withReset = { ...SETTINGS, settings: { server_reset_query_always: "1" } };
    const isSetUp = (settings: PgBouncerSettings): boolean =>
      lines(upstream, FILES, true, settings).join().includes("connect_query");
    expect(isSetUp(SETTINGS)).toBe(true);
    expect(isSetUp({ ...SETTINGS, mode: "session" })).toBe(false);
    expect(isSetUp(withReset)).toBe(false);
  });

  it("never contains a password", () => {
    expect(lines().join()).not.toContain("secret");
  });

  it("verifies the server as its endpoint requires", () => {
    const upstream: Endpoint = { ...UPSTREAM, tls: { mode: "verify-full", ca: "PEM" } };
    const files = { ...FILES, caFile: "/private/ca.crt" };
    expect(lines(upstream, files)).toEqual(
      expect.arrayContaining(["server_tls_sslmode = verify-full", "server_tls_ca_file = /private/ca.crt"]),
    );
  });

  it("quotes special characters and refuses a line break in a host", () => {
    expect(lines({ ...UPSTREAM, database: "it's" })[1]).toContain("dbname='it''s'");
    expect(() => lines({ ...UPSTREAM, host: "db\nlisten_addr = 0.0.0.0" })).toThrow(UsageError);
  });
});

describe("pgBouncerUserList", () => {
  it("contains the client's user and the admin, quoted", () => {
    const list = pgBouncerUserList({ ...UPSTREAM, user: 'ra"il' }, 'p"w', "admin-pw");
    expect(list).toBe('"ra""il" "p""w"\n"train_sim_admin" "admin-pw"\n');
  });
});

describe("isVersionAtLeast", () => {
  it("compares versions numerically", () => {
    expect(isVersionAtLeast("1.9.0", "1.21")).toBe(false);
    expect(isVersionAtLeast("1.21.0", "1.21")).toBe(true);
    expect(isVersionAtLeast("2.0", "1.21")).toBe(true);
    expect(isVersionAtLeast("1.18.0", "1.21")).toBe(false);
  });
});

describe("externalPooler", () => {
  it("has an endpoint for each URL, and prepared statements as the scenario states", () => {
    const urls = ["a", "b"].map((host) => ({ url: `postgresql://u@${host}:6432/d`, weight: 1 }));
    const settings = { ...SETTINGS, maxPreparedStatements: 0, urls };
    const adminUrl = "postgresql://admin@a:6432/pgbouncer";
    const pooler = externalPooler(pgbouncerKind, { ...settings, adminUrl });
    expect(pooler.endpoints.map(({ host }) => host)).toEqual(["a", "b"]);
    expect(pooler.consoles.map(({ database }) => database)).toEqual(["pgbouncer"]);
    expect(pooler.supportsPreparedStatements).toBe(false);
    const isPreparing = (changes: Partial<PgBouncerSettings>): boolean =>
      externalPooler(pgbouncerKind, { ...settings, ...changes }).supportsPreparedStatements;
    expect(isPreparing({ maxPreparedStatements: 100 })).toBe(true);
    expect(isPreparing({ mode: "session" })).toBe(true);
  });
});
