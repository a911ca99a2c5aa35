// The reference of scenario keys as a page, `docs/reference/scenario.md`: lists from the JSON Schema, examples from
// scenarios that load, refusals in the program's own words. It is generated so that it cannot drift: a test holds the
// checked-in page equal to this. What is prose here is only what no schema says.
import { parse, stringify } from "yaml";
import { parseScenario } from "../../scenario/loader.js";
import { isMapping, parsePath, pathText, type Mapping } from "../../syntax/paths.js";
import { ScenarioError } from "../../syntax/problems.js";
import { EXAMPLES } from "./reference-examples.js";
import { REFUSED } from "./reference-refused.js";
import { GROUP, keySections, type KeyRow, type KeySection } from "./reference-rows.js";
import { WORKLOADS } from "../../workloads/registry.js";
import { executorKeys } from "../../load/load-settings.js";
import { wrap } from "../../foundation/text/text-table.js";

/** A value with more rows than this has a section of its own, as every mapping has. */
const ROWS_TOGETHER = 3;
const SHOWN_CHARACTERS = 60;
const LINE_CHARACTERS = 118;

const INTRODUCTION = `# The scenario, key by key

A scenario is a YAML file. \`train-sim json-schema --markdown\` writes this page from the schema that checks scenarios.
Do not edit it by hand.

- An unknown key is an error that names the nearest valid key. All problems are shown at once, with file and line;
  contradictions between keys follow once each key is valid.
- A duration has a unit: \`250ms\`, \`30s\`, \`5m\`, \`1h30m\` (\`us ms s m h\`). Only \`0\` needs none.
- A size has a unit: \`900B\`, \`4kB\`, \`1MB\` (\`B kB MB GB TB\`, multiples of 1024).
- A path names a key below others: \`actors.producers.load.clients\`. \`--set path=value\` takes any path. \`factors\` takes
  those that describe a treatment, and not what belongs to the whole experiment, as \`trials\` or \`seed\`.
- An editor that knows YAML schemas completes and checks with this first line of the file:
  \`# yaml-language-server: $schema=../schema/scenario.schema.json\`
- \`train-sim validate FILE\` checks a scenario. \`train-sim run FILE --plan\` shows treatments, trials and planned time.
  Both have \`--json\`. With \`--find-capacity\`, \`search\` is true, and number and times of trials are null.
- Relative paths in a scenario, also in its connection URLs, are relative to the file. In \`--set\` they are relative to
  the current directory.
- Leave passwords to PGPASSWORD: stored scenarios omit them.
`;

const FACTORS = `## How factors make treatments

Every combination of the levels under \`factors\` is a treatment, named after its levels. All other keys are the same for
every treatment.

- \`exclude\` removes combinations. \`include\` adds keys to the combinations that it matches, or adds one of its own.
- Without \`factors\` the entries of \`include\` are all treatments; a single entry is refused, and so
  is one without effect.
- Two treatments with the same settings are refused, unless a level is written twice. That is an A/A pair: it shows how
  much trials differ by chance.
- Limits: 1000 combinations before \`exclude\`, and 1000 treatments with those of \`include\`.
`;

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(titles), `|${titles.map(() => "---").join("|")}|`, ...rows.map(line), ""].join("\n");
}

function flow(value: unknown): string {
  return stringify(value, { collectionStyle: "flow", lineWidth: 0, flowCollectionPadding: true }).trim();
}

/** Values at a path of a row, in whichever group or metric has it. */
function valuesAt(value: unknown, parts: readonly string[]): unknown[] {
  const [part, ...rest] = parts;
  if (part === undefined) return value === undefined ? [] : [value];
  if (Array.isArray(value)) return value.flatMap((entry) => valuesAt(entry, parts));
  if (!isMapping(value)) return [];
  if (part.startsWith("<")) return Object.values(value).flatMap((entry) => valuesAt(entry, rest));
  return Object.hasOwn(value, part) ? valuesAt(value[part], rest) : [];
}

/** An example, and each level of its factors as if it were set, so that a varied key has an example too. */
function asWritten(yaml: string): unknown[] {
  const scenario = parse(yaml) as Mapping;
  const factors = isMapping(scenario.factors) ? scenario.factors : {};
  const levels = Object.entries(factors).flatMap(([path, list]) =>
    (Array.isArray(list) ? (list as unknown[]) : [list]).map((level) =>
      (parsePath(path) ?? []).reduceRight<unknown>((below, part) => ({ [part]: below }), level),
    ),
  );
  return [scenario, ...levels];
}

