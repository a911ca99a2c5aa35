// Precedence is file < `--set` < flags; a later `--set` wins. A problem is attributed to the flag, not to the file.
import { parseDocument } from "yaml";
import {
  getIn,
  isMapping,
  mapTexts,
  parsePath,
  pathText,
  setIn,
  startsWith,
  type Mapping,
  type Path,
} from "../../syntax/paths.js";
import { safePath, type ScenarioProblem } from "../../syntax/problems.js";
import { embedFiles, type ReadText } from "../../workloads/own.js";
import { pathsOf } from "../schema-paths.js";
import { keyWithoutPasswords } from "../../foundation/secrets.js";

export interface Overrides {
  /** Assignments `path=value`; the value is YAML. */
  readonly set?: readonly string[];
  readonly trials?: string | number;
  readonly duration?: string | number;
  readonly seed?: string | number;
  readonly agents?: string | number;
  /** Number of hosts with one agent each: it sets the number of agents, unless a factor varies that. */
  readonly agentHosts?: number;
  /** Seed for a scenario that states none; default: a random one. */
  readonly defaultSeed?: number;
  /** Treatment ids of a resumed run's trials, in order. */
  readonly trialOrder?: readonly string[];
  /** True if a workload module (code) may be loaded; absent when a result is only read. */
  readonly loadsCode?: true;
  /** Environment variables that complete connection URLs; left out if a stored scenario is read. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Another file of the user, which the scenario's own workload is compared with. */
  readonly against?: string;
  /** Reads files that the scenario names; default: from the disk. */
  readonly read?: ReadText;
}

interface Override {
  /** The flag in messages, such as `--set batch.min` or `--trials`. */
  readonly label: string;
  readonly path: Path;
  readonly value: unknown;
}

const AGENTS_PATH: Path = ["agents"];

const FLAG_PATHS = [
  { flag: "trials", path: ["trials"] },
  { flag: "duration", path: ["trial", "duration"] },
  { flag: "seed", path: ["seed"] },
  { flag: "agents", path: AGENTS_PATH },
] as const;

