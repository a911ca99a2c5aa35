// Which paths a scenario may have, looked up in its JSON Schema, so that there is one list of keys. Serves `--set`,
// factors and the suggestions for misspelt keys. Refuses a path that the schema does not know, with the nearest
// that it does.
import { scenarioJsonSchema, type SchemaNode } from "./json-schema.js";
import { suggestion } from "../syntax/nearest.js";
import { parsePath, pathText, type Path } from "../syntax/paths.js";
import { EXPERIMENT_KEYS } from "./schema.js";
import { keyWithoutPasswords } from "../foundation/secrets.js";

/** More places than that are no suggestion. */
const PLACES_MAX = 3;

const SCHEMA: SchemaNode = scenarioJsonSchema();

/** The branches of a node, itself included. */
function branches(node: SchemaNode): SchemaNode[] {
  return [node, ...(node.anyOf ?? []).flatMap(branches)];
}

function propertiesOf(nodes: readonly SchemaNode[]): Record<string, SchemaNode[]> {
  const found: Record<string, SchemaNode[]> = {};
  for (const node of nodes) {
    for (const [key, property] of Object.entries(node.properties ?? {})) {
      (found[key] ??= []).push(...branches(property));
    }
  }
  return found;
}

/** The node of values under any key, for a mapping with free keys. */
function recordOf(nodes: readonly SchemaNode[]): { keys: RegExp; value: SchemaNode } | undefined {
  for (const node of nodes) {
    if (typeof node.additionalProperties === "object")
      return { keys: new RegExp(node.propertyNames?.pattern ?? ""), value: node.additionalProperties };
  }
  return undefined;
}

function descend(nodes: readonly SchemaNode[], part: string | number): SchemaNode[] {
  const properties = propertiesOf(nodes);
  if (Object.hasOwn(properties, part)) return properties[part] ?? [];
  const record = recordOf(nodes);
  if (record && typeof part === "string") return branches(record.value);
  if (typeof part === "number") return nodes.flatMap((node) => (node.items ? branches(node.items) : []));
  return [];
}

/** Valid keys of the mapping at `path`; none where any key may stand. */
export function keysAt(path: Path): string[] {
  return Object.keys(propertiesOf(path.reduce<SchemaNode[]>(descend, branches(SCHEMA))));
}

/** Every path of keys below these nodes; what is in lists, and what has free keys, is not among them. */
function pathsBelow(nodes: readonly SchemaNode[], at: Path): Path[] {
  return Object.entries(propertiesOf(nodes)).flatMap(([key, below]) => {
    const path = [...at, key];
    return [path, ...pathsBelow(below, path)];
  });
}

/** Where a key of that name belongs, which the mapping at `path` does not have: deeper in it, else farther up. */
export function placesOf(key: string, path: Path): Path[] {
  const isIt = (place: Path): boolean => String(place.at(-1)).toLowerCase() === key.toLowerCase();
  const below = pathsBelow(path.reduce<SchemaNode[]>(descend, branches(SCHEMA)), path).filter(isIt);
  const nearest = below.filter(({ length }) => length === Math.min(...below.map((place) => place.length)));
  if (nearest.length > 0) return nearest;
  const ancestors = path.map((_, index) => path.slice(0, index));
  return ancestors
    .reverse()
    .flatMap((parent) => keysAt(parent).map((one) => [...parent, one]))
    .filter(isIt)
    .slice(0, 1);
}

/** What was probably meant by a key that the mapping at `path` does not have. `whole` names siblings by their whole path. */
export function keySuggestion(key: string, path: Path, whole: boolean): string {
  const siblings = keysAt(path);
  const places = placesOf(key, path);
  const isElsewhere = places.some(({ length }) => length !== path.length + 1);
  if (isElsewhere) return `did you mean ${places.slice(0, PLACES_MAX).map(pathText).join(" or ")}?`;
  const hint = suggestion(key, siblings, "keys");
  return whole ? nearestPath(path, hint) : hint;
}

/** A path that is known, with the free keys of mappings joined into one part; or what is wrong with it. */
export type ResolvedPath = { readonly path: Path } | { readonly message: string };

/** Factors and combinations are keyed by scenario paths, so the rest of a path below them is one key. */
function resolveFactorKey(prefix: Path, rest: Path): ResolvedPath {
  const index = rest.findIndex((part) => typeof part === "number");
  const key = index < 0 ? rest : rest.slice(0, index);
  const text = key.length === 1 ? String(key[0]) : key.join(".");
  const factor = factorPath(text);
  if ("message" in factor) return factor;
  const below = index < 0 ? [] : rest.slice(index);
  const inside = below.slice(1);
  if (inside.length > 0) {
    const level = resolvePath([...factor.path, ...inside]);
    if ("message" in level) return level;
  }
  return { path: [...prefix, text, ...below] };
}

function resolvePath(parts: Path): ResolvedPath {
  let nodes = branches(SCHEMA);
  const path: (string | number)[] = [];
  for (const [i, part] of parts.entries()) {
    const rest = parts.slice(i);
    if (path[0] === "factors" && path.length === 1) return resolveFactorKey(path, rest);
    if ((path[0] === "include" || path[0] === "exclude") && path.length === 2)
      return resolveFactorKey(path, rest);
    const record = recordOf(nodes);
    if (record) {
      const key = rest.join(".");
      if (!record.keys.test(key)) return { message: `${key} cannot be a key of ${pathText(path)}` };
      return { path: [...path, key] };
    }
    const next = descend(nodes, part);
    if (next.length === 0) {
      const where = path.length === 0 ? "a scenario" : pathText(path);
      return { message: `${where} has no ${pathText([part])}; ${keySuggestion(String(part), path, true)}` };
    }
    nodes = next;
    path.push(part);
  }
  return { path };
}

/** `did you mean X?` with the path in front of X, so that it can be copied. */
function nearestPath(path: Path, hint: string): string {
  const match = /^did you mean (.*)\?$/.exec(hint);
  return match && path.length > 0 ? `did you mean ${pathText(path)}.${match[1] ?? ""}?` : hint;
}

/** The known path that `text` writes. */
export function knownPath(text: string): ResolvedPath {
  const parts = parsePath(text);
  const resolved = parts && resolvePath(parts);
  if (resolved && "path" in resolved) return resolved;
  // A URL is taken as a whole: its parts, cut at each dot, may be pieces of a password.
  const shown = keyWithoutPasswords(text);
  if (resolved && shown === text) return resolved;
  return { message: `${shown} is not a path, as actors.producers.clients` };
}

/** The known path that `text` writes, which must be one that can differ between treatments. */
export function factorPath(text: string): ResolvedPath {
  const first = parsePath(text)?.[0];
  if (typeof first === "string" && EXPERIMENT_KEYS.includes(first))
    return { message: `${first} belongs to the experiment as a whole and cannot be a factor` };
  return knownPath(text);
}