/** How a key is written in the examples; the shortest one, undefined where none has it. */
export function exampleOf(path: string): string | undefined {
  const parts = path.replaceAll("[]", "").split(".");
  const found = EXAMPLES.flatMap(({ yaml }) => asWritten(yaml).flatMap((one) => valuesAt(one, parts)));
  const texts = found.map(flow).sort((a, b) => a.length - b.length);
  const [text] = texts.filter((one) => one !== "{}");
  if (text === undefined) return undefined;
  const key = parts.at(-1) ?? "";
  return text.length > SHOWN_CHARACTERS ? "see the examples" : `\`${key}: ${text}\``;
}

function paragraph(text: string): string {
  return wrap(text, LINE_CHARACTERS).join("\n");
}

/** An item of a list, with the items below it. */
function item(text: string, below: readonly string[] = []): string {
  const lines = (one: string, indent: string): string[] =>
    wrap(one, LINE_CHARACTERS - indent.length - 2).map(
      (line, i) => `${indent}${i === 0 ? "- " : "  "}${line}`,
    );
  return [...lines(text, ""), ...below.flatMap((one) => lines(one, "  "))].join("\n");
}

function rowList(rows: readonly KeyRow[]): string {
  const items = rows.map(({ path, meaning, takes, otherwise }) => {
    const example = exampleOf(path);
    const facts = [
      `Values: ${takes}.`,
      otherwise === "required" ? "Required." : otherwise && `Default: ${otherwise}.`,
      example && `Example: ${example}.`,
    ].filter((fact) => fact !== undefined);
    return item(`**\`${path}\`** ${meaning}`, [facts.join(" ")]);
  });
  return `${items.join("\n")}\n`;
}

function groupTables(): string {
  const groups = WORKLOADS.flatMap(({ name, roles }) =>
    Object.entries(roles).map(([role, { clients, thinkTimeMs, isByDefault }]) => [
      `\`${role}\``,
      name,
      isByDefault ? "yes" : "no",
      String(clients),
      `${thinkTimeMs}ms`,
    ]),
  );
  const keysOf = (keys: readonly string[]): string => keys.map((key) => `\`${key}\``).join(", ");
  const executors = executorKeys().map(({ name, needs, takes }) => [
    `\`${name}\``,
    keysOf(needs),
    keysOf(takes),
  ]);
  return [
    `\`${GROUP}\` is one of:\n`,
    table(["group", "workload", "by default", "default clients", "default think time"], groups),
    "`false` in place of a group leaves it out.\n",
    "Each executor needs some keys of `load` and may have others:\n",
    table(["executor", "needs", "may have"], executors),
  ].join("\n");
}

function section({ key, description, rows }: KeySection): string {
  const groups = key === "actors" ? [groupTables()] : [];
  const isSaidBelow = rows[0]?.path === key;
  return [
    `## \`${key}\`\n`,
    ...(isSaidBelow ? [] : [`${paragraph(description)}\n`]),
    ...groups,
    rowList(rows),
  ].join("\n");
}

/** What the program says of a scenario that it refuses. */
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

function refusals(): string {
  const written = (yaml: string): string => {
    const others = Object.entries(parse(yaml) as Mapping).filter(([key]) => key !== "name");
    return `\`${flow(Object.fromEntries(others)).replace(/^\{ (.*) \}$/, "$1")}\``;
  };
  return [
    "## What is refused\n",
    "Each is refused before anything is started, with these words:\n",
    ...REFUSED.map(({ title, yaml }) => item(`${title}: ${written(yaml)}`, [refusalOf(yaml)])),
    "",
  ].join("\n");
}

function examples(): string {
  const parts = EXAMPLES.map(({ title, yaml }) => {
    const { treatments } = parseScenario(yaml, "scenario.yaml");
    const ids = treatments.map(({ id }) => `\`${id}\``).join(", ");
    const said = `${treatments.length === 1 ? "One treatment" : `${treatments.length} treatments`}: ${ids}.`;
    return `### ${title}\n\n\`\`\`yaml\n${yaml}\`\`\`\n\n${paragraph(said)}\n`;
  });
  return ["## Examples\n", ...parts].join("\n");
}

/** The page, Markdown; ends with a newline. */
export function scenarioReferencePage(): string {
  const sections = keySections();
  const isSmall = ({ key, rows }: KeySection): boolean =>
    rows[0]?.path === key && rows.length <= ROWS_TOGETHER;
  const small = sections.filter(isSmall);
  const large = sections.filter((one) => !isSmall(one));
  return [
    INTRODUCTION,
    "## Keys at the top\n",
    rowList(small.flatMap(({ rows }) => rows)),
    `${paragraph(`With keys of their own below: ${large.map(({ key }) => `[\`${pathText([key])}\`](#${key.toLowerCase()})`).join(", ")}.`)}\n`,
    ...large.map(section),
    FACTORS,
    examples(),
    refusals(),
  ].join("\n");
}
