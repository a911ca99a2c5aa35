// Faults of the network and of PgBouncer in scenarios: their resolved settings, and targets, pools and
// statement shapes that do not support them, with their messages.
import { describe, expect, test } from "vitest";
import { scenarioProblems } from "../../test/support/scenario-problems.js";
import { networkPlacesOf } from "./fault-context.js";
import { parseScenario } from "./loader.js";

const POOL = "pool: { strategy: pgbouncer, mode: transaction, size: 8, instances: 2 }\n";
const AT_AGENTS = "agents: 2\npool: { strategy: pgbouncer, size: 8, instances: 2, placement: agent }\n";
const JOBS = "workload: jobs\npool: { strategy: own, size: 4 }\n";
const BY_CERTIFICATE = "pool: { strategy: pgbouncer, size: 8, login: certificate }\n";

/** YAML of a user's workload with one transaction. */
const ownSql = (statements: string): string =>
  `workload: { file: x.sql, sql: ${JSON.stringify(`-- name: t\n${statements}`)} }\n`;

const scenarioOf = (list: string, rest: string): string =>
  `name: x\ntrial: { duration: 60s }\n${rest}faults: ${list}\n`;

function settingsOf(list: string, rest = POOL) {
  const [treatment = expect.fail("no treatment")] = parseScenario(
    scenarioOf(list, rest),
    "x.yaml",
  ).treatments;
  return treatment.settings;
}

const problemsOf = (list: string, rest = POOL): string[] => scenarioProblems(scenarioOf(list, rest));

