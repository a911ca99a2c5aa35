// The reference of scenario keys as a page, `docs/reference/scenario.md`: lists from the JSON Schema, examples from
// scenarios that load, refusals in the program's words. It is generated so that it cannot drift: a test holds the
// checked-in page equal to this. Its prose is only what no schema states.
import { parse, stringify } from "yaml";
import { parseScenario } from "../../scenario/loader.js";
import { isMapping, parsePath, pathText, type Mapping } from "../../syntax/paths.js";
import { ScenarioError } from "../../syntax/problems.js";
import { SCENARIO_EXAMPLES } from "./reference-examples.js";
import { REFUSED_EXAMPLES } from "./reference-refused.js";
import { ROLE_PLACEHOLDER, keySections, type KeyRow, type KeySection } from "./reference-rows.js";
import { WORKLOADS } from "../../workloads/registry.js";
import { executorKeys } from "../../load/load-settings.js";
import { wrap } from "../../foundation/text/text-table.js";

/** Largest number of rows of a value that has no separate section; every mapping has one. */
const SMALL_SECTION_ROWS_MAX = 3;
const EXAMPLE_CHARACTERS_MAX = 80;
const LINE_CHARACTERS = 118;

const KEYS_INTRODUCTION = `# The scenario, key by key

A scenario is a YAML file. \`train-sim json-schema --markdown\` writes this page from the schema that checks scenarios:
do not edit it by hand. In parentheses: the values of a key and its default. A key that means the same in several places
is described once. [Whole scenarios](../../scenarios/examples.md) show every key.

- An unknown key is an error that names the nearest valid key, or all valid keys if none is near. All problems are
  shown together, with file and line; contradictions between keys follow once each key is valid.
- A duration has a unit: \`250ms\`, \`30s\`, \`5m\`, \`1h30m\` (\`us ms s m h\`). Only \`0\` needs none.
- A size has a unit: \`900B\`, \`4kB\`, \`1MB\` (\`B kB MB GB TB\`, multiples of 1024).
- A path names a key below others: \`actors.producers.load.clients\`. \`--set path=value\` takes any path. \`factors\` takes
  paths that describe a treatment, but no key of the whole experiment, such as \`trials\` or \`seed\`.
- An editor that knows YAML schemas completes and checks with this first line of the file:
  \`# yaml-language-server: $schema=../schema/scenario.schema.json\`
- Relative paths in a scenario and in its connection URLs are relative to the file, in \`--set\` to the current directory.
- Leave passwords to PGPASSWORD: stored scenarios omit them.

## How factors make treatments

Every combination of the levels under \`factors\` is a treatment, named after its levels. All other keys are the same for
every treatment.

- \`exclude\` removes combinations. \`include\` adds keys to the combinations that it matches, or adds a combination.
- Your own files are levels of the factor \`workload\`: \`factors: { workload: [./a.sql, ./b.sql] }\`.
- Without \`factors\` the entries of \`include\` are all treatments. A single entry is refused, and so is an entry without
  effect.
- Two treatments with the same settings are refused, unless a level is written twice. That is an A/A pair: it shows how
  much trials differ by chance.
- Limits: 1000 combinations before \`exclude\`, and 1000 treatments including those of \`include\`.
`;

const EXAMPLES_INTRODUCTION = `# Scenarios as examples

\`train-sim json-schema --markdown examples\` writes this page; a test loads each example. [The
reference](../docs/reference/scenario.md) has every key, and [the list](README.md) scenarios to run.
`;

const WORKLOAD_KEYS_HEADING = `## Keys of workloads

With the workloads that have them; [train-events.md](train-events.md) and [workloads.md](workloads.md) describe them.
`;

