// Valid scenarios in the loader: defaults, short forms, overrides and their precedence, factors, and the resolved text that
// loads to the same experiment. Invalid scenarios are in `loader-problems.test.ts`.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { loadScenario, parseScenario } from "./loader.js";
import type { Overrides } from "./plan/overrides.js";
import type { Experiment, TreatmentSettings } from "./settings.js";

function load(yaml: string, ...set: string[]): Experiment {
  return parseScenario(`name: x\nseed: 1\n${yaml}`, "x.yaml", { set });
}

function settings(yaml: string, ...set: string[]): TreatmentSettings {
  const [first] = load(yaml, ...set).treatments;
  if (!first) throw new Error("no treatment");
  return first.settings;
}

describe("a scenario with only a name", () => {
  test("runs producers, consumers and archivers on an embedded PostgreSQL", () => {
    const experiment = parseScenario("name: tiny", "tiny.yaml");
    expect(experiment.treatments).toHaveLength(1);
    expect(experiment.trials).toHaveLength(5);
    const [treatment] = experiment.treatments;
    expect(treatment?.id).toBe("base");
    expect(treatment?.levels).toEqual({});
    expect(treatment?.settings).toMatchObject({
      target: { kind: "embedded", settings: {}, port: 0, auth: "scram-sha-256", nice: 0 },
      namespace: "train_sim",
      payload: "jsonb",
      pool: { strategy: "direct", reconnect: "never" },
      batch: { min: 10, max: 100 },
      trial: { warmUpMs: 2000, durationMs: 10_000, drainMaxMs: 30_000 },
    });
    expect(Object.keys(treatment?.settings.actors ?? {})).toEqual(["producers", "consumers", "archivers"]);
  });

  test("gets a random seed, which the resolved text keeps", () => {
    const experiment = parseScenario("name: tiny", "tiny.yaml");
    expect(Number.isSafeInteger(experiment.seed)).toBe(true);
    expect(experiment.yaml).toContain(`seed: ${experiment.seed}`);
    expect(parseScenario(experiment.yaml, "again.yaml")).toEqual(experiment);
  });
});

test("retries have jitter unless the scenario says none", () => {
  expect(settings("").retry).not.toHaveProperty("jitter");
  expect(settings("retry: { jitter: full }").retry).toEqual(settings("").retry);
  expect(settings("retry: { jitter: none }").retry.jitter).toBe("none");
});

describe("short forms of values", () => {
  test("are a URL for an endpoint without region and weight", () => {
    const [east, west] = ["postgresql://a/d", "postgresql://b/d"];
    const urls = `[{ url: "${east}", region: east, weight: 2.5 }, "${west}"]`;
    const expected = [
      { url: east, region: "east", weight: 2.5 },
      { url: west, weight: 1 },
    ];
    expect(settings(`target: { urls: ${urls} }`).target).toEqual({ kind: "url", urls: expected });
    expect(settings(`pool: { strategy: pgbouncer, urls: ${urls} }`).pool).toMatchObject({ urls: expected });
  });

  test("are a URL for a target, and url for a list of one URL", () => {
    const url = "postgresql://app@db.example:5432/app";
    const expected = { kind: "url", urls: [{ url, weight: 1 }] };
    expect(settings(`target: ${url}`).target).toEqual(expected);
    expect(settings(`target: { url: "${url}" }`).target).toEqual(expected);
    expect(settings(`target: { kind: url, urls: ["${url}"] }`).target).toEqual(expected);
  });

  test("are a number for a batch, and a duration for a range", () => {
    expect(settings("batch: 25").batch).toEqual({ min: 25, max: 25 });
    const none = { min: 0, max: 0 };
    expect(settings("appDelay: 5ms").appDelayMs).toEqual({
      add: none,
      archive: none,
      process: { min: 5, max: 5 },
    });
    expect(settings("appDelay: { min: 0, max: 1.5s }").appDelayMs?.process).toEqual({ min: 0, max: 1500 });
    expect(settings("appDelay: { add: 2ms, process: 0, archive: { min: 0, max: 3ms } }").appDelayMs).toEqual({
      add: { min: 2, max: 2 },
      process: none,
      archive: { min: 0, max: 3 },
    });
  });

  test("are a name for a pool with defaults", () => {
    expect(settings("pool: pgbouncer").pool).toEqual({
      strategy: "pgbouncer",
      mode: "transaction",
      reconnect: "never",
      size: 20,
      instances: 1,
      maxPreparedStatements: 200,
      urls: [],
    });
    expect(settings("pool: { strategy: direct, reconnect: per-transaction }").pool).toEqual({
      strategy: "direct",
      reconnect: "per-transaction",
    });
    expect(settings("pool: { strategy: pgbouncer, url: 'postgresql://b:6432/x' }").pool).toMatchObject({
      urls: [{ url: "postgresql://b:6432/x", weight: 1 }],
      maxPreparedStatements: 0,
    });
  });

  test("accept isolation levels with spaces, hyphens, underscores or capitals", () => {
    for (const text of ["repeatable read", "repeatable-read", "REPEATABLE READ", "repeatable_read"])
      expect(settings(`isolation: ${text}`).isolation).toBe("repeatable read");
  });

  test("are true or false for the default drain or none", () => {
    expect(settings("trial: { drain: 4s }").trial.drainMaxMs).toBe(4000);
    expect(settings("trial: { drain: true }").trial.drainMaxMs).toBe(30_000);
    expect(settings("trial: { drain: false }").trial.drainMaxMs).toBe(0);
    expect(settings("actors: { consumers: false }").trial.drainMaxMs).toBe(0);
  });

  test("are numbers and booleans for server settings, which become text", () => {
    expect(
      settings("target: { settings: { fsync: false, work_mem: 4MB, max_connections: 50 } }").target,
    ).toMatchObject({
      settings: { fsync: "off", work_mem: "4MB", max_connections: "50" },
    });
  });
});

