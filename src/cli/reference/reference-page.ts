// The reference of scenario keys as a page, `docs/scenario.md`: tables from the JSON Schema, examples from scenarios
// that load, refusals in the program's own words. It is generated so that it cannot drift: a test holds the
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

/** A value with more rows than this has a section of its own, as every mapping has. */
const ROWS_TOGETHER = 3;
const SHOWN_CHARACTERS = 60;

const INTRODUCTION = `# The scenario, key by key

A scenario is a YAML file. This page is written by \`train-sim json-schema --markdown\` from the schema that checks
scenarios, so the two cannot differ; do not edit it by hand.

- An unknown key is an error, with the nearest valid one. All problems are shown at once, each with file, line and column.
- A duration has a unit: \`250ms\`, \`30s\`, \`5m\`, \`1h30m\` (\`us ms s m h\`). Only \`0\` needs none.
- A size has a unit: \`900B\`, \`4kB\`, \`1MB\` (\`B kB MB GB TB\`, multiples of 1024).
- A path names a key below others: \`actors.producers.load.clients\`. \`--set path=value\` takes any; so does \`factors\`.
- An editor that knows YAML schemas completes and checks with this first line of the file:
  \`# yaml-language-server: $schema=../schema/scenario.schema.json\`
- \`train-sim validate FILE\` checks, \`train-sim run FILE --plan\` shows treatments, trials and the time they take (\`--json\`: for
  programs, as \`validate --json\`; with \`--find-capacity\`, whose trials are not known in advance, \`search\` is true and their
  number and times are null).
- Relative paths in a scenario, also those in its connection URLs, are relative to the file; in \`--set\` to the directory
  where it is typed.
- Passwords are better left to PGPASSWORD: stored scenarios leave them out.
`;

const FACTORS = `## How factors make treatments

Every combination of the levels under \`factors\` is a treatment. \`exclude\` takes combinations away, \`include\` adds to
those that match it, or adds one of its own. Everything that is not under \`factors\` is the same for all. A
treatment is named after its levels. Two treatments with the same settings are refused, unless one level is
written twice: that is an A/A pair, which shows how much trials differ by chance. At most 1000 combinations of the
factors, before \`exclude\` takes some out, and 1000 treatments with those of \`include\`.
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

function rowTable(rows: readonly KeyRow[]): string {
  return table(
    ["key", "meaning", "values", "default", "example"],
    rows.map(({ path, meaning, takes, otherwise }) => [
      `\`${path}\``,
      meaning,
      takes,
      otherwise ?? "–",
      exampleOf(path) ?? "",
    ]),
  );
}

function groupTables(): string {
  const groups = WORKLOADS.flatMap(({ name, roles }) =>
    Object.entries(roles).map(([role, { clients, thinkTimeMs, isByDefault }]) => [
      `\`${role}\``,
      name,
      isByDefault ? "yes" : "no",
      ...[String(clients), `${thinkTimeMs}ms`],
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
    "The executors, with the keys of `load` that each needs and may have:\n",
    table(["executor", "needs", "may have"], executors),
  ].join("\n");
}

function section({ key, description, rows }: KeySection): string {
  const groups = key === "actors" ? [groupTables()] : [];
  const isSaidBelow = rows[0]?.path === key;
  return [`## \`${key}\`\n`, ...(isSaidBelow ? [] : [`${description}\n`]), ...groups, rowTable(rows)].join(
    "\n",
  );
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
    "Before anything is started, in these words:\n",
    table(
      ["what", "as", "answer"],
      REFUSED.map(({ title, yaml }) => [title, written(yaml), refusalOf(yaml)]),
    ),
  ].join("\n");
}

function examples(): string {
  const parts = EXAMPLES.map(({ title, yaml }) => {
    const { treatments } = parseScenario(yaml, "scenario.yaml");
    const ids = treatments.map(({ id }) => `\`${id}\``).join(", ");
    const said = `${treatments.length === 1 ? "One treatment" : `${treatments.length} treatments`}: ${ids}.`;
    return `### ${title}\n\n\`\`\`yaml\n${yaml}\`\`\`\n\n${said}\n`;
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
    rowTable(small.flatMap(({ rows }) => rows)),
    `With keys of their own below: ${large.map(({ key }) => `[\`${pathText([key])}\`](#${key})`).join(", ")}.\n`,
    ...large.map(section),
    FACTORS,
    examples(),
    refusals(),
  ].join("\n");
}
