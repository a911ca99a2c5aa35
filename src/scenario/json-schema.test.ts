// The JSON Schema that editors use: complete, described, strict and equal to the checked-in copy. The loader must
// accept every key that it offers.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { scenarioJsonSchema, type SchemaNode } from "./json-schema.js";
import { pathsOf } from "./schema-paths.js";
import { Scenario } from "./schema.js";

const schema = scenarioJsonSchema();
const factorPath = (path: string) => pathsOf({}).factorPath(path);

/** Every schema node, with its path of keys. */
function walk(node: SchemaNode, path: string): [string, SchemaNode][] {
  const properties = Object.entries(node.properties ?? {});
  return [
    [path, node],
    ...properties.flatMap(([key, property]) => walk(property, `${path}/${key}`)),
    ...(node.anyOf ?? []).flatMap((branch) => walk(branch, path)),
    ...(node.items ? walk(node.items, `${path}/*`) : []),
  ];
}

function follow(pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], schema);
}

test("schema/scenario.schema.json equals the schema of the code", () => {
  const file = new URL("../../schema/scenario.schema.json", import.meta.url);
  const hint = "regenerate it: train-sim json-schema > schema/scenario.schema.json; npx oxfmt schema";
  expect(JSON.parse(readFileSync(file, "utf8")), hint).toEqual(JSON.parse(JSON.stringify(schema)));
});

test("every key of the schema has a description", () => {
  const bare = walk(schema, "").flatMap(([path, node]) =>
    Object.entries(node.properties ?? {})
      .filter(([, property]) => (property.description ?? "").length < 8)
      .map(([key]) => `${path}/${key}`),
  );
  expect(bare).toEqual([]);
});

test("only mappings with user-defined keys allow unknown keys in the schema", () => {
  const open = walk(schema, "").filter(
    ([, node]) => node.type === "object" && node.additionalProperties !== false,
  );
  const byWorkload = ["", "/factors"];
  expect(new Set(open.map(([path]) => path))).toEqual(
    new Set([
      "/agents/place",
      "/commands",
      "/pool/settings",
      "/published/*/values",
      "/published/*/ratios",
      "/target/settings",
      "/thresholds",
      "/workload/declares/settings",
      "/workload/define",
      ...byWorkload,
    ]),
  );
});

test("the schema allows any key and factor only with a user's workload", () => {
  const { if: own, else: others } = schema;
  const takesWorkload = (value: unknown): boolean => takes(own?.properties?.workload, value);
  expect(takesWorkload("./bank.sql")).toBe(true);
  expect(takesWorkload("accounts")).toBe(false);
  expect(own?.required).toEqual(["workload"]);
  expect(others?.propertyNames?.enum).toEqual(Object.keys(schema.properties ?? {}));
  expect(others?.properties?.factors).toEqual({ $ref: "#/definitions/paths" });
  const paths = schema.definitions?.paths?.propertyNames?.anyOf ?? [];
  expect(paths.some((one) => takes(one, "pool.size"))).toBe(true);
  expect(paths.some((one) => one.pattern && takes({ type: "string", ...one }, "faults[0].for"))).toBe(true);
  expect(paths.some((one) => takes(one.enum ? one : { type: "string", ...one }, "poool"))).toBe(false);
});

test("the schema allows some of a mapping's keys in an exclusion, but not in an inclusion", () => {
  const poolIn = (definition: string): unknown => follow(`#/definitions/${definition}/properties/pool`);
  expect(poolIn("combination")).toMatchObject({ $ref: "#/properties/pool" });
  expect(poolIn("exclusion")).toMatchObject({ anyOf: [{ $ref: "#/properties/pool" }, { type: "object" }] });
  expect(follow("#/definitions/exclusion/properties/locking")).toMatchObject({
    $ref: "#/properties/locking",
  });
  expect(schema.properties?.exclude?.items).toEqual({ $ref: "#/definitions/exclusion" });
});

