// Problems of a scenario in one shape for all sources: zod, a rule or the YAML parser. Passwords are never repeated.
import type * as z from "zod";
import { UsageError } from "../foundation/errors.js";
import { elidedText } from "../foundation/shown.js";
import { nearest } from "./nearest.js";
import { getIn, isMapping, pathText, type Path } from "./paths.js";
import { keyWithoutPasswords, withoutPasswords } from "../foundation/secrets.js";
import type { KeyIssue } from "./tagged-union.js";

export interface Finding {
  readonly path: Path;
  readonly message: string;
  /** The value as shown to people; absent if there was none. */
  readonly seen?: string;
  /** True if the key itself is wrong, not its value. */
  readonly isAboutKey?: boolean;
}

/** The reason why something is refused, and the remedy (`way`); each without a capital and a full stop. */
export interface Refusal {
  readonly words: string;
  readonly way: string;
}

/** The remedy as a sentence, for the hint of an error. */
export function hintOf({ way }: Refusal): string {
  const sentence = `${way.slice(0, 1).toUpperCase()}${way.slice(1)}`;
  return sentence.endsWith("?") ? sentence : `${sentence}.`;
}

export interface ScenarioProblem {
  /** Source of the value: the file, or the flag (`--set batch.min`). */
  readonly source: string;
  /** Line of the file, from 1. */
  readonly line?: number;
  readonly column?: number;
  readonly path: string;
  readonly message: string;
  readonly seen?: string;
  /** Ids of the treatments that the problem concerns; absent if it concerns all. */
  readonly treatments?: readonly string[];
}

const MAX_PRINTED_PROBLEMS = 20;
/** Maximum number of characters of a problem's text, since a file may hold a key of a megabyte. */
const MAX_PROBLEM_CHARACTERS = 1000;

/** Text of a problem: `file:line:column path: message (seen ...)`. */
export function problemText(problem: ScenarioProblem): string {
  const { source, line, column, path, message, seen, treatments } = problem;
  const place = line === undefined ? source : `${source}:${line}:${column ?? 1}`;
  const first = treatments?.[0];
  const more = (treatments?.length ?? 0) > 1 ? ` and ${(treatments?.length ?? 0) - 1} more` : "";
  const where = first === undefined ? "" : ` [in treatment ${first}${more}]`;
  // A flag names its path already, unless the problem lies deeper in its value.
  const isPathNamed = path === "" || source === `--set ${path}` || /^--(?!set\b)/.test(source);
  const text = `${place}${isPathNamed ? (line === undefined ? ":" : "") : ` ${path}:`} ${message}${seen === undefined ? "" : ` (seen ${seen})`}${where}`;
  return elidedText(text, MAX_PROBLEM_CHARACTERS);
}

/** A path as shown to people, without passwords: a URL may stand where a key should. */
export function safePath(path: Path): string {
  // Each part separately, because a quoted part is cut short where the password ends.
  return pathText(path.map((part) => (typeof part === "string" ? keyWithoutPasswords(part) : part)));
}

/** The problem from any source, with passwords removed. */
function redactProblem(problem: ScenarioProblem): ScenarioProblem {
  const { source, path, message, seen } = problem;
  return {
    ...problem,
    source: keyWithoutPasswords(source),
    path: withoutPasswords(path),
    message: withoutPasswords(message),
    ...(seen !== undefined && { seen: withoutPasswords(seen) }),
  };
}

/** A scenario that cannot be run; exit code 104. Holds every problem that was found. */
export class ScenarioError extends UsageError {
  /** Problems without passwords. */
  readonly problems: readonly ScenarioProblem[];

  constructor(
    readonly file: string,
    found: readonly ScenarioProblem[],
    hint = "`npx train-sim json-schema` describes every key.",
  ) {
    const problems = found.map(redactProblem);
    const printed = problems.slice(0, MAX_PRINTED_PROBLEMS).map((problem) => `  ${problemText(problem)}`);
    if (problems.length > MAX_PRINTED_PROBLEMS)
      printed.push(`  and ${problems.length - MAX_PRINTED_PROBLEMS} more`);
    const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
    super([`${count} in ${file}`, ...printed].join("\n"), hint);
    this.problems = problems;
  }
}

