// The JSON Schema that editors use: complete, described, strict, and the same as the checked-in copy. Every key it
// offers must be one that the loader takes.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { scenarioJsonSchema, type SchemaNode } from "./json-schema.js";
import { factorPath } from "./schema-paths.js";
import { Scenario } from "./schema.js";

const schema = scenarioJsonSchema();

/** Every node with the path of keys to it. */
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

test("the checked-in copy is what the code says", () => {
  const file = new URL("../../schema/scenario.schema.json", import.meta.url);
  const hint = "write it anew: train-sim json-schema > schema/scenario.schema.json; prettier --write schema";
  expect(JSON.parse(readFileSync(file, "utf8")), hint).toEqual(JSON.parse(JSON.stringify(schema)));
});

test("every key has a description of some words", () => {
  const bare = walk(schema, "").flatMap(([path, node]) =>
    Object.entries(node.properties ?? {})
      .filter(([, property]) => (property.description ?? "").length < 8)
      .map(([key]) => `${path}/${key}`),
  );
  expect(bare).toEqual([]);
});

test("no mapping takes unknown keys, but those whose keys are free", () => {
  const open = walk(schema, "").filter(
    ([, node]) => node.type === "object" && node.additionalProperties !== false,
  );
  expect(new Set(open.map(([path]) => path))).toEqual(new Set(["/target/settings", "/thresholds"]));
});

describe("factors", () => {
  const factors = schema.properties?.factors?.properties ?? {};

  test("offers every path that can vary, and only those", () => {
    const paths = Object.keys(factors);
    expect(paths).toEqual(expect.arrayContaining(["payload", "pool", "pool.size", "batch.max", "clients"]));
    expect(paths).toContain("actors.producers.load.thinkTime.min");
    for (const path of paths) expect(factorPath(path)).toHaveProperty("path");
    expect(paths).not.toContain("trials");
  });

  test("points each of them at the schema of its values", () => {
    for (const [path, { anyOf }] of Object.entries(factors)) {
      const target = follow(anyOf?.[0]?.$ref ?? "");
      expect(target, path).toBeTypeOf("object");
      expect(target, path).toHaveProperty("description");
    }
  });
});

test("the keys are those of the zod schema", () => {
  expect(Object.keys(schema.properties ?? {})).toEqual(Object.keys(Scenario.shape));
});
