import { describe, expect, it } from "vitest";
import { pathText } from "../syntax/paths.js";
import type { EventTreatment } from "../workloads/train-events/clients/assignment.js";
import { DISPATCHER_ONLY_WEIGHTS } from "../workloads/train-events/settings.js";
import { poolRules } from "./pool-rules.js";
import type { TreatmentSettings } from "./settings.js";
import type { PoolSettings } from "../pools/registry.js";
import { scenarioProblems } from "../../test/support/scenario-problems.js";
import type { RoleSettings } from "../clients/settings.js";

const role = (clients: number, workers = 1): RoleSettings => ({
  workers,
  load: { executor: "constant-clients", clients, thinkTimeMs: { min: 0, max: 0 }, rampUpMs: 0 },
});

const pgbouncer = (
  changes: Partial<Extract<PoolSettings, { strategy: "pgbouncer" }>> = {},
): PoolSettings => ({
  strategy: "pgbouncer",
  mode: "transaction",
  reconnect: "never",
  size: 4,
  instances: 1,
  maxPreparedStatements: 0,
  urls: [],
  ...changes,
});

const NONE = { min: 0, max: 0 };
const delays = (process: { min: number; max: number }) => ({ add: NONE, process, archive: NONE });

type Settings = TreatmentSettings & EventTreatment;

const settings = (pool: PoolSettings, changes: Partial<Settings> = {}): Settings => ({
  workload: "train-events",
  agents: 0,
  target: { kind: "embedded", settings: {}, port: 0, auth: "scram-sha-256", nice: 0 },
  dialect: "postgres",
  asksDialect: false,
  namespace: "train_sim",
  payload: "jsonb",
  storage: "default",
  pool,
  locking: "skip-locked",
  isolation: "read committed",
  ids: "uuidv7",
  statementShape: "set-based",
  prepared: true,
  batch: { min: 10, max: 100 },
  appDelayMs: delays(NONE),
  advance: { claim: 1, complete: 1, fail: 0 },
  claimIndex: "partial",
  archived: "finished",
  archiveDelete: "explicit",
  documentBytes: 900,
  documentShape: "default",
  validate: "sample",
  preload: 0,
  topology: "actors",
  reads: DISPATCHER_ONLY_WEIGHTS,
  actors: { producers: role(8), consumers: role(8, 2) },
  trial: { warmUpMs: 0, durationMs: 1000, drainMaxMs: 0 },
  retry: { attempts: 3, baseMs: 1, ceilingMs: 10, deadlineMs: 1000 },
  evidence: { everyMs: 1000 },
  integrity: { allow: [] },
  faults: [],
  log: { level: "info", slowTransactionMs: 1000 },
  ...changes,
});

const poolProblems = (treatment: Settings) =>
  poolRules(treatment).map(({ path, message }) => ({ path: pathText(path), message }));
const paths = (treatment: Settings) => poolProblems(treatment).map(({ path }) => path);

describe("rules of pools", () => {
  it("accept direct connections", () => {
    expect(poolProblems(settings({ strategy: "direct", reconnect: "per-transaction" }))).toEqual([]);
  });

  it("require a pg-pool of at least one connection per worker thread", () => {
    expect(poolProblems(settings({ strategy: "pg-pool", size: 3 }))).toEqual([]);
    const [problem, ...others] = poolProblems(settings({ strategy: "pg-pool", size: 2 }));
    expect(others).toEqual([]);
    expect(problem?.path).toBe("pool.size");
    expect(problem?.message).toContain("2 connections cannot be shared out over 3 worker threads");
  });

  it("accept app delays with a pooler in transaction mode", () => {
    expect(poolProblems(settings(pgbouncer(), { appDelayMs: delays({ min: 10, max: 50 }) }))).toEqual([]);
  });

  it("refuse session mode with fewer server connections than clients", () => {
    expect(poolProblems(settings(pgbouncer({ mode: "session", size: 16 })))).toEqual([]);
    expect(poolProblems(settings(pgbouncer({ mode: "session", size: 8, instances: 2 })))).toEqual([]);
    expect(poolProblems(settings(pgbouncer({ mode: "session", size: 7, instances: 2 })))[0]).toMatchObject({
      path: "pool.size",
      message: expect.stringContaining("at least 8, not 7") as string,
    });
    const leaving = pgbouncer({ mode: "session", size: 1, reconnect: "per-transaction" });
    expect(poolProblems(settings(leaving))).toEqual([]);
    const urls = ["a", "b", "c"].map((host) => ({ url: `postgresql://${host}`, weight: 1 }));
    expect(paths(settings(pgbouncer({ mode: "session", size: 5, urls })))).toEqual(["pool.size"]);
    expect(paths(settings(pgbouncer({ mode: "session", size: 6, urls })))).toEqual([]);
    const heavy = [{ url: "postgresql://a", weight: 3 }, ...urls.slice(1, 2)];
    expect(paths(settings(pgbouncer({ mode: "session", size: 11, urls: heavy })))).toEqual(["pool.size"]);
    expect(paths(settings(pgbouncer({ mode: "session", size: 12, urls: heavy })))).toEqual([]);
  });

  it("count the clients of each managed PgBouncer as they are divided among servers", () => {
    const smallestAllowedSize = (weights: number[], instances: number): number => {
      const urls = weights.map((weight) => ({ url: "postgresql://a/d", weight }));
      const isRefused = (size: number): boolean =>
        paths(
          settings(pgbouncer({ mode: "session", instances, size }), {
            target: { kind: "url", urls },
            actors: { producers: role(10) },
          }),
        ).length > 0;
      return Array.from({ length: 11 }, (_, size) => size).findIndex((size) => !isRefused(size));
    };
    expect(smallestAllowedSize([1], 1)).toBe(10);
    expect(smallestAllowedSize([1, 1], 1)).toBe(5);
    expect(smallestAllowedSize([3, 1], 2)).toBe(8);
    expect(smallestAllowedSize([1, 1], 3)).toBe(5);
    expect(smallestAllowedSize([1, 1], 4)).toBe(3);
  });

  it("count the clients of each agent that has separate PgBouncers", () => {
    const isRefused = (size: number, instances = 1): boolean =>
      paths(
        settings(pgbouncer({ mode: "session", placement: "agent", instances, size }), {
          agents: 2,
          actors: { producers: role(9, 3) }, // 6 on one agent, 3 on the other
        }),
      ).length > 0;
    expect([isRefused(5), isRefused(6)]).toEqual([true, false]);
    expect([isRefused(2, 2), isRefused(3, 2)]).toEqual([true, false]);
  });
});

