import { describe, expect, test } from "vitest";
import type { DialectName } from "../../database/registry.js";
import type { Storage } from "../../database/levels.js";
import { ddl } from "../../../test/support/namespace.js";
import { brokenThreshold } from "../../analysis/thresholds/thresholds.js";
import { HistogramSet } from "../../metrics/histograms.js";
import { operationsOf } from "../../results/operation-results.js";
import { parseScenario } from "../../scenario/loader.js";
import type { ScenarioError } from "../../syntax/problems.js";
import { batchesOfTransaction, COLUMNS, KEY_COLUMNS, placeOf, checksumBatch, RowContents } from "./batch.js";
import type { Treatment } from "./settings.js";
import { arrayBatch, copyBatch, postgres } from "./stores/postgres.js";
import {
  batchSumsQuery,
  clusterStatement,
  differencesQuery,
  referenceTablesOf,
  SIZE_QUERY,
  statementsOf,
} from "./stores/statements.js";

function settingsOf(yaml = ""): Treatment {
  const [treatment] = parseScenario(`name: x\nseed: 1\nworkload: calls\n${yaml}`, "x.yaml").treatments;
  return treatment?.settings as unknown as Treatment;
}

function problemsOf(yaml: string): string[] {
  try {
    settingsOf(yaml);
    return [];
  } catch (error) {
    return (error as ScenarioError).problems.map(({ message }) => message);
  }
}

/** Rows in the format of COPY. */
function rowsOf(settings: Treatment, place: { number: number; day: number }): string[][] {
  const { messages } = copyBatch(settings, 1, place).copy;
  const lines = Buffer.concat(messages.slice(0, -1).map((message) => message.subarray(5))).toString();
  return lines
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t"));
}

const STORAGES: readonly (readonly [DialectName, readonly Storage[]])[] = [
  ["postgres", ["unlogged", "partitioned"]],
  ["cloudberry", ["unlogged", "partitioned", "ao-row", "ao-column", "pax", "pax-no-cluster"]],
];

test.each(STORAGES)(
  "tables, statements and audit queries of %s equal the golden file",
  async (dialect, storages) => {
    const ddlOf = (storage: Storage, indexes: Treatment["indexes"]): string[] =>
      ddl({ workload: "calls", namespace: "train_sim", storage, indexes }, dialect);
    const isOwn = (text: string): boolean => / TABLE "train_sim"\.cdr/.test(text);
    const others = storages.flatMap((storage) => [
      `-- storage: ${storage}`,
      ...ddlOf(storage, "none").filter(isOwn),
    ]);
    const brin = ddlOf("default", "brin").filter((text) => text.includes("USING brin"));
    const named = { dialect, namespace: "train_sim" };
    const sent = Object.values(statementsOf(named)).map(({ name, text }) => `-- ${name}\n${text}`);
    const asked = [batchSumsQuery(named), ...referenceTablesOf(named).map(differencesQuery), SIZE_QUERY];
    const clustered = storages.flatMap((storage) => clusterStatement({ ...named, storage }) ?? []);
    const audits = asked.map((text) => `-- audit\n${text}`);
    const all = [...ddlOf("default", "five"), ...brin, ...others, ...clustered, ...sent, ...audits];
    const listing = all.map((text) => `${text}${text.startsWith("-- storage") ? "" : ";"}\n`).join("\n");
    await expect(listing).toMatchFileSnapshot(`golden/${dialect}.sql`);
  },
);

describe("a batch of calls", () => {
  const settings = settingsOf("sizes: { small: 10, medium: 2000, large: 5000 }");
  const rush = placeOf(150, settings);
  const tiny = settingsOf("sizes: { small: 1, medium: 2, large: 3 }");

  test("is the same at each draw, and differs with its number and with the seed", () => {
    expect(rowsOf(settings, rush)).toEqual(rowsOf(settings, rush));
    expect(checksumBatch(settings, 1, rush)).toEqual(checksumBatch(settings, 1, rush));
    expect(checksumBatch(settings, 1, { ...rush, number: 151 }).sum).not.toBe(
      checksumBatch(settings, 1, rush).sum,
    );
    expect(checksumBatch(settings, 2, rush).sum).not.toBe(checksumBatch(settings, 1, rush).sum);
  });

  test("has the size of its hour, and its calls are within its part of the hour", () => {
    const sizes = Array.from(
      { length: 500 },
      (_, number) => checksumBatch(tiny, 1, placeOf(number, tiny)).rows,
    );
    const sizesBetween = (from: number, to: number) =>
      new Set(sizes.filter((_, n) => n >= (from / 24) * 500 && n < (to / 24) * 500));
    expect(sizesBetween(0, 7)).toEqual(new Set([1]));
    expect(sizesBetween(7, 9)).toEqual(new Set([2, 3]));
    expect(sizesBetween(9, 17)).toEqual(new Set([1, 2]));
    expect(sizesBetween(17, 19)).toEqual(new Set([2, 3]));
    expect(sizesBetween(19, 23)).toEqual(new Set([1, 2]));
    expect(sizesBetween(23, 24)).toEqual(new Set([1]));
    for (const [, time = "", date, hour] of rowsOf(settings, rush)) {
      expect(time >= "2025-01-01 07:12:00" && time < "2025-01-01 07:15:00").toBe(true);
      expect([date, hour]).toEqual(["2025-01-01", "7"]);
    }
  });

  test("has the same rows for COPY and for INSERT", () => {
    const rows = rowsOf(settings, rush);
    const { arrays } = arrayBatch(settings, 1, rush);
    const columns = arrays.map((text) =>
      text
        .slice(1, -1)
        .split(",")
        .map((value) => (value === "NULL" ? "\\N" : value)),
    );
    expect(columns).toHaveLength(COLUMNS.length);
    expect(rows).toEqual(rows.map((_, row) => columns.map((column) => column[row])));
  });

  test("has over 1 000 distinct values in columns with bloom filters, and no byte count in 85 % of its rows", () => {
    const rows = rowsOf(settings, rush);
    for (const name of KEY_COLUMNS) {
      const column = COLUMNS.findIndex(([each]) => each === name);
      expect(new Set(rows.map((row) => row[column])).size, name).toBeGreaterThan(1000);
    }
    const bytes = COLUMNS.findIndex(([name]) => name === "bytes_transferred");
    const without = rows.filter((row) => row[bytes] === "\\N").length / rows.length;
    expect(without).toBeGreaterThan(0.8);
    expect(without).toBeLessThan(0.9);
  });
});

