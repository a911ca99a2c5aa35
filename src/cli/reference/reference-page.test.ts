// The reference of scenario keys: the checked-in page is generated from the code, every key has an example that loads, and
// the defaults that it states are in the schema.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseScenario } from "../../scenario/loader.js";
import { SCENARIO_EXAMPLES } from "./reference-examples.js";
import { REFUSED_EXAMPLES } from "./reference-refused.js";
import { exampleOf, scenarioExamplesPage, scenarioReferencePage } from "./reference-page.js";
import { keySections } from "./reference-rows.js";
import { scenarioJsonSchema, type SchemaNode } from "../../scenario/json-schema.js";

const rows = keySections().flatMap((section) => section.rows);

test.each([
  ["docs/reference/scenario.md", "", scenarioReferencePage],
  ["scenarios/examples.md", " examples", scenarioExamplesPage],
])("the checked-in page %s equals the generated one", (name, which, page) => {
  const file = new URL(`../../../${name}`, import.meta.url);
  const hint = `write it again: node dist/cli/main.js json-schema --markdown${which} > ${name}`;
  expect(readFileSync(file, "utf8"), hint).toBe(page());
});

test("the page describes a key once, workload keys on their own page, and no condition that a table states", () => {
  const page = scenarioReferencePage();
  expect(page.match(/Clients of every role/g)).toHaveLength(1);
  expect(page).not.toContain("Executors constant-clients");
  expect(page).not.toContain("workload.hash");
  expect(page).toContain("- **`payload`** (train-events; `jsonb`");
});

test("every top-level key has at least one row", () => {
  const covered = new Set(rows.map(({ path }) => path.split(".")[0]));
  expect(Object.keys(scenarioJsonSchema().properties ?? {}).filter((key) => !covered.has(key))).toEqual([]);
});

test("every key has a meaning, values and an example", () => {
  const bare = rows.filter(({ meaning, takes }) => meaning === "" || takes === "");
  expect(bare).toEqual([]);
  // Keys that train-sim puts in place of a module's path.
  const isMade = (path: string): boolean => /^workload\.(module|hash|declares)\b/.test(path);
  const without = rows
    .map(({ path }) => path)
    .filter((path) => exampleOf(path) === undefined && !isMade(path));
  expect(without, "add them to an example").toEqual([]);
});

test.each(SCENARIO_EXAMPLES)("an example loads: $title", ({ yaml }) => {
  expect(parseScenario(yaml, "scenario.yaml").treatments.length).toBeGreaterThan(0);
});

test.each(REFUSED_EXAMPLES)("a scenario is refused: $title", ({ yaml }) => {
  expect(() => parseScenario(yaml, "scenario.yaml")).toThrow("1 problem in scenario.yaml");
});

describe("a row of the reference", () => {
  const section = (properties: Record<string, SchemaNode>, required: string[] = []) =>
    keySections({ type: "object", properties, required }).flatMap((one) => one.rows);

  test("contains the bounds of a number and the values of a choice", () => {
    const [size, mode] = section({
      size: { type: "integer", minimum: 1, maximum: 9, description: "How many." },
      mode: { enum: ["a", "b"], description: "Which. Default a. Or else." },
    });
    expect(size).toEqual({
      path: "size",
      meaning: "How many.",
      takes: "whole number, 1 to 9",
      otherwise: undefined,
    });
    expect(mode).toEqual({ path: "mode", meaning: "Which. Or else.", takes: "`a`, `b`", otherwise: "a" });
  });

  test("reads a stated default up to the end of its sentence, with decimals", () => {
    const [share] = section({ share: { type: "number", description: "A share. Default 0.8." } });
    expect(share).toMatchObject({ meaning: "A share.", otherwise: "0.8" });
  });

  test("exists for keys below mappings, lists and free keys, but not for a mapping itself", () => {
    const below: SchemaNode = {
      type: "object",
      properties: { on: { type: "boolean", description: "Off." } },
    };
    const found = section({
      plain: below,
      list: { type: "array", items: below },
      free: { type: "object", additionalProperties: below },
    });
    expect(found.map(({ path }) => path)).toEqual([
      "plain.on",
      "list",
      "list[].on",
      "free",
      "free.<metric>.on",
    ]);
  });

  test('covers all roles, with default "by group" if their defaults differ', () => {
    const role = (otherwise: number): SchemaNode => ({
      type: "object",
      properties: {
        clients: { type: "integer", description: `Clients. Default ${otherwise}.` },
        workers: { type: "integer", description: "Threads. Default 1." },
      },
    });
    const found = section({ actors: { type: "object", properties: { a: role(4), b: role(2) } } });
    expect(found.map(({ path, otherwise }) => [path, otherwise])).toEqual([
      ["actors.<role>.clients", "by role"],
      ["actors.<role>.workers", "1"],
    ]);
  });
});

test("a default in a key's description equals the schema's default", () => {
  const differingDefaults = (node: SchemaNode, path: string): string[] => {
    const stated = /\bDefault:? ((?:[^.;]|\.(?=\d))+)[.;]/.exec(node.description ?? "")?.[1];
    const own = ["string", "number", "boolean"].includes(typeof node.default)
      ? JSON.stringify(node.default).replaceAll('"', "")
      : undefined;
    const below = Object.entries(node.properties ?? {}).flatMap(([key, one]) =>
      differingDefaults(one, `${path}.${key}`),
    );
    const branches = (node.anyOf ?? []).flatMap((one) => differingDefaults(one, path));
    const isWrong = stated !== undefined && own !== undefined && stated !== own;
    return [...(isWrong ? [`${path}: says ${stated}, is ${own}`] : []), ...below, ...branches];
  };
  expect(differingDefaults(scenarioJsonSchema(), "")).toEqual([]);
});
