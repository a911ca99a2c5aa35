// docs/reference/results.md, evidence.md and metrics.md name every field of the schema, so that a new or renamed field is
// described.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { OPERATIONS, LIFE_STAGES } from "../workloads/registry.js";
import { METRICS, type Metric } from "../metrics/catalogue.js";
import { LATENCIES } from "../metrics/metric-lists.js";
import { resultJsonSchema } from "./result-schema.js";
import { TIMESERIES_COLUMNS } from "./trial-files.js";

/** Every word that a page of the reference shows as `code`. */
function namedOn(name: string): string[] {
  const page = readFileSync(new URL(`../../docs/reference/${name}.md`, import.meta.url), "utf8");
  return [...page.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = ""]) => code.split(/[^\w]+/));
}

const NAMED = new Set(["results", "evidence", "metrics"].flatMap(namedOn));

/** Names of all fields below a node of a JSON Schema. */
function fieldsOf(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(fieldsOf);
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([keyword, value]: [string, unknown]) =>
    keyword === "properties" && typeof value === "object" && value !== null
      ? [...Object.keys(value), ...Object.values(value).flatMap(fieldsOf)]
      : fieldsOf(value),
  );
}

const missing = (names: readonly string[]): string[] =>
  [...new Set(names)].filter((name) => !NAMED.has(name));

test("every field of the result document is described in the reference", () => {
  const fields = fieldsOf(resultJsonSchema());
  expect(fields).toContain("poolWaitMs");
  expect(missing(fields), "add them to docs/reference/results.md, evidence.md or metrics.md").toEqual([]);
});

test("every column of the time series and every histogram is described in the reference", () => {
  expect(missing(TIMESERIES_COLUMNS)).toEqual([]);
  expect(
    missing([...OPERATIONS, ...LATENCIES.map(({ id }) => id), ...LIFE_STAGES.map(({ stage }) => stage)]),
  ).toEqual([]);
});

test("docs/reference/metrics.md lists every metric with its names in results, thresholds and Prometheus", () => {
  const named = new Set(namedOn("metrics"));
  const names = METRICS.flatMap(({ field, threshold, prometheus }: Metric) => [field, threshold, prometheus]);
  expect(names.filter((name) => name !== undefined && !named.has(name))).toEqual([]);
});

test("a field without a description is found", () => {
  expect(missing(fieldsOf({ anyOf: [{ properties: { undescribedMs: { type: "number" } } }] }))).toEqual([
    "undescribedMs",
  ]);
});