describe("clients of a group", () => {
  const actors = "actors: { producers: { load: { clients: 3 } }, consumers: { clients: 5 } }";

  test("come from the group, else from the scenario, else from the role's load", () => {
    expect(settings(actors).actors.producers?.load.clients).toBe(3);
    const withAll = settings(`clients: 7\n${actors}`);
    expect(withAll.actors.producers?.load.clients).toBe(7);
    expect(withAll.actors.consumers?.load.clients).toBe(5);
    expect(withAll.actors.archivers?.load.clients).toBe(7);
  });

  test("can be set on the command line without a change of other roles", () => {
    const { actors: roles } = settings("", "actors.producers.clients=16");
    expect(roles.producers?.load.clients).toBe(16);
    expect(Object.keys(roles)).toEqual(["producers", "consumers", "archivers"]);
  });

  test("belong to the only group of the cycle topology", () => {
    const yaml =
      "topology: cycle\nactors: { cycle: { workers: 3, load: { executor: shared-iterations, iterations: 90, maxDuration: 1m } } }";
    expect(settings(yaml).actors).toEqual({
      cycle: {
        workers: 3,
        load: {
          executor: "shared-iterations",
          clients: 8,
          iterations: 90,
          maxDurationMs: 60_000,
          thinkTimeMs: { min: 100, max: 100 },
          rampUpMs: 0,
        },
      },
    });
  });
});

describe("overrides of a scenario", () => {
  const yaml = "name: x\nseed: 1\ntrials: 2\ntrial: { duration: 9s }";
  const at = (overrides: Overrides): Experiment => parseScenario(yaml, "x.yaml", overrides);

  test("take precedence: a flag over --set, and --set over the file", () => {
    expect(at({ set: ["trials=3"] }).trials).toHaveLength(3);
    expect(at({ set: ["trials=3"], trials: 4 }).trials).toHaveLength(4);
    expect(at({ set: ["trial.duration=1s"], duration: "2s" }).treatments[0]?.settings.trial.durationMs).toBe(
      2000,
    );
    expect(at({ seed: "77" }).seed).toBe(77);
    expect(at({ set: ["trials=3", "trials=5"] }).trials).toHaveLength(5);
  });

  test("set the number of agents to the number of hosts unless agents are a factor", () => {
    const agentsOf = (overrides: Overrides): number[] =>
      at(overrides).treatments.map(({ settings }) => settings.agents);
    expect(agentsOf({ set: ["agents=1"], agentHosts: 3 })).toEqual([3]);
    expect(agentsOf({ set: ["factors.agents=[1,3]"], agentHosts: 3 })).toEqual([1, 3]);
    expect(() => at({ agentHosts: 99 })).toThrow(/^1 problem in x.yaml\n  --agents: /);
  });

  test("reach records, lists, short forms and quoted keys", () => {
    const experiment = load(
      "batch: 20\npool: pg-pool\nfactors: { payload: [text, jsonb] }",
      "target.settings.shared_buffers=64MB",
      "target.settings.auto_explain.log_analyze=true",
      "batch.max=50",
      "pool.size=9",
      "thresholds.'add{payload:text}'=['p(99)<=500']",
      "thresholds.integrity=violations==0",
    );
    expect(experiment.treatments[0]?.settings).toMatchObject({
      target: { settings: { shared_buffers: "64MB", "auto_explain.log_analyze": "on" } },
      batch: { min: 20, max: 50 },
      pool: { strategy: "pg-pool", size: 9 },
    });
    expect(experiment.thresholds.map(({ metric, expression }) => [metric, expression])).toEqual([
      ["add{payload:text}", "p(99)<=500"],
      ["integrity", "violations==0"],
    ]);
  });

  test("change the levels of a factor, one level, or a key that the file sets", () => {
    const factors = "factors: { payload: [jsonb, text], pool: [direct, { strategy: pg-pool, size: 8 }] }";
    const ids = (...set: string[]): string[] => load(factors, ...set).treatments.map(({ id }) => id);
    expect(ids("factors.payload=[text]")).toEqual(["text-direct", "text-pg-pool-8"]);
    expect(ids("factors.payload=text", "factors.pool[1].size=4")).toEqual(["text-direct", "text-pg-pool-4"]);
    expect(load("locking: nowait", "factors.locking=[for-update, skip-locked]").treatments).toHaveLength(2);
  });

  test("treat dotted factor paths as one key", () => {
    const experiment = load("", "factors.target.settings.work_mem=[1MB, 4MB]");
    expect(experiment.treatments.map(({ id }) => id)).toEqual(["work_mem-1mb", "work_mem-4mb"]);
    expect(experiment.treatments[1]?.levels).toEqual({ "target.settings.work_mem": "4MB" });
    expect(experiment.treatments[1]?.settings.target).toMatchObject({ settings: { work_mem: "4MB" } });
  });
});

