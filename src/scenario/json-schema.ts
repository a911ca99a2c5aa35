// The JSON Schema of a scenario file, from the zod schema: editors, the reference and the loader's list of keys use it.
// `schema/scenario.schema.json` is a copy.
import * as z from "zod";
import { WORKLOAD_FILE_PATTERN } from "../workloads/own-forms.js";
import { RANGE } from "./plan/range.js";
import { EXPERIMENT_KEYS, Scenario } from "./schema.js";

/** The parts of a JSON Schema (draft 7) that this program reads. */
export interface SchemaNode {
  readonly $ref?: string;
  /** Describes kind and bounds of a single value, if other keywords cannot. */
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
  readonly propertyNames?: SchemaNode;
  readonly additionalProperties?: boolean | SchemaNode;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly definitions?: Readonly<Record<string, SchemaNode>>;
  readonly if?: SchemaNode;
  readonly else?: SchemaNode;
}

interface Place {
  readonly path: string;
  readonly pointer: string;
  readonly node: SchemaNode;
}

/** The place of every key and list entry below `place`, in all branches, with a pointer to its schema. */
function placesBelow({ path, pointer, node }: Place): Place[] {
  const propertyPlaces = Object.entries(node.properties ?? {}).flatMap(([key, property]) => {
    const text = path === "" ? key : `${path}.${key}`;
    const place = { path: text, pointer: `${pointer}/properties/${key}`, node: property };
    return [place, ...placesBelow(place)];
  });
  const entry = node.items && { path: `${path}[n]`, pointer: `${pointer}/items`, node: node.items };
  const branchPlaces = (node.anyOf ?? []).flatMap((branch, i) =>
    placesBelow({ path, pointer: `${pointer}/anyOf/${i}`, node: branch }),
  );
  return [...propertyPlaces, ...(entry ? [entry, ...placesBelow(entry)] : []), ...branchPlaces];
}

/** Schema of a mapping keyed by scenario path: the keys that can vary, each with its values. */
function schemaByScenarioPath(
  places: readonly Place[],
  valueOf: (value: SchemaNode, node: SchemaNode) => SchemaNode,
): SchemaNode {
  const values = places.map(({ path, pointer, node }): [string, SchemaNode] => [
    path,
    { ...(node.description && { description: node.description }), ...valueOf({ $ref: pointer }, node) },
  ]);
  const isInList = ([path]: [string, SchemaNode]): boolean => path.includes("[n]");
  const patternEntries = values.filter(isInList).map(([path, value]): [string, SchemaNode] => {
    const escapedPath = path.replaceAll(".", "\\.").replaceAll("[n]", "\\[\\d+\\]");
    return [`^${escapedPath}$`, value];
  });
  const anything: SchemaNode = { type: ["string", "number", "boolean"] };
  const setting = valueOf(anything, anything);
  return {
    type: "object",
    properties: Object.fromEntries(values.filter((one) => !isInList(one))),
    patternProperties: { "^target\\.settings\\.": setting, ...Object.fromEntries(patternEntries) },
  };
}

/** True if the value may be a mapping. */
function isMapping(node: SchemaNode): boolean {
  return node.properties !== undefined || (node.anyOf ?? []).some(isMapping);
}

/** The schema of scenario files, draft 7, which editors' YAML support understands best. */
export function scenarioJsonSchema(scenario: typeof Scenario = Scenario): SchemaNode {
  const schema = z.toJSONSchema(scenario, { io: "input", target: "draft-7" }) as SchemaNode;
  const properties = schema.properties ?? {};
  const places = placesBelow({ path: "", pointer: "#", node: schema }).filter(
    ({ path }) => !EXPERIMENT_KEYS.includes(path.replace(/[.[].*/, "")),
  );
  const levels: SchemaNode = schemaByScenarioPath(places, (level) => ({
    anyOf: [level, { type: "array", items: level }, { type: "string", pattern: RANGE.source }],
  }));
  const combination = { $ref: "#/definitions/combination" };
  const paths = { $ref: "#/definitions/paths" };
  const patterns = Object.keys(levels.patternProperties ?? {});
  const { additionalProperties: _, ...open } = schema;
  return {
    ...open,
    // The user's workload has keys that no schema knows.
    if: {
      properties: {
        workload: { anyOf: [{ type: "object" }, { type: "string", pattern: WORKLOAD_FILE_PATTERN.source }] },
      },
      required: ["workload"],
    },
    else: {
      propertyNames: { enum: Object.keys(properties) },
      properties: { factors: paths, include: { items: paths }, exclude: { items: paths } },
    },
    properties: {
      ...properties,
      factors: { ...properties.factors, ...levels },
      include: { ...properties.include, items: combination },
      exclude: { ...properties.exclude, items: { $ref: "#/definitions/exclusion" } },
    },
    definitions: {
      paths: {
        propertyNames: {
          anyOf: [
            { enum: Object.keys(levels.properties ?? {}) },
            ...patterns.map((pattern) => ({ pattern })),
          ],
        },
      },
      combination: schemaByScenarioPath(places, (level) => level),
      // An entry of `exclude` matches by its keys, so any key of a mapping may be absent.
      exclusion: schemaByScenarioPath(places, (level, node) =>
        isMapping(node) ? { anyOf: [level, { type: "object" }] } : level,
      ),
    },
  };
}
