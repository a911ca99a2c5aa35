// Facts of the scenario's JSON Schema on each key, as rows for the reference: meaning, values, bounds, default. The five
// roles of `actors` have the same keys, so they are one set of rows with `<role>` in the path. Pure; it invents nothing:
// a row holds only what the schema states.
import { scenarioJsonSchema, type SchemaNode } from "../../scenario/json-schema.js";
import { isMapping } from "../../syntax/paths.js";

export interface KeyRow {
  /** Path such as `pool.size`; `<role>` and `<metric>` stand for any name, `[]` for an entry of a list. */
  readonly path: string;
  readonly meaning: string;
  readonly takes: string;
  /** Default value as people write it; `required`, or undefined if there is no default. */
  readonly otherwise: string | undefined;
}

export interface KeySection {
  readonly key: string;
  readonly description: string;
  readonly rows: readonly KeyRow[];
}

export const ROLE_PLACEHOLDER = "<role>";
/** Top-level mappings whose keys are scenario paths: the keys below them repeat other keys. */
const PATH_KEYED_MAPPINGS: ReadonlySet<string> = new Set(["factors", "include", "exclude"]);
/** Matches from "Default" to the end of its sentence; a dot inside a number does not end it. */
const DEFAULT_SENTENCE = /\s*\bDefault:? ((?:[^.]|\.(?=\d))+)\./;

function branchesOf(node: SchemaNode): readonly SchemaNode[] {
  return node.anyOf ? node.anyOf.flatMap(branchesOf) : [node];
}

function boundsOf({ minimum, maximum }: SchemaNode): string {
  const most = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? undefined : String(maximum);
  if (minimum === undefined) return most === undefined ? "" : `, at most ${most}`;
  return most === undefined ? `, at least ${minimum}` : `, ${minimum} to ${most}`;
}

function plainText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function acceptedValuesOf(node: SchemaNode): string {
  const isPlainValue = branchesOf(node).every((branch) => branch.type !== "object");
  if (node.title !== undefined && isPlainValue) return node.title;
  if (node.anyOf) return [...new Set(node.anyOf.map(acceptedValuesOf))].join("; or ");
  const literals = node.const === undefined ? node.enum : [node.const];
  if (literals) return literals.map((value) => `\`${plainText(value)}\``).join(", ");
  switch (node.type) {
    case "integer":
      return `whole number${boundsOf(node)}`;
    case "number":
      return `number${boundsOf(node)}`;
    case "boolean":
      return "`true`, `false`";
    case "array":
      return node.items && Object.keys(node.items).length > 0
        ? `list: ${acceptedValuesOf(node.items)}`
        : "list";
    case "object":
      return node.properties ? "mapping" : "mapping with your own keys";
    case undefined:
    default:
      return "text";
  }
}

interface ChildKey {
  readonly suffix: string;
  readonly node: SchemaNode;
  readonly isRequired: boolean;
}

function childrenOf(node: SchemaNode): ChildKey[] {
  const childBySuffix = new Map<string, ChildKey>();
  const add = (child: ChildKey): void => {
    if (!childBySuffix.has(child.suffix)) childBySuffix.set(child.suffix, child);
  };
  for (const branch of branchesOf(node)) {
    for (const [key, property] of Object.entries(branch.properties ?? {}))
      add({ suffix: `.${key}`, node: property, isRequired: branch.required?.includes(key) ?? false });
    if (branch.items)
      for (const { suffix, ...rest } of childrenOf(branch.items)) add({ suffix: `[]${suffix}`, ...rest });
    if (typeof branch.additionalProperties === "object") {
      for (const { suffix, ...rest } of childrenOf(branch.additionalProperties))
        add({ suffix: `.<metric>${suffix.replace(/^\[\]/, "")}`, ...rest });
    }
  }
  return [...childBySuffix.values()];
}

/** True if a key has a separate row, since it takes a value or free keys; plain mappings are represented by their keys. */
function hasOwnRow(node: SchemaNode): boolean {
  return branchesOf(node).some((branch) => !branch.properties);
}

function splitDefault(description: string): { meaning: string; statedDefault: string | undefined } {
  const statedDefault = DEFAULT_SENTENCE.exec(description)?.[1];
  return { meaning: description.replace(DEFAULT_SENTENCE, "").trim(), statedDefault };
}

function defaultOf(
  node: SchemaNode,
  statedDefault: string | undefined,
  isRequired: boolean,
): string | undefined {
  if (isRequired) return "required";
  if (statedDefault !== undefined) return statedDefault;
  return node.default === undefined || isMapping(node.default) ? undefined : plainText(node.default);
}

function rowsBelow(path: string, node: SchemaNode, isRequired: boolean): KeyRow[] {
  const { meaning, statedDefault } = splitDefault(node.description ?? "");
  const own = {
    path,
    meaning,
    takes: acceptedValuesOf(node),
    otherwise: defaultOf(node, statedDefault, isRequired),
  };
  const below = childrenOf(node).flatMap((child) =>
    rowsBelow(path + child.suffix, child.node, child.isRequired),
  );
  return hasOwnRow(node) ? [own, ...below] : below;
}

/**
 * The rows of all roles, merged into the rows of one role. A default that differs between roles is left to the table of
 * roles.
 */
function roleRows(node: SchemaNode): KeyRow[] {
  const roles = Object.entries(node.properties ?? {}).map(([name, role]) =>
    childrenOf(role).flatMap((child) =>
      rowsBelow(`actors.${name}${child.suffix}`, child.node, child.isRequired).map((row) => ({
        ...row,
        path: row.path.replace(`actors.${name}.`, `actors.${ROLE_PLACEHOLDER}.`),
      })),
    ),
  );
  const [first = [], ...others] = roles;
  return first.map((row) => {
    const isSameInAllRoles = others
      .flat()
      .every((other) => other.path !== row.path || other.otherwise === row.otherwise);
    return isSameInAllRoles ? row : { ...row, otherwise: "by role" };
  });
}

/** The node as a value with free keys: its own keys are left out. */
function nodeWithoutKeys({ description = "", type = "object" }: SchemaNode): SchemaNode {
  return { description, type };
}

export function keySections(schema: SchemaNode = scenarioJsonSchema()): KeySection[] {
  return Object.entries(schema.properties ?? {}).map(([key, node]) => {
    const isRequired = schema.required?.includes(key) ?? false;
    const sectionNode = PATH_KEYED_MAPPINGS.has(key) ? nodeWithoutKeys(node) : node;
    const rows = key === "actors" ? roleRows(node) : rowsBelow(key, sectionNode, isRequired);
    return { key, description: node.description ?? "", rows };
  });
}