describe("the resolved text of a scenario", () => {
  test("loads to the same experiment, with overrides and factors", () => {
    const yaml = `factors:
  payload: [jsonb, text]
  pool: [direct, { strategy: pgbouncer, size: 8 }]
exclude: [{ payload: text, pool: { strategy: pgbouncer } }]
include: [{ payload: text-generated, clients: 9 }]
locking: nowait
target: { settings: { work_mem: 8MB } }
thresholds: { add: ['p(95)<10'] }`;
    const experiment = load(yaml, "factors.locking=[nowait, skip-locked]", "trial.warmUp=0", "preload=0x10");
    expect(parseScenario(experiment.yaml, "elsewhere/scenario.yaml")).toEqual(experiment);
  });

  test("has absolute certificate paths, relative to the file or to the working directory", () => {
    const target = "target: { url: 'postgresql://h/d', sslmode: verify-ca, ca: certs/ca.pem }";
    const experiment = parseScenario(`name: x\n${target}`, "/etc/sim/x.yaml", {
      set: ["target.cert=c.pem", "target.key=/k.pem"],
    });
    const expected = { ca: "/etc/sim/certs/ca.pem", cert: path.resolve("c.pem"), key: "/k.pem" };
    expect(experiment.treatments[0]?.settings.target).toMatchObject(expected);
    expect(parseScenario(experiment.yaml, "/tmp/y.yaml")).toEqual(experiment);
    expect(() => parseScenario(`name: x\n${target.replace("certs/ca.pem", "''")}`, "x.yaml")).toThrow(
      /target\.ca/,
    );
  });

  test("contains no password, and names PGPASSWORD", () => {
    const url = "postgresql://app:s3cret%40x@h:5432/d?sslmode=require&password=s3cret";
    const experiment = load(`target: "${url}"`);
    expect(experiment.treatments[0]?.settings.target).toMatchObject({ urls: [{ url }] });
    expect(experiment.yaml).not.toContain("s3cret");
    expect(experiment.yaml).toContain("postgresql://app@h:5432/d?sslmode=require");
    expect(experiment.yaml).toContain("PGPASSWORD");
    expect(parseScenario(experiment.yaml, "stored.yaml").yaml).toBe(experiment.yaml);
  });
});

test("a scenario is read from a file with a byte order mark", async () => {
  const directory = await mkdtemp(path.join(os.tmpdir(), "train-sim-loader-"));
  try {
    const file = path.join(directory, "x.yaml");
    await writeFile(file, "\uFEFFname: from-file # a comment\ntrials: 1\n");
    const experiment = await loadScenario(file, { set: ["payload=text"] });
    expect(experiment.name).toBe("from-file");
    expect(experiment.treatments[0]?.settings.payload).toBe("text");
  } finally {
    await rm(directory, { recursive: true });
  }
});
