// When other programs may be accused of using the processors, and when the database could be one of them.
import { expect, it } from "vitest";
import type { PoolSettings } from "../scenario/settings.js";
import { isServerTold } from "./server-share.js";

const direct: PoolSettings = { strategy: "direct", reconnect: "never" };
const at = (host: string) => [{ host, port: 5432, database: "d", user: "u" }];

function pgbouncer(...urls: string[]): PoolSettings {
  return {
    strategy: "pgbouncer",
    mode: "transaction",
    size: 4,
    instances: 1,
    maxPreparedStatements: 0,
    urls: urls.map((url) => ({ url, weight: 1 })),
  };
}

it("is told where train-sim started the server, or the server is elsewhere", () => {
  const embedded = { kind: "embedded" as const, serverPid: 7, endpoints: at("127.0.0.1") };
  const remote = { kind: "url" as const, endpoints: at("db.example") };
  expect(isServerTold(embedded, { pool: direct })).toBe(true);
  expect(isServerTold(embedded, { pool: pgbouncer() })).toBe(true);
  expect(isServerTold(remote, { pool: pgbouncer("postgresql://pool.example:6432/d") })).toBe(true);
});

it("is not where someone else's server or pooler is on this machine", () => {
  for (const host of ["127.0.0.1", "localhost", "::1", "/var/run/postgresql"]) {
    expect(isServerTold({ kind: "url", endpoints: at(host) }, { pool: direct }), host).toBe(false);
  }
  expect(isServerTold({ kind: "container", endpoints: at("127.0.0.1") }, { pool: direct })).toBe(false);
  const remote = { kind: "url" as const, endpoints: at("db.example") };
  expect(isServerTold(remote, { pool: pgbouncer("postgresql://u@localhost:6432/d") })).toBe(false);
});