/** Splits at the first `=` outside quotes and braces. */
function splitAssignment(text: string): { path: string; value: string } | undefined {
  const match = /^((?:"[^"]*"|'[^']*'|\{[^}]*\}|[^="'{])+)=(.*)$/s.exec(text);
  return match ? { path: (match[1] ?? "").trim(), value: match[2] ?? "" } : undefined;
}

/** Parses a value as YAML. @param path place of the value, which counts in its depth of nesting */
function parseValue(text: string, path: Path): { value: unknown } | { message: string } {
  try {
    const document = parseDocument(text, { prettyErrors: false, version: "1.2" });
    const fault = document.errors[0] ?? document.warnings[0];
    if (fault?.code === "RESOURCE_EXHAUSTION") return { message: "nested too deeply" };
    if (fault) return { message: "the value is not valid YAML" };
    return { value: mapTexts(document.toJS({ maxAliasCount: 0 }), (one) => one, path) };
  } catch (error) {
    return { message: error instanceof RangeError ? "nested too deeply" : "the value is not valid YAML" };
  }
}

/** A problem of a path. The message omits the path if it may be a URL, cut at an `=` of its password. */
function pathProblem(path: string, message: string): ScenarioProblem {
  if (!/[@/?]/.test(path)) return { source: `--set ${path}`, path: "", message };
  const expectedForm = "expected path=value, such as target.url=postgresql://user@host:5432/database";
  return { source: "--set", path: "", message: `this is not a path; ${expectedForm}` };
}

function parseSet(text: string, raw: Mapping): Override | ScenarioProblem {
  const assignment = splitAssignment(text);
  if (!assignment) {
    const keyText = /^[\w.[\]]+$/.test(text) ? ` ${text}` : "";
    return {
      source: `--set${keyText}`,
      path: "",
      message: "expected path=value, such as actors.producers.clients=16",
    };
  }
  const label = `--set ${keyWithoutPasswords(assignment.path)}`;
  const resolvedPath = pathsOf(raw).knownPath(assignment.path);
  if ("message" in resolvedPath) return pathProblem(assignment.path, resolvedPath.message);
  const parsed = parseValue(assignment.value, resolvedPath.path);
  if ("message" in parsed)
    return { source: label, path: safePath(resolvedPath.path), message: parsed.message };
  // A path on the command line is relative to the working directory.
  const embed = (written: unknown): unknown => embedFiles(written, process.cwd());
  const embedBy: Readonly<Record<string, (written: unknown) => unknown>> = {
    workload: embed,
    "factors.workload": (levels) => (Array.isArray(levels) ? levels.map(embed) : levels),
  };
  const value = (embedBy[pathText(resolvedPath.path)] ?? ((written) => written))(parsed.value);
  return { label, path: resolvedPath.path, value };
}

/**
 * Sorts assignments into the order in which they are applied: the workload, whose keys others may set, then factors, then a
 * mapping before its keys. The last of two for the same path wins.
 */
function sortByPrecedence(assignments: readonly string[]): string[] {
  const rankOf = (text: string): readonly [number, number] => {
    const parts = parsePath(splitAssignment(text)?.path ?? "") ?? [];
    const group = ["workload", "factors"].indexOf(String(parts[0]));
    return [group < 0 ? Number.POSITIVE_INFINITY : group, parts.length];
  };
  return assignments
    .map((text) => ({ text, rank: rankOf(text) }))
    .sort(({ rank: [a, i] }, { rank: [b, j] }) => (a === b ? i - j : a - b))
    .map(({ text }) => text);
}

/** The factor that varies the value at `path`, which an assignment would fix. */
function factorVarying(raw: Mapping, path: Path): string | undefined {
  if (!isMapping(raw.factors) || path[0] === "factors") return undefined;
  return Object.keys(raw.factors).find((key) => {
    const resolvedPath = pathsOf(raw).knownPath(key);
    return "path" in resolvedPath && startsWith(path, resolvedPath.path);
  });
}

function applyOverride(raw: Mapping, { label, path, value }: Override): ScenarioProblem | undefined {
  const factor = factorVarying(raw, path);
  if (factor !== undefined) {
    const message = `${factor} is a factor of this scenario; use --set factors.${factor}=... to change or fix it`;
    return { source: label, path: safePath(path), message };
  }
  const obstacle = setIn(raw, path, value);
  if (obstacle)
    return { source: label, path: safePath(path), message: `${safePath(obstacle)} has nothing there` };
  // A factor set here has precedence over the value that the file states.
  const isFactor = path[0] === "factors" && path.length === 2;
  const variedPath = isFactor ? pathsOf(raw).knownPath(String(path[1])) : undefined;
  if (variedPath && "path" in variedPath && getIn(raw, variedPath.path) !== undefined) {
    const parent = getIn(raw, variedPath.path.slice(0, -1));
    const last = variedPath.path.at(-1);
    if (isMapping(parent) && last !== undefined) Reflect.deleteProperty(parent, last);
  }
  return undefined;
}

/** A problem if other keys of the executors override the number of clients, because the assignment would have no effect. */
function outrankedProblems(raw: Mapping, { label, path }: Override): ScenarioProblem[] {
  const [actors, role, load, key] = path;
  const isLoadKey = path.length === 4 && actors === "actors" && load === "load";
  if (!isLoadKey || role === undefined || (key !== "clients" && key !== "maxClients")) return [];
  const roleClientsPath: Path = ["actors", role, "clients"];
  const over = [roleClientsPath, ["clients"]].find((other) => getIn(raw, other) !== undefined);
  if (!over) return [];
  const message = `has no effect, because ${safePath(over)} overrides it; use --set ${safePath(roleClientsPath)}=...`;
  return [{ source: label, path: safePath(path), message }];
}

export interface AppliedOverrides {
  readonly clients: unknown;
  readonly problems: readonly ScenarioProblem[];
  /** Factors whose levels were replaced. */
  readonly factors: ReadonlySet<string>;
  /** The flag that the value at a path came from, if any; `depth` is the number of parts of `path` that the file has. */
  labelOf(path: Path, depth: number): string | undefined;
}

function commonPrefixLength(a: Path, b: Path): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

/** The path that holds the number of agents. Roles with separate agents keep the numbers that the file states. */
function agentsPath(raw: Mapping): Path {
  return isMapping(raw.agents) ? [...AGENTS_PATH, "count"] : AGENTS_PATH;
}

/** Applies all overrides to `raw` in place. */
export function applyOverrides(raw: Mapping, overrides: Overrides): AppliedOverrides {
  const problems: ScenarioProblem[] = [];
  const applied: Override[] = [];
  const take = (one: Override | ScenarioProblem): void => {
    const problem = "source" in one ? one : applyOverride(raw, one);
    if (problem) problems.push(problem);
    else if (!("source" in one)) applied.push(one);
  };
  for (const text of sortByPrecedence(overrides.set ?? [])) take(parseSet(text, raw));
  const flagOverrides = FLAG_PATHS.flatMap(({ flag, path }): Override[] => {
    const flagValue = overrides[flag];
    if (flagValue === undefined) return [];
    const parsed = typeof flagValue === "string" ? parseValue(flagValue, path) : { value: flagValue };
    return [
      {
        label: `--${flag}`,
        path: flag === "agents" ? agentsPath(raw) : path,
        value: "value" in parsed ? parsed.value : flagValue,
      },
    ];
  });
  for (const flag of flagOverrides) take(flag);
  const { agentHosts } = overrides;
  if (agentHosts !== undefined && factorVarying(raw, AGENTS_PATH) === undefined)
    take({ label: "--agents", path: agentsPath(raw), value: agentHosts });
  problems.push(...applied.flatMap((one) => outrankedProblems(raw, one)));
  const labelOf = (path: Path, depth: number): string | undefined => {
    const innermostOverride = applied.filter((override) => startsWith(path, override.path)).at(-1);
    if (innermostOverride) return innermostOverride.label;
    return applied.filter((override) => commonPrefixLength(path, override.path) > depth).at(-1)?.label;
  };
  const factors = applied.flatMap(({ path }) => (path[0] === "factors" ? [String(path[1])] : []));
  const clients = applied.filter(({ path }) => pathText(path) === "clients").at(-1)?.value;
  return { clients, problems, factors: new Set(factors), labelOf };
}
