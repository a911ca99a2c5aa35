// Paths that a scenario may have, looked up in its JSON Schema. An unknown path is refused with the nearest known one.
import { scenarioJsonSchema, type SchemaNode } from "./json-schema.js";
import { nearest, suggestion } from "../syntax/nearest.js";
import { parsePath, pathText, type Mapping, type Path } from "../syntax/paths.js";
import { findOwnWorkloads } from "../workloads/own.js";
import type { Workload } from "../workloads/workload.js";
import { memoByList } from "../foundation/memo.js";
import { COMMON_KEYS, EXPERIMENT_KEYS, hasUnreadWorkload, schemaOf } from "./schema.js";
import { keyWithoutPasswords } from "../foundation/secrets.js";

/** Maximum number of places that a suggestion names. */
const SUGGESTED_PLACES_MAX = 3;

function branchesOf(node: SchemaNode): SchemaNode[] {
  return [node, ...(node.anyOf ?? []).flatMap(branchesOf)];
}

function propertiesOf(nodes: readonly SchemaNode[]): Record<string, SchemaNode[]> {
  const nodesByKey: Record<string, SchemaNode[]> = {};
  for (const node of nodes) {
    for (const [key, property] of Object.entries(node.properties ?? {})) {
      (nodesByKey[key] ??= []).push(...branchesOf(property));
    }
  }
  return nodesByKey;
}

/** Key pattern and value schema of a mapping with free keys; undefined for other nodes. */
function recordOf(nodes: readonly SchemaNode[]): { keys: RegExp; value: SchemaNode } | undefined {
  for (const node of nodes) {
    if (typeof node.additionalProperties === "object")
      return { keys: new RegExp(node.propertyNames?.pattern ?? ""), value: node.additionalProperties };
  }
  return undefined;
}

function childNodes(nodes: readonly SchemaNode[], part: string | number): SchemaNode[] {
  const properties = propertiesOf(nodes);
  if (Object.hasOwn(properties, part)) return properties[part] ?? [];
  const record = recordOf(nodes);
  if (record && typeof part === "string") return branchesOf(record.value);
  if (typeof part === "number") return nodes.flatMap((node) => (node.items ? branchesOf(node.items) : []));
  return [];
}

/** Every path of keys below these nodes, except paths in lists and below free keys. */
function pathsBelow(nodes: readonly SchemaNode[], at: Path): Path[] {
  return Object.entries(propertiesOf(nodes)).flatMap(([key, below]) => {
    const path = [...at, key];
    return [path, ...pathsBelow(below, path)];
  });
}

/** A known path, in which the free key of a mapping is one part, or a message why there is none. */
export type ResolvedPath = { readonly path: Path } | { readonly message: string };

/** Text `did you mean X?` with the whole path of X, so that it can be copied. */
function wholePathSuggestion(path: Path, hint: string): string {
  const match = /^did you mean (.*)\?$/.exec(hint);
  return match && path.length > 0 ? `did you mean ${pathText(path)}.${match[1] ?? ""}?` : hint;
}

interface KnownMapping {
  readonly keys: readonly string[];
  /** Paths of keys at any depth in the mapping, by their last key in lower case. */
  readonly below: ReadonlyMap<string, Path[]>;
}

/** The paths of one workload's scenarios. */
export class ScenarioPaths {
  /** @param isOpen whether there may be other keys at the top */
  constructor(
    private readonly schema: SchemaNode,
    private readonly isOpen = false,
  ) {}

  /** Known mappings by path, so that each is looked up once: a file may have thousands of unknown keys. */
  private readonly mappings = new Map<string, KnownMapping>();
  private readonly factorPaths = new Map<string, ResolvedPath>();

  private mappingAt(path: Path): KnownMapping {
    const place = pathText(path);
    let known = this.mappings.get(place);
    if (!known) {
      const nodes = path.reduce<SchemaNode[]>(childNodes, branchesOf(this.schema));
      const below = new Map<string, Path[]>();
      for (const each of pathsBelow(nodes, path)) {
        const name = String(each.at(-1)).toLowerCase();
        below.set(name, [...(below.get(name) ?? []), each]);
      }
      known = { keys: Object.keys(propertiesOf(nodes)), below };
      this.mappings.set(place, known);
    }
    return known;
  }

  /** Valid keys of the mapping at `path`; empty if any key may stand there. */
  private keysAt(path: Path): readonly string[] {
    return this.mappingAt(path).keys;
  }

  /** Places for a key that the mapping at `path` does not have: deeper in it, else farther up. */
  private placesOf(key: string, path: Path): Path[] {
    const isSameKey = (place: Path): boolean => String(place.at(-1)).toLowerCase() === key.toLowerCase();
    const below = this.mappingAt(path).below.get(key.toLowerCase()) ?? [];
    const nearest = below.filter(({ length }) => length === Math.min(...below.map((place) => place.length)));
    if (nearest.length > 0) return nearest;
    const ancestors = path.map((_, index) => path.slice(0, index));
    return ancestors
      .reverse()
      .flatMap((parent) => this.keysAt(parent).map((one) => [...parent, one]))
      .filter(isSameKey)
      .slice(0, 1);
  }