describe("a PgBouncer in a scenario", () => {
  it.each([
    [
      "placement: agent",
      "pool.placement: agent starts a PgBouncer with each agent, and there are no agents; set agents,",
    ],
    ["url: 'postgresql://b/x', placement: agent", "pool.placement: is for PgBouncers that train-sim starts"],
    ["url: 'postgresql://b/x', login: certificate", "pool.login: is for PgBouncers that train-sim starts"],
    [
      "url: 'postgresql://b/x', settings: { a: 1 }",
      "pool.settings.a: is for PgBouncers that train-sim starts",
    ],
    ["settings: { auth_type: trust }", "auth_type: is set by train-sim, from target.auth; remove it"],
    [
      "login: certificate, settings: { client_tls_key_file: k }",
      "client_tls_key_file: is set by train-sim, from pool.login; remove it",
    ],
    ["login: ident", "pool.login"],
  ])("is refused with %s", (keys, message) => {
    const problems = scenarioProblems(`name: x\npool: { strategy: pgbouncer, ${keys} }\n`);
    expect(problems.join("\n")).toContain(message);
    expect(problems).toHaveLength(1);
  });

  it("accepts TLS settings that password log-in does not use", () => {
    const yaml = "name: x\npool: { strategy: pgbouncer, settings: { client_tls_key_file: k } }\n";
    expect(scenarioProblems(yaml)).toEqual([]);
  });
});

describe("TLS of the target", () => {
  it.each([
    [
      "target: { tls: true }\npool: { strategy: pgbouncer, settings: { client_tls_key_file: k } }",
      "pool.settings.client_tls_key_file: is set by train-sim, because the target has TLS; remove it",
    ],
    [
      "target: { auth: cert }\npool: { strategy: pgpool, size: 64 }",
      "pool: a Pgpool-II that train-sim starts reaches a server without TLS only; use pool: pgbouncer",
    ],
  ])("refuses a pooler that cannot have it: %s", (keys, message) => {
    const problems = scenarioProblems(`name: x\n${keys}\n`);
    expect(problems.join("\n")).toContain(message);
    expect(problems).toHaveLength(1);
  });
});

describe("an endpoint for each worker", () => {
  const urls = "target: { urls: ['postgresql://a/d', 'postgresql://b/d', 'postgresql://c/d'] }";
  const workers = (count: number): string =>
    `topology: cycle\nactors: { cycle: { workers: ${count}, load: { clients: 6 } } }`;
  const problems = (more: string): string[] => scenarioProblems(`name: x\nendpointPer: worker\n${more}\n`);

  it("is accepted if every endpoint has a worker", () => {
    expect(problems(`${urls}\n${workers(3)}`)).toEqual([]);
  });

  it.each([
    [
      "fewer workers than endpoints",
      `${urls}\n${workers(2)}`,
      "leaves 1 endpoint without clients: there are 2",
    ],
    ["a single endpoint", workers(3), "has no effect on one endpoint"],
    [
      "poolers on agents",
      `agents: 2\npool: { strategy: pgbouncer, placement: agent, instances: 2 }\n${workers(3)}`,
      "is not possible with pool.placement: agent",
    ],
  ])("is refused with %s", (_, more, message) => {
    expect(problems(more)).toEqual([expect.stringContaining(`endpointPer: worker ${message}`)]);
  });
});
