// Expansion of factors: number and uniqueness of treatments, `include` and `exclude`, and names of levels.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkTreatments, expandScenario } from "./expansion.js";
import { parseScenario } from "../loader.js";
import { type Experiment, type Treatment } from "../settings.js";
import { LOCKINGS, PAYLOADS } from "../../workloads/train-events/settings.js";

function load(yaml: string): Experiment {
  return parseScenario(`name: x\nseed: 1\n${yaml}`, "x.yaml");
}

function ids(yaml: string): string[] {
  return load(yaml).treatments.map(({ id }) => id);
}

describe("treatments of factors", () => {
  test("are all combinations of levels, in which the first factor varies slowest", () => {
    const yaml =
      "factors: { payload: [jsonb, text], pool: [direct, { strategy: pgbouncer, mode: transaction, size: 16 }] }";
    expect(ids(yaml)).toEqual([
      "jsonb-direct",
      "jsonb-pgbouncer-transaction-16",
      "text-direct",
      "text-pgbouncer-transaction-16",
    ]);
    const last = load(yaml).treatments[3];
    expect(last?.levels).toEqual({ payload: "text", pool: "pgbouncer-transaction-16" });
    expect(last?.settings).toMatchObject({ payload: "text", pool: { mode: "transaction", size: 16 } });
  });

  test("have ids that name numeric levels, and accept a single level without a list", () => {
    expect(ids("factors: { payload: text, clients: [4, 16], prepared: [true], appDelay: [0, 5ms] }")).toEqual(
      [
        "text-clients-4-prepared-true-appdelay-0",
        "text-clients-4-prepared-true-appdelay-5ms",
        "text-clients-16-prepared-true-appdelay-0",
        "text-clients-16-prepared-true-appdelay-5ms",
      ],
    );
  });

  test("are an A/A pair if a level is repeated", () => {
    const { treatments } = load("factors: { payload: [text, jsonb, text] }");
    expect(treatments.map(({ id }) => id)).toEqual(["text-a", "jsonb", "text-b"]);
    expect(treatments[2]?.levels).toEqual({ payload: "text-b" });
    expect(treatments[2]?.settings).toEqual(treatments[0]?.settings);
  });

  test("have distinct ids for equal values under different keys", () => {
    const yaml =
      "factors: { pool: [{ strategy: pgbouncer, size: 8 }, { strategy: pgbouncer, instances: 8 }] }";
    expect(ids(yaml)).toEqual(["strategy-pgbouncer-size-8", "strategy-pgbouncer-instances-8"]);
  });

  test("have the name of a level as id, or all its values if names repeat", () => {
    const fault = (at: string, name: string, run: string): string =>
      `{ at: ${at}, kind: command, name: ${name}, run: ${run} }`;
    const factors = (...levels: string[]): string =>
      `target: { url: 'postgresql://u@h/d' }\nfactors: { faults: [${levels.map((level) => `[${level}]`).join()}] }`;
    expect(ids(factors(fault("1s", "cut", "a"), fault("1s", "crash", "a")))).toEqual(["cut", "crash"]);
    expect(ids(factors(fault("1s", "cut", "a"), fault("1s", "cut", "b")))).toEqual([
      "at-1s-kind-command-name-cut-run-a",
      "at-1s-kind-command-name-cut-run-b",
    ]);
  });

  test("have short ids with a stable hash if names are long", () => {
    const settings = "{ shared_buffers: 128MB, work_mem: 4MB, max_wal_size: 1GB, checkpoint_timeout: 30min }";
    const yaml = `factors: { target.settings: [${settings}], payload: [jsonb-manual, text-generated] }`;
    const names = ids(yaml);
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^[a-z0-9._-]{20,60}$/);
    expect(ids(yaml)).toEqual(names);
  });

  test("may vary a key of another factor, also if that is in short form", () => {
    const { treatments } = load("factors: { pool.size: [8, 9], pool: [pg-pool] }");
    expect(treatments.map(({ settings }) => settings.pool)).toEqual([
      { strategy: "pg-pool", size: 8 },
      { strategy: "pg-pool", size: 9 },
    ]);
  });

  test("have no password in ids and levels", () => {
    const { treatments } = load(
      "factors: { target.url: ['postgresql://u:s3cret@a/d', 'postgresql://u:s3cret@b/d'] }",
    );
    expect(JSON.stringify(treatments.map(({ id, levels }) => [id, levels]))).not.toContain("s3cret");
    expect(new Set(treatments.map(({ id }) => id)).size).toBe(2);
  });
});

describe("exclude in a scenario", () => {
  test("removes combinations that match all keys of an entry", () => {
    const yaml = `factors:
  payload: [jsonb, text]
  pool: [direct, { strategy: pgbouncer, size: 16 }, { strategy: pgbouncer, size: 32 }]
exclude: [{ payload: text, pool: { strategy: pgbouncer } }]`;
    expect(ids(yaml)).toEqual(["jsonb-direct", "jsonb-pgbouncer-16", "jsonb-pgbouncer-32", "text-direct"]);
  });

  test("treats the short and long form of a pool as equal", () => {
    const factors = "factors: { payload: [jsonb, text], pool: [direct, { strategy: pg-pool }] }";
    expect(ids(`${factors}\nexclude: [{ pool: { strategy: direct } }]`)).toEqual([
      "jsonb-pg-pool",
      "text-pg-pool",
    ]);
    expect(ids(`${factors}\nexclude: [{ pool: pg-pool }]`)).toEqual(["jsonb-direct", "text-direct"]);
  });
});