  /** The places that an unknown key of the mapping at `path` may mean; empty if no key is near. */
  likelyPlaces(key: string, path: Path): Path[] {
    const places = this.placesOf(key, path);
    const near = nearest(key, this.keysAt(path));
    return [...places, ...(near === undefined ? [] : [[...path, near]])];
  }

  /**
   * The likely meaning of a key that the mapping at `path` does not have. `whole` names sibling keys by their whole path.
   */
  keySuggestion(key: string, path: Path, whole: boolean): string {
    const siblings = this.keysAt(path);
    const places = this.placesOf(key, path);
    const isElsewhere = places.some(({ length }) => length !== path.length + 1);
    if (isElsewhere)
      return `did you mean ${places.slice(0, SUGGESTED_PLACES_MAX).map(pathText).join(" or ")}?`;
    const hint = suggestion(key, siblings, "keys");
    return whole ? wholePathSuggestion(path, hint) : hint;
  }

  /**
   * Resolves a path below `factors`, `include` or `exclude`, which are keyed by scenario paths: the rest of the path is one
   * key.
   */
  private resolveFactorKey(prefix: Path, rest: Path): ResolvedPath {
    const index = rest.findIndex((part) => typeof part === "number");
    const key = index < 0 ? rest : rest.slice(0, index);
    const text = key.length === 1 ? String(key[0]) : key.join(".");
    const factor = this.factorPath(text);
    if ("message" in factor) return factor;
    const below = index < 0 ? [] : rest.slice(index);
    const pathInLevel = below.slice(1);
    if (pathInLevel.length > 0) {
      const level = this.resolvePath([...factor.path, ...pathInLevel]);
      if ("message" in level) return level;
    }
    return { path: [...prefix, text, ...below] };
  }

  private resolvePath(parts: Path): ResolvedPath {
    let nodes = branchesOf(this.schema);
    const path: (string | number)[] = [];
    for (const [i, part] of parts.entries()) {
      const remainingParts = parts.slice(i);
      if (path[0] === "factors" && path.length === 1) return this.resolveFactorKey(path, remainingParts);
      if ((path[0] === "include" || path[0] === "exclude") && path.length === 2)
        return this.resolveFactorKey(path, remainingParts);
      const record = recordOf(nodes);
      if (record) {
        const key = remainingParts.join(".");
        if (!record.keys.test(key)) return { message: `${key} cannot be a key of ${pathText(path)}` };
        return { path: [...path, key] };
      }
      const next = childNodes(nodes, part);
      if (next.length === 0) {
        const where = path.length === 0 ? "a scenario" : pathText(path);
        const hint = this.keySuggestion(String(part), path, true);
        return { message: `${where} has no ${pathText([part])}; ${hint}` };
      }
      nodes = next;
      path.push(part);
    }
    return { path };
  }

  /** The path that a text means if the schema knows it, else a message. */
  knownPath(text: string): ResolvedPath {
    const parts = parsePath(text);
    if (parts && this.isOpen && !COMMON_KEYS.includes(String(parts[0]))) return { path: parts };
    const resolvedPath = parts && this.resolvePath(parts);
    if (resolvedPath && "path" in resolvedPath) return resolvedPath;
    // A URL is shown as a whole: its parts, cut at each dot, may be pieces of a password.
    const safeKey = keyWithoutPasswords(text);
    if (resolvedPath && safeKey === text) return resolvedPath;
    return { message: `${safeKey} is not a path, such as actors.producers.clients` };
  }

  /** The path that a text means if it may differ between treatments, else a message. */
  factorPath(text: string): ResolvedPath {
    const before = this.factorPaths.get(text);
    if (before) return before;
    const resolvedPath = this.resolveFactorPath(text);
    this.factorPaths.set(text, resolvedPath);
    return resolvedPath;
  }

  private resolveFactorPath(text: string): ResolvedPath {
    const first = parsePath(text)?.[0];
    if (typeof first === "string" && first !== "workload" && EXPERIMENT_KEYS.includes(first))
      return { message: `${first} belongs to the experiment as a whole and cannot be a factor` };
    return this.knownPath(text);
  }
}

/** The paths of all workloads; created on first use, because a JSON Schema takes a fifth of the program's start. */
let bundledWorkloadPaths: ScenarioPaths | undefined;
let unreadWorkloadPaths: ScenarioPaths | undefined;
const pathsOfOwnWorkloads = memoByList(
  (workloads: readonly Workload[]) =>
    new ScenarioPaths({ anyOf: workloads.map((each) => scenarioJsonSchema(schemaOf(each))) }),
);

/** The known paths of a raw scenario; they include the keys of all workloads of the user that it names. */
export function pathsOf(raw: Mapping): ScenarioPaths {
  const ownWorkloads = findOwnWorkloads(raw);
  if (ownWorkloads.length === 0 && hasUnreadWorkload(raw))
    return (unreadWorkloadPaths ??= new ScenarioPaths(scenarioJsonSchema(), true));
  if (ownWorkloads.length === 0) return (bundledWorkloadPaths ??= new ScenarioPaths(scenarioJsonSchema()));
  return pathsOfOwnWorkloads(ownWorkloads);
}
