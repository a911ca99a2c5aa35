import fc from "fast-check";
import { expect, test } from "vitest";
import { labelsOf } from "./treatment-labels.js";

/** Treatments as a plan names them. */
function crossFactors(factors: Readonly<Record<string, readonly string[]>>) {
  const combinations = Object.entries(factors).reduce<Record<string, string>[]>(
    (made, [name, levels]) => made.flatMap((each) => levels.map((level) => ({ ...each, [name]: level }))),
    [{}],
  );
  return combinations.map((levels) => ({
    id: Object.entries(levels)
      .map(([name, level]) => (/^\d/.test(level) ? `${name.split(".").at(-1) ?? ""}-${level}` : level))
      .join("-"),
    levels,
  }));
}

test("labels are the treatments' ids if these are short", () => {
  expect(labelsOf(crossFactors({ payload: ["jsonb", "jsonb-manual", "text"] }))).toEqual([
    "jsonb",
    "jsonb-manual",
    "text",
  ]);
  expect(labelsOf(crossFactors({ payload: ["jsonb", "text"], pool: ["direct", "pg-pool-6"] }))[3]).toBe(
    "text-pg-pool-6",
  );
  expect(labelsOf(crossFactors({ "producers.clients": ["8", "64"] }))).toEqual(["clients-8", "clients-64"]);
  expect(labelsOf([{ id: "base", levels: {} }])).toEqual(["base"]);
});

test("labels state scheme, host and port of a URL, unless only the rest of the URL differs", () => {
  const servers = ["mysql://train@127.0.0.1:3306/trains?ssl-mode=required", "postgresql://u@10.0.0.2:5432/x"];
  expect(labelsOf(crossFactors({ target: [...servers, "embedded"] }))).toEqual([
    "mysql 127.0.0.1:3306",
    "postgresql 10.0.0.2:5432",
    "embedded",
  ]);
  const databases = ["mysql://train@127.0.0.1:3306/one", "mysql://train@127.0.0.1:3306/two"];
  expect(labelsOf(crossFactors({ target: databases }), 40)).toEqual(databases);
});

test("labels omit levels that all treatments share", () => {
  const treatments = crossFactors({
    payload: ["jsonb"],
    pool: ["direct", "pg-pool-16"],
    clients: ["8", "512"],
  });
  expect(treatments[1]?.id).toBe("jsonb-direct-clients-512");
  expect(labelsOf(treatments)).toEqual(["direct 8", "direct 512", "pg-pool-16 8", "pg-pool-16 512"]);
});

test("labels name the factors of two numeric levels", () => {
  expect(
    labelsOf(crossFactors({ payload: ["jsonb"], clients: ["8", "64"], "pool.size": ["2", "4"] }))[1],
  ).toBe("clients 8 size 4");
});

test("labels omit words that do not distinguish levels if space is short", () => {
  const treatments = crossFactors({
    payload: ["jsonb", "jsonb-manual"],
    pool: ["direct", "pg-pool-16", "pgbouncer-transaction-16", "pgbouncer-session-16"],
    clients: ["64", "512"],
  });
  expect(labelsOf(treatments, 40).slice(-4)).toEqual([
    "jsonb-manual pgbouncer-transaction 64",
    "jsonb-manual pgbouncer-transaction 512",
    "jsonb-manual pgbouncer-session 64",
    "jsonb-manual pgbouncer-session 512",
  ]);
  expect(labelsOf(treatments, 40)[2]).toBe("jsonb pg-pool 64");
  expect(labelsOf(treatments)[13]).toBe("#14 jsonb-manu…ction 512");
});

test("labels are distinct and within their width", () => {
  const word = fc.constantFrom("jsonb", "pg", "pool", "16", "64", "transaction", "session", "a");
  const level = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join("-"));
  const factor = fc.uniqueArray(level, { minLength: 1, maxLength: 4 });
  const factors = fc.dictionary(fc.constantFrom("payload", "pool", "clients"), factor, { minKeys: 1 });
  fc.assert(
    fc.property(factors, fc.integer({ min: 16, max: 60 }), (each, widthMax) => {
      const treatments = crossFactors(each).map((treatment, i) => ({
        ...treatment,
        id: `${i}-${treatment.id}`,
      }));
      const labels = labelsOf(treatments, widthMax);
      expect(new Set(labels).size).toBe(treatments.length);
      expect(Math.max(...labels.map(({ length }) => length))).toBeLessThanOrEqual(widthMax);
    }),
  );
});