describe("include in a scenario", () => {
  const factors = "clients: 9\nfactors: { payload: [jsonb, text] }";
  const levelsOf = (yaml: string): unknown[] => load(yaml).treatments.map(({ levels }) => levels);

  test("adds a combination that matches none, completed from the scenario", () => {
    expect(levelsOf(`${factors}\ninclude: [{ payload: text-generated, clients: 4 }]`)).toEqual([
      { payload: "jsonb", clients: "9" },
      { payload: "text", clients: "9" },
      { payload: "text-generated", clients: "4" },
    ]);
  });

  test("extends all combinations that it matches", () => {
    const yaml = `${factors}\ninclude: [{ payload: text, locking: nowait }, { ids: uuidv4 }]`;
    expect(levelsOf(yaml)).toEqual([
      { payload: "jsonb", ids: "uuidv4", locking: "default" },
      { payload: "text", ids: "uuidv4", locking: "nowait" },
    ]);
    expect(load(yaml).treatments[1]?.settings).toMatchObject({ locking: "nowait", ids: "uuidv4" });
  });

  test("may overwrite an earlier entry for some combinations", () => {
    const yaml = `${factors}\ninclude: [{ locking: nowait }, { payload: text, locking: for-update }]`;
    expect(load(yaml).treatments.map(({ settings }) => settings)).toMatchObject([
      { payload: "jsonb", locking: "nowait" },
      { payload: "text", locking: "for-update" },
    ]);
  });

  test("lists all treatments if there are no factors", () => {
    expect(ids("include: [{ payload: text, locking: nowait }, { payload: jsonb }]")).toEqual([
      "text-nowait",
      "jsonb",
    ]);
  });
});

describe("names of levels", () => {
  const levelsOf = (yaml: string): string[] =>
    load(yaml).treatments.map(({ levels }) => Object.values(levels).join(" "));

  test("distinguish a level from an included value of the same key", () => {
    expect(levelsOf("factors: { batch: [10, 20] }\ninclude: [{ batch: { min: 10 } }]")).toEqual([
      "10",
      "20",
      "min=10",
    ]);
    const pools = ["size", "maxPreparedStatements"].map(
      (key) => `{ pool: { strategy: pgbouncer, ${key}: 16 } }`,
    );
    expect(levelsOf(`include: [${pools.join(", ")}]`)).toEqual([
      "strategy=pgbouncer-size=16",
      "strategy=pgbouncer-maxPreparedStatements=16",
    ]);
  });

  test("distinguish an included value from the scenario's value", () => {
    const yaml =
      "batch: { min: 10 }\nfactors: { payload: [text, jsonb] }\ninclude: [{ payload: text, batch: 10 }]";
    expect(levelsOf(yaml)).toEqual(["text 10", "jsonb min=10"]);
  });

  test("are equal for equal values of a level and an inclusion", () => {
    const factors = "factors: { payload: [text, jsonb], locking: [nowait] }\nexclude: [{ payload: text }]";
    expect(levelsOf(`${factors}\ninclude: [{ payload: text, locking: nowait, ids: uuidv4 }]`)).toEqual([
      "jsonb nowait default",
      "text nowait uuidv4",
    ]);
  });

  test("differ for values that differ in a password or in an A/A pair's suffix", () => {
    expect(levelsOf("factors: { target.settings.x: [a, a, a-a] }")).toEqual(["a-a-2", "a-b", "a-a"]);
    const urls = ["one", "two"].map((password) => `postgresql://u:${password}@a/d`);
    expect(levelsOf(`factors: { target.url: ${JSON.stringify(urls)} }`)).toEqual([
      "postgresql://u@a/d",
      "postgresql://u@a/d-2",
    ]);
  });
});

const raw = fc
  .record({
    payload: fc.subarray([...PAYLOADS], { minLength: 1 }),
    locking: fc.subarray([...LOCKINGS], { minLength: 1 }),
    batch: fc.uniqueArray(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 3 }),
    repeats: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ payload, locking, batch, repeats }) => ({
    size: payload.length * locking.length * batch.length * repeats,
    scenario: {
      name: "x",
      factors: { payload, locking, batch, ids: Array<string>(repeats).fill("uuidv4") },
    },
  }));

test("the number of treatments is the product of levels, with unique ids and levels", () => {
  fc.assert(
    fc.property(raw, ({ size, scenario }) => {
      const expansion = expandScenario(scenario);
      const { treatments, findings } = checkTreatments(expansion);
      expect([...expansion.findings, ...findings]).toEqual([]);
      expect(treatments).toHaveLength(size);
      const unique = (key: (treatment: Treatment) => string): number => new Set(treatments.map(key)).size;
      expect(unique(({ id }) => id)).toBe(size);
      expect(unique(({ levels }) => JSON.stringify(levels))).toBe(size);
      for (const { id } of treatments) expect(id).toMatch(/^[a-z0-9][a-z0-9._-]{0,59}$/);
    }),
    { numRuns: 30 },
  );
});