test("RowContents counts bytes in COPY's format, and the distinct values of the key column with the fewest", () => {
  const settings = settingsOf("sizes: { small: 10, medium: 2000, large: 5000 }");
  const contents = new RowContents();
  const [one, other] = [placeOf(0, settings), placeOf(150, settings)];
  for (const place of [one, other]) checksumBatch(settings, 1, place, contents);
  const rows = [one, other].flatMap((place) => rowsOf(settings, place));
  expect(contents.rawBytes).toBe(rows.reduce((sum, row) => sum + row.join("\t").length + 1, 0));
  const counts = KEY_COLUMNS.map((name) => {
    const column = COLUMNS.findIndex(([each]) => each === name);
    return new Set(rows.map((row) => row[column])).size;
  });
  expect(contents.keyCardinality).toBe(Math.min(...counts));
  expect(contents.keyCardinality).toBeGreaterThan(1000);
});

test("a threshold on keyCardinality stops a run whose keys have too few distinct values", () => {
  const scenario = parseScenario(
    "name: x\nseed: 1\nworkload: calls\nthresholds: { audit: [{ threshold: keyCardinality>1000, abortOnFail: true }] }",
    "x.yaml",
  );
  const broken = (keyCardinality: number) =>
    brokenThreshold(
      scenario.thresholds,
      {
        operations: {},
        histograms: new HistogramSet(),
        audits: [{ verdict: "ok", keyCardinality } as never],
        invalid: undefined,
      },
      0,
    );
  expect(broken(1000)).toMatchObject({ seen: 1000 });
  expect(broken(1001)).toBeUndefined();
});

test("the query byPlan is printed and measured only with `dimensions: all`", () => {
  const names = (yaml: string) => {
    const settings = settingsOf(yaml);
    return {
      printed: postgres.statements(settings).map(({ name }) => name),
      measured: operationsOf(settings as never),
    };
  };
  expect(names("").measured).toEqual(["load", "lastHour", "byCaller", "byTower", "topTowers"]);
  expect(names("").printed).not.toContain("probe.plans-and-reasons");
  expect(names("dimensions: all").measured).toContain("byPlan");
  expect(names("dimensions: all").printed).toContain("probe.plans-and-reasons");
});

test("`commit: once` joins all batches of a day into one transaction", () => {
  const settings = settingsOf("commit: once\nbatchesPerDay: 4");
  expect(
    batchesOfTransaction(settings, placeOf(4, settings)).map(({ number, day }) => [number, day]),
  ).toEqual([
    [4, 1.125],
    [5, 1.375],
    [6, 1.625],
    [7, 1.875],
  ]);
  expect(batchesOfTransaction(settingsOf(), { number: 4, day: 7 })).toEqual([{ number: 4, day: 7 }]);
});

test.each([
  [
    "storage: hash-sharded\ndialect: cockroachdb\ntarget: { kind: url, urls: ['postgresql://u@h/d'] }",
    "not cockroachdb",
  ],
  ["storage: ao-row", "use storage: default"],
  ["actors: { loaders: false, probes: false }", "every role is left out"],
  [
    "commit: once\nactors: { loaders: { load: { executor: daily-arrival-rate, rate: 1, maxClients: 1 } } }",
    "an arrival of daily-arrival-rate is one batch",
  ],
  [
    "indexes: brin\nstorage: pax\ndialect: cloudberry\ntarget: { kind: url, urls: ['postgresql://u@h/d'] }",
    "PAX has B-trees only",
  ],
  ["analyze: false", "the warm-up ends with an ANALYZE; use trial.warmUp: 0"],
  ["analyze: false\ntrial: { warmUp: 0, coldCache: true }", "trial.coldCache begins with an ANALYZE"],
  ["pool: { strategy: pgbouncer, mode: statement, size: 2 }", "mode: transaction"],
  ["payload: text", "belongs to workload train-events"],
])("workload calls refuses the settings %j", (yaml, words) => {
  expect(problemsOf(yaml).join("; ")).toContain(words);
});

test("other workloads refuse storage levels that only workload calls has", () => {
  for (const workload of ["train-events", "accounts"])
    expect(() => parseScenario(`name: x\nworkload: ${workload}\nstorage: partitioned`, "x.yaml")).toThrow(
      new RegExp(`workload ${workload} has (no )?tables of storage`),
    );
});