/** Keys into which train-sim turns the path of a module; users do not write them. */
const COMPUTED_KEYS_PATTERN = /^workload\.(module|hash|declares)\b/;
/** Sentence in a meaning about the executors that take the key; the table of executors states it. */
const EXECUTORS_ONLY_SENTENCE = /\s*Executors? [^.]* only(, which needs? it)?\./;
/** Sentence at the end of a meaning that names the kinds or strategies that have the key. */
const KINDS_ONLY_SENTENCE = /\s*(?:Kinds?|Strateg(?:y|ies)) ([^.]*?) only(?:, which needs? it)?\./;
/** Short meanings, by path, of keys that another page of the reference explains at length. */
const SHORT_MEANING_BY_PATH: Readonly<Record<string, string>> = {
  workload: "A name, a path such as `./bank.sql`, or a mapping: [workloads.md](workloads.md).",
  storage: "How tables are stored: [workloads.md](workloads.md#calls), [dialects.md](dialects.md).",
  order:
    "interleaved: blocks in random, balanced order; [racing](statistics.md#racing); [duet](statistics.md#duets); " +
    "sequential: treatment by treatment.",
  factors:
    "Lists of levels by scenario path; `pool.size: 4..32` is a range, whose levels double: 4, 8, 16, 32.",
  include:
    "Adds keys to combinations, or adds combinations. An entry may name another file of yours as its workload.",
  "pool.strategy": "[pools.md](pools.md) compares them.",
  "actors.<role>.load.executor": "[load.md](load.md) describes them.",
  "faults[].kind": "Kind of the fault: [faults.md](faults.md#kinds) describes each.",
};

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(" | ")} |`;
  return [line(titles), `|${titles.map(() => "---").join("|")}|`, ...rows.map(line), ""].join("\n");
}

function flowYaml(value: unknown): string {
  return stringify(value, { collectionStyle: "flow", lineWidth: 0, flowCollectionPadding: true }).trim();
}

function valuesAt(value: unknown, parts: readonly string[]): unknown[] {
  const [part, ...rest] = parts;
  if (part === undefined) return value === undefined ? [] : [value];
  if (Array.isArray(value)) return value.flatMap((entry) => valuesAt(entry, parts));
  if (!isMapping(value)) return [];
  if (part.startsWith("<")) return Object.values(value).flatMap((entry) => valuesAt(entry, rest));
  return Object.hasOwn(value, part) ? valuesAt(value[part], rest) : [];
}

/** Mappings in which a key may be found: the example itself, and each level of its factors as a set value. */
function exampleMappings(yaml: string): unknown[] {
  const scenario = parse(yaml) as Mapping;
  const factors = isMapping(scenario.factors) ? scenario.factors : {};
  const levels = Object.entries(factors).flatMap(([path, list]) =>
    (Array.isArray(list) ? (list as unknown[]) : [list]).map((level) =>
      (parsePath(path) ?? []).reduceRight<unknown>((below, part) => ({ [part]: below }), level),
    ),
  );
  return [scenario, ...levels];
}

/** The key with its shortest value in the examples; undefined if no example has the key. */
export function exampleOf(path: string): string | undefined {
  const parts = path.replaceAll("[]", "").split(".");
  const exampleValues = SCENARIO_EXAMPLES.flatMap(({ yaml }) =>
    exampleMappings(yaml).flatMap((one) => valuesAt(one, parts)),
  );
  const texts = exampleValues.map(flowYaml).sort((a, b) => a.length - b.length);
  const [text] = texts.filter((one) => one !== "{}");
  if (text === undefined) return undefined;
  const key = parts.at(-1) ?? "";
  return `\`${key}: ${text}\``;
}

function paragraph(text: string): string {
  return wrap(text, LINE_CHARACTERS).join("\n");
}

function listItem(text: string, below: readonly string[] = []): string {
  const lines = (one: string, indent: string): string[] =>
    wrap(one, LINE_CHARACTERS - indent.length - 2).map(
      (line, i) => `${indent}${i === 0 ? "- " : "  "}${line}`,
    );
  return [...lines(text, ""), ...below.flatMap((one) => lines(one, "  "))].join("\n");
}

/** True if the meaning names each value and explains it. */
function explainsValues(meaning: string, takes: string): boolean {
  const values = takes.split(", ").map((value) => value.replaceAll("`", ""));
  return takes.startsWith("`") && values.every((value) => new RegExp(`\\b${value}\\b[^.;]*:`).test(meaning));
}

function distinctRows(rows: readonly KeyRow[]): KeyRow[] {
  const described = new Set<string>();
  return rows.filter(({ path, meaning, takes }) => {
    const words = [path.split(".").at(-1), meaning, takes].join("\n");
    const isNew = !described.has(words);
    described.add(words);
    return isNew;
  });
}