/** A value as shown to people: short, without passwords. */
export function seenText(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (isMapping(value)) return "a mapping";
  if (typeof value === "number" && !Number.isFinite(value)) {
    return Number.isNaN(value) ? ".nan" : value > 0 ? ".inf" : "-.inf";
  }
  const text =
    typeof value === "string" ? JSON.stringify(withoutPasswords(value)) : `${value as number | boolean}`;
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "a mapping (key: value)",
  record: "a mapping (key: value)",
  array: "a list",
};

type Issue = z.core.$ZodIssue;

function expectationText(issue: Issue): string {
  if (issue.code === "invalid_type") return EXPECTED[issue.expected] ?? issue.expected;
  if (issue.code === "invalid_value") {
    const values = issue.values.map(String);
    return values.length === 1 ? (values[0] ?? "") : `one of ${values.join(", ")}`;
  }
  return issue.message;
}

function choicesOf(issue: Issue): string[] {
  return issue.code === "invalid_value" ? issue.values.map(String) : [];
}

/**
 * Number of keys of the value that a union's branch does not know and that are no misspelling of a key that the branch
 * misses.
 */
function countUnknownKeys(branch: readonly Issue[], value: unknown): number {
  const missing = branch.flatMap(({ path: [key], code }) =>
    code !== "unrecognized_keys" && key !== undefined && getIn(value, [String(key)]) === undefined
      ? [String(key)]
      : [],
  );
  const unknown = branch.flatMap((issue) => (issue.code === "unrecognized_keys" ? issue.keys : []));
  return unknown.filter((key) => nearest(key, missing) === undefined).length;
}

/** Messages of the union's branch that the user meant: one that accepts the value's type, else of all branches. */
function unionMessages(issue: z.core.$ZodIssueInvalidUnion, value: unknown): Issue[] | string {
  const isAtRoot = (inner: Issue): boolean => inner.path.length === 0 && inner.code !== "unrecognized_keys";
  const [meant] = issue.errors
    .filter((branch) => branch.length > 0 && !branch.some(isAtRoot))
    .sort((a, b) => countUnknownKeys(a, value) - countUnknownKeys(b, value));
  if (meant) return meant;
  const firsts = issue.errors.flatMap((branch) => branch.slice(0, 1));
  const customIssue = firsts.find((inner) => inner.code !== "invalid_type" && inner.code !== "invalid_value");
  const choices = firsts.find((inner) => inner.code === "invalid_value" && inner.values.length > 1);
  if (choices && typeof value === "string") {
    const isNear = nearest(value, choicesOf(choices)) !== undefined;
    return customIssue && !isNear
      ? `${messageFor(choices, value)}, or ${expectationText(customIssue)}`
      : [choices];
  }
  if (customIssue && !isMapping(value)) return [customIssue];
  return `expected ${firsts.map(expectationText).join(", or ")}`;
}

function limitText(limit: number | bigint, origin: string): string {
  if (origin === "array") return `${limit} ${Number(limit) === 1 ? "item" : "items"}`;
  return origin === "string" ? `${limit} characters` : String(limit);
}

function messageFor(issue: Issue, value: unknown): string {
  if (issue.code === "invalid_type")
    return value === undefined
      ? `missing; expected ${expectationText(issue)}`
      : `expected ${expectationText(issue)}`;
  if (issue.code === "invalid_value") {
    const choices = issue.values.map(String);
    const near = typeof value === "string" ? nearest(value, choices) : undefined;
    if (near !== undefined) return `not one of ${choices.join(", ")}; did you mean ${near}?`;
    return value === undefined
      ? `missing; expected ${expectationText(issue)}`
      : `expected ${expectationText(issue)}`;
  }
  if (issue.code === "too_small" && issue.inclusive === false) return `must be above ${issue.minimum}`;
  if (issue.code === "too_small") return `must be at least ${limitText(issue.minimum, issue.origin)}`;
  if (issue.code === "too_big") return `must be at most ${limitText(issue.maximum, issue.origin)}`;
  if (issue.code === "invalid_key") return issue.issues[0]?.message ?? issue.message;
  return issue.message;
}

