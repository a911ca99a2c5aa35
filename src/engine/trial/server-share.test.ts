import { expect, it } from "vitest";
import { serverUnknownReason } from "./server-share.js";
import type { PoolSettings } from "../../pools/registry.js";

const direct: PoolSettings = { strategy: "direct", reconnect: "never" };
const at = (host: string) => [{ scheme: "postgresql", host, port: 5432, database: "d", user: "u" }];

function pgbouncer(...urls: string[]): PoolSettings {
  return {
    strategy: "pgbouncer",
    mode: "transaction",
    reconnect: "never",
    size: 4,
    instances: 1,
    maxPreparedStatements: 0,
    urls: urls.map((url) => ({ url, weight: 1 })),
  };
}

it("the server's CPU time is separable if the server's processes are visible or the server is remote", () => {
  const embedded = { kind: "embedded" as const, serverPid: 7, endpoints: at("127.0.0.1") };
  const remote = { kind: "url" as const, endpoints: at("db.example") };
  const local = { kind: "url" as const, serverPid: 7, endpoints: at("localhost") };
  const container = { kind: "container" as const, serverPid: 7, endpoints: at("127.0.0.1") };
  for (const target of [embedded, remote, local, container])
    expect(serverUnknownReason(target, { pool: direct }), target.kind).toBeUndefined();
  expect(serverUnknownReason(embedded, { pool: pgbouncer() })).toBeUndefined();
  expect(
    serverUnknownReason(remote, { pool: pgbouncer("postgresql://pool.example:6432/d") }),
  ).toBeUndefined();
});

it("the server's CPU time is not separable if the processes of a local server or pooler are not visible", () => {
  const unseen = "the server's address is local, and its processes are not visible from here";
  for (const host of ["127.0.0.1", "localhost", "::1", "/var/run/postgresql"]) {
    expect(serverUnknownReason({ kind: "url", endpoints: at(host) }, { pool: direct }), host).toBe(unseen);
  }
  expect(serverUnknownReason({ kind: "container", endpoints: at("127.0.0.1") }, { pool: direct })).toBe(
    unseen,
  );
  const remote = { kind: "url" as const, endpoints: at("db.example") };
  expect(serverUnknownReason(remote, { pool: pgbouncer("postgresql://u@localhost:6432/d") })).toMatch(
    /a pooler/,
  );
});