describe("a fault of the network or of PgBouncer", () => {
  test("has default values", () => {
    const when = (s: number, forMs = 1000) => ({ atMs: s * 1000, forMs });
    const settings = settingsOf(`[
  { at: 1s, kind: pooler-restart },
  { at: 2s, kind: pooler-kill, instance: 2, for: 1s },
  { at: 4s, kind: pooler-pause, for: 1s },
  { at: 6s, kind: network-latency, latency: 5ms, for: 1s },
  { at: 8s, kind: network-bandwidth, bandwidth: 1MB, between: pooler, for: 1s },
  { at: 10s, kind: network-blackhole, for: 1s },
  { at: 12s, kind: network-refuse, for: 1s },
  { at: 14s, kind: network-reset },
  { at: 16s, kind: network-reset-commits, for: 1s }]`);
    const { faults } = settings;
    const between = "clients";
    expect(faults).toEqual([
      { kind: "pooler-restart", ...when(1, 0), instance: undefined },
      { kind: "pooler-kill", ...when(2), instance: 2 },
      { kind: "pooler-pause", ...when(4), instance: undefined },
      { kind: "network-latency", ...when(6), between, latencyMs: 5, jitterMs: 0 },
      { kind: "network-bandwidth", ...when(8), between: "pooler", bytesPerSecond: 1024 ** 2 },
      { kind: "network-blackhole", ...when(10), between },
      { kind: "network-refuse", ...when(12), between, drop: true },
      { kind: "network-reset", ...when(14, 0), between },
      { kind: "network-reset-commits", ...when(16), between, share: 0.5 },
    ]);
    const placesOf = (count: number) => networkPlacesOf({ ...settings, faults: faults.slice(0, count) });
    expect(placesOf(faults.length)).toEqual(["clients", "pooler"]);
    expect(placesOf(4)).toEqual(["clients"]);
    expect(placesOf(3)).toEqual([]);
  });

  test("partitions an agent at the connections that leave its machine", () => {
    const placesOf = (pool: string) =>
      networkPlacesOf(settingsOf("[{ at: 1s, kind: agent-partition, for: 1s }]", pool));
    expect(placesOf(AT_AGENTS)).toEqual(["pooler"]);
    expect(placesOf(`agents: 2\n${POOL}`)).toEqual(["clients"]);
  });

  test("follows the primary by a proxy if the programs of a queue know one address", () => {
    const rest = (workload: string): string => `${workload}target: { standbys: 2 }\n`;
    const placesOf = (kind: string, workload: string) =>
      networkPlacesOf(settingsOf(`[{ at: 1s, kind: ${kind} }]`, rest(workload)));
    for (const kind of ["failover", "switchover"]) {
      expect(placesOf(kind, JOBS)).toEqual(["clients"]);
      expect(placesOf(kind, "pool: direct\n")).toEqual([]);
    }
    expect(placesOf("postgres-kill", JOBS)).toEqual([]);
    expect(problemsOf("[{ at: 1s, kind: split-brain, for: 1s }]", rest(JOBS))).toEqual([
      expect.stringContaining(
        "split-brain has two primaries at a time, and a queue's programs know one address",
      ),
    ]);
  });

  const DIRECT = "pool: direct\n";
  const EXTERNAL = "pool: { strategy: pgbouncer, url: postgresql://a@pool.example:6432/b }\n";
  const SESSION = "pool: { strategy: pgbouncer, mode: session, size: 64 }\n";
  const VERIFIED = `${POOL}target: { url: postgresql://a@b.example/c, sslmode: verify-full, ca: ca.crt }\n`;
  const TLS = `${DIRECT}target: { url: postgresql://a@b.example/c?sslmode=require }\n`;
  const TLS_BY_URL = `${DIRECT}target: { url: postgresql://a@b.example/c?sslmode=require, sslmode: disable }\n`;
  const SINGLE = "statementShape: single-statement\n";

  test.each([
    ["pooler-restart }", DIRECT, "pooler-restart needs a pooler, and pool.strategy is direct"],
    ["pooler-restart }", DIRECT, "pooler-restart needs a pooler, and pool.strategy is direct"],
    ["pooler-kill }", EXTERNAL, "needs a PgBouncer that train-sim starts, and pool names URLs"],
    ["pooler-kill, instance: 5 }", AT_AGENTS, "pooler-kill names instance 5, and there are 4"],
    [
      "agent-partition, for: 1s }",
      `${AT_AGENTS}target: { url: postgresql://a@b.example/c, sslmode: verify-full, ca: ca.crt }\n`,
      "agent-partition puts a proxy before the server, so PgBouncer cannot check the server's name",
    ],
    ["pooler-kill, instance: 3 }", POOL, "pooler-kill names instance 3, and there are 2"],
    ["pooler-pause, for: 1s }", SESSION, "waits until every session has ended"],
    ["pooler-pause, for: 1s }", EXTERNAL, "needs the admin console of the PgBouncer: set pool.adminUrl"],
    ["pooler-pause }", POOL, "pooler-pause needs a for (its length)"],
    ["network-latency, for: 1s }", POOL, "network-latency needs a latency, such as latency: 50ms"],
    ["network-bandwidth, for: 1s }", POOL, "network-bandwidth needs a bandwidth, such as bandwidth: 1MB"],
    ["network-latency, latency: 1ms, jitter: 2ms, for: 1s }", POOL, "cannot have a jitter above its latency"],
    ["network-reset, for: 1s }", POOL, "network-reset has no length"],
    ["network-reset, latency: 1s }", POOL, "belongs to kind network-latency, not to network-reset"],
    [
      "network-reset, between: pooler }",
      DIRECT,
      "between: pooler needs a pooler, and pool.strategy is direct",
    ],
    ["network-reset, between: pooler }", VERIFIED, "so PgBouncer cannot check the server's name"],
    ["network-reset-commits, for: 1s }", TLS, "which TLS hides"],
    ["network-reset-commits, for: 1s }", TLS_BY_URL, "which TLS hides"],
    ["network-reset-commits, for: 1s }", BY_CERTIFICATE, "which TLS hides"],
    ["network-reset-commits, for: 1s }", "target: { kind: embedded, tls: true }\n", "which TLS hides"],
    [
      "network-reset-commits, for: 1s }",
      `target: { kind: embedded, auth: cert }\n${POOL}`,
      "which TLS hides",
    ],
    ["network-reset-commits, for: 1s }", SINGLE, "statementShape is single-statement"],
    ["network-reset-commits, for: 1s }", "workload: documents\n", "is one statement without BEGIN"],
    ["network-reset-commits, for: 1s }", "workload: connections\n", "is one statement without BEGIN"],
    ["network-reset-commits, for: 1s }", ownSql("SELECT 1"), "is one statement without BEGIN"],
    [
      "lock-holder, for: 1s }",
      ownSql("SELECT 1"),
      "lock-holder needs a table, and the workload's file creates",
    ],
    ["long-transaction, for: 1s }", ownSql("SELECT 1"), "long-transaction needs a table"],
  ])("is refused with its reason: { kind: %s", (fault, rest, message) => {
    const problems = problemsOf(`[{ at: 1s, kind: ${fault}]`, rest);
    expect(problems.join("\n")).toContain(message);
    expect(problems).toHaveLength(1);
  });

  test("is accepted if TLS is only between PgBouncer and the server", () => {
    expect(problemsOf("[{ at: 1s, kind: network-reset-commits, for: 1s }]", VERIFIED)).toEqual([]);
  });

  test.each([
    ["several statements", ownSql("SELECT 1;\nSELECT 2")],
    ["an isolation level", `${ownSql("SELECT 1")}isolation: serializable\n`],
    ["a pooler that does not keep the search path", `${ownSql("SELECT 1")}${POOL}`],
  ])("may lose commits of a SQL file with %s", (_, rest) => {
    expect(problemsOf("[{ at: 1s, kind: network-reset-commits, for: 1s }]", rest)).toEqual([]);
  });

  test("excludes other network faults, and no faults of other kinds", () => {
    const list = (second: string): string =>
      `[{ at: 1s, kind: network-blackhole, for: 3s }, { at: 2s, kind: ${second}, for: 1s }]`;
    expect(problemsOf(list("network-refuse")).join()).toContain("cannot be there together with faults[0]");
    for (const kind of ["pooler-kill", "postgres-kill", "lock-holder"])
      expect(problemsOf(list(kind))).toEqual([]);
  });
});