/** The message for a quoted value, which is a text where a number or a flag is expected. */
function addQuotesHint(message: string, value: unknown): string {
  const isMeant =
    (/a (whole )?number/.test(message) && Number.isFinite(Number(value))) ||
    (/true or false/.test(message) && /^(true|false)$/.test(String(value)));
  return typeof value === "string" && value.trim() !== "" && isMeant
    ? `${message}; remove the quotes`
    : message;
}

/** The likely meaning of a key that the mapping at `path` does not have. */
export type KeySuggestion = (key: string, path: Path) => string;

interface IssueFinding extends Finding {
  readonly missing?: Path;
  readonly isUnknown?: boolean;
}

function findingsOf(issue: Issue, root: unknown, prefix: Path, suggest: KeySuggestion): IssueFinding[] {
  const path: Path = [
    ...prefix,
    ...issue.path.map((part) => (typeof part === "symbol" ? String(part) : part)),
  ];
  const value = getIn(root, path);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `unknown key; ${suggest(key, path)}`,
      isAboutKey: true,
      isUnknown: true,
    }));
  }
  if (issue.code === "invalid_union") {
    const meant = unionMessages(issue, value);
    if (typeof meant !== "string") return meant.flatMap((inner) => findingsOf(inner, root, path, suggest));
    const message = addQuotesHint(meant, value);
    return [{ path, message, ...(value === undefined ? { missing: path } : { seen: seenText(value) }) }];
  }
  const about = issue.code === "custom" ? (issue.params as KeyIssue | undefined) : undefined;
  if (about && "lack" in about) return [{ path, message: issue.message, missing: [...path, about.lack] }];
  if (about || issue.code === "invalid_key")
    return [{ path, message: messageFor(issue, value), isAboutKey: true }];
  const message = addQuotesHint(messageFor(issue, value), value);
  return [{ path, message, ...(value === undefined ? { missing: path } : { seen: seenText(value) }) }];
}

/** True if a missing key is present under a similar, unknown name. */
function isKeyMisspelt(missing: Path, unknown: readonly Path[]): boolean {
  const [parent, key] = [pathText(missing.slice(0, -1)), String(missing.at(-1))];
  return unknown.some(
    (path) => pathText(path.slice(0, -1)) === parent && nearest(String(path.at(-1)), [key]) !== undefined,
  );
}

/** Every problem that zod found in `root`, one for each key and value; each place is reported once. */
export function findingsFrom(error: z.ZodError, root: unknown, suggest: KeySuggestion): Finding[] {
  const safeIntegerMessage = `must be at most ${Number.MAX_SAFE_INTEGER}`;
  const findingByPlace = new Map<string, IssueFinding>();
  for (const finding of error.issues.flatMap((issue) => findingsOf(issue, root, [], suggest))) {
    const place = pathText(finding.missing ?? finding.path);
    // A message on the key's own limit is more useful than one on the limit of all whole numbers.
    if (!findingByPlace.has(place) || findingByPlace.get(place)?.message === safeIntegerMessage)
      findingByPlace.set(place, finding);
  }
  const found = [...findingByPlace.values()];
  const unknown = found.filter(({ isUnknown }) => isUnknown).map(({ path }) => path);
  return found
    .filter(({ missing }) => missing === undefined || !isKeyMisspelt(missing, unknown))
    .map(({ path, message, seen, isAboutKey }) => ({
      path,
      message,
      ...(seen !== undefined && { seen }),
      ...(isAboutKey !== undefined && { isAboutKey }),
    }));
}

/** The problem of a range whose ends are in the wrong order; `unit` is the unit of its numbers. */
export function rangeOrderFindings(
  path: Path,
  range: { readonly min: number; readonly max: number } | undefined,
  unit: string,
): Finding[] {
  if (!range || range.min <= range.max) return [];
  const message = `min must not be greater than max (${range.min}${unit} > ${range.max}${unit})`;
  return [{ path: [...path, "min"], message }];
}