function workloadsWithKey(path: string): string[] {
  const [key = ""] = path.split(/[.[]/);
  return WORKLOADS.filter(({ settings }) => key in settings.keys).map(({ name }) => name);
}

/** True if the key belongs to a workload, whose page describes it. */
const isWorkloadKey = (path: string): boolean => workloadsWithKey(path).length > 0;
/** True for bounds that the table of checks lists with their defaults. */
const isDiagnosisBound = (path: string): boolean => path.startsWith("diagnosis.max");

/** Text after the name of a key: applicability, values, default, meaning, example. */
function rowText({ path, meaning: statedMeaning, takes, otherwise }: KeyRow): string {
  const owners = workloadsWithKey(path);
  const meaning = isWorkloadKey(path)
    ? ""
    : (SHORT_MEANING_BY_PATH[path] ?? statedMeaning.replace(EXECUTORS_ONLY_SENTENCE, ""));
  const kinds = KINDS_ONLY_SENTENCE.exec(meaning)?.[1];
  const facts = [
    owners.length > 0 ? owners.join(", ") : kinds,
    explainsValues(meaning, takes) ? undefined : takes,
    otherwise === "required" || otherwise === undefined ? otherwise : `default ${otherwise}`,
  ].filter((fact) => fact !== undefined);
  const needsExample = /mapping|metric/.test(takes.replace(/`[^`]*`/g, ""));
  const example = needsExample ? exampleOf(path) : undefined;
  const exampleText = example && example.length <= EXAMPLE_CHARACTERS_MAX ? `Example: ${example}.` : "";
  const linkedMeaning = meaning
    .replace(KINDS_ONLY_SENTENCE, "")
    .replace(/docs\/reference\/([\w-]+\.md)/g, "[$1]($1)");
  return [`(${facts.join("; ")})`, linkedMeaning, exampleText].filter((part) => part !== "").join(" ");
}

/** List of rows; neighbours with the same text are one item. */
function rowList(rows: readonly KeyRow[]): string {
  const items: { names: string; text: string }[] = [];
  for (const row of rows) {
    const [last, text] = [items.at(-1), rowText(row)];
    if (last?.text === text) last.names += `, **\`${row.path}\`**`;
    else items.push({ names: `**\`${row.path}\`**`, text });
  }
  return `${items.map(({ names, text }) => listItem(`${names} ${text}`)).join("\n")}\n`;
}

function roleTable(): string {
  const roles = WORKLOADS.flatMap(({ name, roles }) =>
    Object.entries(roles).map(([role, { clients, thinkTimeMs = 0, isOnRequest }]) => [
      `\`${role}\``,
      name,
      isOnRequest ? "no" : "yes",
      String(clients),
      `${thinkTimeMs}ms`,
    ]),
  );
  const keyListText = (keys: readonly string[]): string => keys.map((key) => `\`${key}\``).join(", ");
  const executors = executorKeys().map(({ name, needs, takes }) => [
    `\`${name}\``,
    keyListText(needs),
    keyListText(takes),
  ]);
  return [
    `\`${ROLE_PLACEHOLDER}\` is one of:\n`,
    table(["role", "workload", "by default", "default clients", "default think time"], roles),
    "`false` in place of a role leaves it out.\n",
    "Each executor needs some keys of `load` and may have others:\n",
    table(["executor", "needs", "may have"], executors),
  ].join("\n");
}

function section({ key, description, rows }: KeySection): string {
  const tables = key === "actors" ? [roleTable()] : [];
  const isKeyInFirstRow = rows[0]?.path === key;
  const bounds =
    key === "diagnosis" ? " [diagnosis.md](diagnosis.md) has the bounds, with their defaults." : "";
  return [
    `## \`${key}\`\n`,
    ...(isKeyInFirstRow ? [] : [`${paragraph(description + bounds)}\n`]),
    ...tables,
    rowList(rows),
  ].join("\n");
}

/** Message of the program that refuses a scenario. */
function refusalOf(yaml: string): string {
  try {
    parseScenario(yaml, "scenario.yaml");
  } catch (error) {
    if (error instanceof ScenarioError)
      return error.problems.map(({ path, message }) => `\`${path}\` ${message}`).join("; ");
    throw error;
  }
  throw new Error(`an example of a refused scenario is accepted:\n${yaml}`);
}

function refusalSection(): string {
  return [
    "## What is refused\n",
    "Before anything is started, with these words:\n",
    ...REFUSED_EXAMPLES.map(({ yaml }) => listItem(refusalOf(yaml))),
    "",
  ].join("\n");
}

function exampleSections(): string[] {
  return SCENARIO_EXAMPLES.map(({ title, yaml }) => {
    const { treatments } = parseScenario(yaml, "scenario.yaml");
    const ids = treatments.map(({ id }) => `\`${id}\``).join(", ");
    const described =
      treatments.length > 1 ? `\n${paragraph(`${treatments.length} treatments: ${ids}.`)}\n` : "";
    return `## ${title}\n\n\`\`\`yaml\n${yaml}\`\`\`\n${described}`;
  });
}

/** The page of examples, Markdown; ends with a newline. */
export function scenarioExamplesPage(): string {
  return [EXAMPLES_INTRODUCTION, ...exampleSections(), refusalSection()].join("\n");
}

/** The page of keys, Markdown; ends with a newline. */
export function scenarioReferencePage(): string {
  const all = keySections();
  const rows = distinctRows(all.flatMap((section) => section.rows)).filter(
    ({ path }) => !COMPUTED_KEYS_PATTERN.test(path) && !isDiagnosisBound(path),
  );
  const sections = all.map((section) => ({
    ...section,
    rows: section.rows.filter((row) => rows.includes(row)),
  }));
  const isSmallSection = ({ key, rows: own }: KeySection): boolean =>
    own[0]?.path === key && own.length <= SMALL_SECTION_ROWS_MAX;
  const workloadSections = sections.filter(({ key }) => workloadsWithKey(key).length > 0);
  const smallSections = sections.filter((one) => isSmallSection(one) && !workloadSections.includes(one));
  const large = sections.filter((one) => !isSmallSection(one) && !workloadSections.includes(one));
  return [
    KEYS_INTRODUCTION,
    "## Keys at the top\n",
    rowList(smallSections.flatMap(({ rows }) => rows)),
    `${paragraph(`Sections below have the keys of ${large.map(({ key }) => `[\`${pathText([key])}\`](#${key.toLowerCase()})`).join(", ")}.`)}\n`,
    ...large.map(section),
    WORKLOAD_KEYS_HEADING,
    rowList(workloadSections.flatMap((one) => one.rows)),
  ].join("\n");
}
