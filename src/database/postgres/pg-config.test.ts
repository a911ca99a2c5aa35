import { describe, expect, it } from "vitest";
import type { Endpoint } from "../endpoint.js";
import { tlsOptions } from "../tls-options.js";
import { pgConfig } from "./pg-config.js";

const endpoint: Endpoint = {
  scheme: "postgresql",
  host: "db.example",
  port: 5432,
  database: "rail",
  user: "load",
};

describe("tlsOptions", () => {
  it("encrypts without verification for sslmode require", () => {
    expect(tlsOptions({ mode: "require" }).rejectUnauthorized).toBe(false);
  });

  it("verifies the chain for sslmode require with a CA, as libpq does", () => {
    const options = tlsOptions({ mode: "require", ca: "PEM" });
    expect(options).toMatchObject({ rejectUnauthorized: true, ca: "PEM" });
    expect(options.checkServerIdentity).toBeDefined();
  });

  it("accepts any host name for verify-ca, and checks the host name for verify-full", () => {
    const anyName = tlsOptions({ mode: "verify-ca" });
    expect(anyName.rejectUnauthorized).toBe(true);
    expect(anyName.checkServerIdentity).toBeDefined();
    const full = tlsOptions({ mode: "verify-full" });
    expect(full.rejectUnauthorized).toBe(true);
    expect(full.checkServerIdentity).toBeUndefined();
  });

  it("contains the client's certificate and key", () => {
    expect(tlsOptions({ mode: "require", cert: "C", key: "K" })).toMatchObject({ cert: "C", key: "K" });
  });
});

describe("pgConfig", () => {
  it("has no TLS on a Unix socket", () => {
    const config = pgConfig(
      { ...endpoint, host: "/run/postgresql", tls: { mode: "verify-full" } },
      "train-sim/x",
    );
    expect(config.ssl).toBe(false);
  });

  it("sets nothing of the session except its application name", () => {
    const config = pgConfig(endpoint, "train-sim/consumers");
    expect(config).toMatchObject({ application_name: "train-sim/consumers", ssl: false });
    expect(config).not.toHaveProperty("options");
    expect(config).not.toHaveProperty("statement_timeout");
  });

  it("parses booleans and numbers, and keeps all other types as text", () => {
    const types = pgConfig(endpoint, "x").types as { getTypeParser(oid: number): (text: string) => unknown };
    const parser = (oid: number) => types.getTypeParser(oid);
    expect(parser(16)("t")).toBe(true);
    expect(parser(16)("f")).toBe(false);
    expect(parser(20)("9007199254740991")).toBe(9007199254740991);
    expect(parser(701)("0.5")).toBe(0.5);
    expect(parser(3802)('{"a": 1}')).toBe('{"a": 1}');
    expect(parser(1184)("2026-01-01 00:00:00+00")).toBe("2026-01-01 00:00:00+00");
  });
});