describe("factors in the schema", () => {
  const factors = schema.properties?.factors?.properties ?? {};

  test("are all paths that can vary", () => {
    const paths = Object.keys(factors);
    expect(paths).toEqual(expect.arrayContaining(["payload", "pool", "pool.size", "batch.max", "clients"]));
    expect(paths).toContain("actors.producers.load.thinkTime.min");
    for (const path of paths) expect(factorPath(path)).toHaveProperty("path");
    expect(paths).not.toContain("trials");
  });

  const patterns = schema.properties?.factors?.patternProperties ?? {};

  test("match one pattern each if they lead into a list", () => {
    const matchingSchemas = (path: string): SchemaNode[] =>
      Object.entries(patterns).flatMap(([pattern, node]) => (new RegExp(pattern).test(path) ? [node] : []));
    const paths = [
      "faults[0].for",
      "faults[12]",
      "actors.producers.load.stages[0].target",
      "actors.cycle.load.profile.hours[1].mix.small",
      "target.urls[0].weight",
    ];
    for (const path of paths) {
      expect(factorPath(path), path).toHaveProperty("path");
      expect(matchingSchemas(path), path).toHaveLength(1);
    }
    for (const path of ["faults[0].fro", "faults.for", "faults[0].for.x", "thresholds.add[0]"])
      expect(matchingSchemas(path), path).toEqual([]);
    expect(takes(matchingSchemas("faults[0].for")[0]?.anyOf?.[0], 5)).toBe(false);
  });

  test("refer to the schema of their values", () => {
    const lists = Object.entries(patterns).filter(([pattern]) => pattern.includes("["));
    for (const [path, { anyOf, description }] of [...Object.entries(factors), ...lists]) {
      const target = follow(anyOf?.[0]?.$ref ?? "");
      expect(target, path).toBeTypeOf("object");
      expect((target as SchemaNode | undefined)?.description, path).toBe(description);
    }
  });
});

/** True if a scalar satisfies the schema's keywords for scalars. */
function takes(node: SchemaNode | undefined, value: unknown): boolean {
  if (!node) return false;
  if (node.anyOf) return node.anyOf.some((branch) => takes(branch, value));
  if (node.enum) return node.enum.includes(value);
  if ("const" in node) return node.const === value;
  return node.type === typeof value && new RegExp(node.pattern ?? "").test(String(value));
}

function nodeAt(path: string): SchemaNode | undefined {
  return follow(
    `#/properties/${path.replaceAll("/", "/properties/").replaceAll("/properties/*", "/items")}`,
  ) as SchemaNode | undefined;
}

describe("durations in the schema", () => {
  test.each(["trial/duration", "retry/deadline", "faults/*/for", "evidence/every"])(
    "must be above 0 for %s",
    (path) => {
      for (const nothing of [0, "0", "0s", "0.0ms"]) expect(takes(nodeAt(path), nothing)).toBe(false);
      for (const some of ["1s", "0.5s", "1m30s", "1h0s"]) expect(takes(nodeAt(path), some)).toBe(true);
    },
  );

  test("may be 0 where the loader accepts 0", () => {
    for (const path of ["trial/warmUp", "retry/base", "trial/drain"])
      for (const nothing of [0, "0", "0s"]) expect(takes(nodeAt(path), nothing)).toBe(true);
  });
});

test("the schema and the loader accept the same spellings of an isolation level", () => {
  const spellings = [
    "READ COMMITTED",
    "read-committed",
    "Repeatable_Read",
    "repeatable read",
    "Serializable",
  ];
  for (const isolation of spellings) {
    expect(Scenario.safeParse({ name: "x", isolation }).success).toBe(true);
    expect(takes(nodeAt("isolation"), isolation), isolation).toBe(true);
  }
  for (const isolation of ["readcommitted", "read committed!", "snapshot"])
    expect(takes(nodeAt("isolation"), isolation), isolation).toBe(false);
});

test("the keys of the schema are the keys of the zod schema", () => {
  expect(Object.keys(schema.properties ?? {})).toEqual(Object.keys(Scenario.shape));
});
