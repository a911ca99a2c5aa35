// `include` and `exclude` by the rules of CI matrices. Refuses unknown paths, empty factors and entries without effect.
import { nameLevels, nameValues, canonicalText, type Level, type ValueNames } from "./levels.js";
import { levelsIn, rangeProblem } from "./range.js";
import { suggestion } from "../../syntax/nearest.js";
import { getIn, isMapping, type Mapping, type Path } from "../../syntax/paths.js";
import type { Finding } from "../../syntax/problems.js";
import { pathsOf } from "../schema-paths.js";

const MAX_TREATMENTS = 1000;

/** A combination: the level of each factor, by the factor's path as written. */
export type Levels = ReadonlyMap<string, Level>;

/** Keys of factors that the user overrode, so that entries of `exclude` may match no combination. */
export type OverriddenFactors = ReadonlySet<string>;

/** The names of all values that a key of `factors` or `include` has: its levels, and the value of the scenario itself. */
export type LevelNames = ReadonlyMap<string, ValueNames>;

/** Names of levels for the whole scenario, because results and thresholds identify a level by its name alone. */
export function levelNames(raw: Mapping): LevelNames {
  const paths = pathsOf(raw);
  const values = new Map<string, unknown[]>();
  const add = (key: string, value: unknown): void => {
    const known = values.get(key);
    if (known) known.push(value);
    else values.set(key, [value]);
  };
  const factors = isMapping(raw.factors) ? raw.factors : {};
  for (const [key, statedLevels] of Object.entries(factors))
    for (const value of levelsIn(statedLevels)) add(key, value);
  for (const entry of Array.isArray(raw.include) ? (raw.include as unknown[]) : [])
    for (const [key, value] of isMapping(entry) ? Object.entries(entry) : []) add(key, value);
  for (const [key, known] of values) {
    const resolvedPath = paths.factorPath(key);
    const own = "path" in resolvedPath ? getIn(raw, resolvedPath.path) : undefined;
    if (own !== undefined) known.push(own);
  }
  return new Map([...values].map(([key, all]) => [key, nameValues(all)]));
}

function factorsOf(raw: Mapping, names: LevelNames, findings: Finding[]): Map<string, Level[]> {
  const factors = new Map<string, Level[]>();
  if (!isMapping(raw.factors)) return factors;
  for (const [key, statedLevels] of Object.entries(raw.factors)) {
    const origin: Path = ["factors", key];
    const resolvedPath = pathsOf(raw).factorPath(key);
    if ("message" in resolvedPath) {
      findings.push({ path: origin, message: resolvedPath.message, isAboutKey: true });
      continue;
    }
    const own = getIn(raw, resolvedPath.path);
    // The workload above decides which keys there are, so it, or its scripts, may be one of the levels.
    const isLevel =
      /^workload(\.pgbench)?$/.test(key) && levelsIn(statedLevels).some((level) => matches(own, level));
    if (own !== undefined && !isLevel)
      findings.push({
        path: origin,
        message: `${key} is set above and varies here; keep one`,
        isAboutKey: true,
      });
    const problem = rangeProblem(statedLevels);
    if (problem !== undefined) findings.push({ path: origin, message: problem, seen: String(statedLevels) });
    const isList = Array.isArray(statedLevels);
    const items = levelsIn(statedLevels).map((value, i) => ({
      value,
      origin: isList ? [...origin, i] : origin,
    }));
    if (items.length === 0) {
      findings.push({ path: origin, message: "a factor needs at least one level" });
      continue;
    }
    for (const item of items) {
      if (item.value === null || item.value === undefined)
        findings.push({ path: item.origin, message: "expected a level", seen: "nothing" });
    }
    factors.set(key, nameLevels(items, names.get(key)));
  }
  return factors;
}

/** True if `value` has every key and value of `pattern`. */
function matches(value: unknown, pattern: unknown): boolean {
  if (isMapping(value) && isMapping(pattern))
    return Object.entries(pattern).every(
      ([key, part]) => Object.hasOwn(value, key) && matches(value[key], part),
    );
  // The short form `pool: direct` is the same level as `pool: { strategy: direct }`.
  if (isMapping(value) && typeof pattern === "string") return value.strategy === pattern;
  if (typeof value === "string" && isMapping(pattern))
    return Object.keys(pattern).length === 1 && pattern.strategy === value;
  return canonicalText(value) === canonicalText(pattern);
}

function everyCombination(factors: ReadonlyMap<string, readonly Level[]>): Levels[] {
  return [...factors].reduce<Levels[]>(
    (partial, [key, levels]) =>
      partial.flatMap((combination) => levels.map((level) => new Map([...combination, [key, level]]))),
    [new Map()],
  );
}

function entriesOf(raw: Mapping, list: "include" | "exclude", findings: Finding[]): [Mapping, Path][] {
  const entries = Array.isArray(raw[list]) ? (raw[list] as unknown[]) : [];
  return entries.flatMap((entry, i): [Mapping, Path][] => {
    const origin: Path = [list, i];
    if (!isMapping(entry)) return [];
    if (Object.keys(entry).length === 0)
      findings.push({ path: origin, message: "an empty entry matches everything" });
    const factorEntries = Object.entries(entry).filter(([key]) => {
      const resolvedPath = pathsOf(raw).factorPath(key);
      if ("path" in resolvedPath) return true;
      findings.push({ path: [...origin, key], message: resolvedPath.message, isAboutKey: true });
      return false;
    });
    return factorEntries.length > 0 ? [[Object.fromEntries(factorEntries), origin]] : [];
  });
}

function exclude(
  combinations: Levels[],
  raw: Mapping,
  factors: ReadonlyMap<string, unknown>,
  overridden: OverriddenFactors,
  findings: Finding[],
): Levels[] {
  let left = combinations;
  for (const [entry, origin] of entriesOf(raw, "exclude", findings)) {
    const keys = Object.keys(entry);
    for (const key of keys.filter((one) => !factors.has(one))) {
      const message = `not a factor of this scenario; ${suggestion(key, [...factors.keys()], "factors")}`;
      findings.push({ path: [...origin, key], message, isAboutKey: true });
    }
    const isExcluded = (levels: Levels): boolean =>
      keys.length > 0 && keys.every((key) => levels.has(key) && matches(levels.get(key)?.value, entry[key]));
    const areAllKeysFactors = keys.every((key) => factors.has(key));
    if (
      keys.length > 0 &&
      areAllKeysFactors &&
      !combinations.some(isExcluded) &&
      !keys.some((key) => overridden.has(key))
    )
      findings.push({ path: origin, message: "matches no combination of the factors' levels" });
    left = left.filter((levels) => !isExcluded(levels));
  }
  return left;
}

function include(
  combinations: Levels[],
  raw: Mapping,
  factors: ReadonlyMap<string, unknown>,
  names: LevelNames,
  findings: Finding[],
): Levels[] {
  const entries = entriesOf(raw, "include", findings);
  // Without factors the entries are the only combinations.
  const originalCombinations = factors.size === 0 && entries.length > 0 ? [] : combinations;
  const extendedCombinations = [...originalCombinations];
  const added: Levels[] = [];
  const extensions: IncludeExtension[] = [];
  for (const [entry, origin] of entries) {
    const levels = new Map<string, Level>();
    for (const [key, value] of Object.entries(entry)) {
      if (value === null)
        findings.push({ path: [...origin, key], message: "expected a level", seen: "nothing" });
      const [level] = nameLevels([{ value, origin: [...origin, key] }], names.get(key));
      if (level) levels.set(key, level);
    }
    const factorLevels = [...levels].filter(([key]) => factors.has(key));
    const others = [...levels].filter(([key]) => !factors.has(key));
    const matchingIndexes = originalCombinations.flatMap((original, i) =>
      factorLevels.every(([key, level]) => matches(original.get(key)?.value, level.value)) ? [i] : [],
    );
    if (matchingIndexes.length === 0) added.push(levels);
    else if (others.length === 0)
      findings.push({ path: origin, message: "adds nothing: these combinations are there already" });
    for (const i of matchingIndexes)
      extendedCombinations[i] = new Map([...(extendedCombinations[i] ?? []), ...others]);
    if (matchingIndexes.length > 0 && others.length > 0)
      extensions.push({ origin, others, matching: matchingIndexes });
  }
  const all = [...extendedCombinations, ...added];
  const unusedExtensions = extensions.filter(({ others, matching: matchingIndexes }) =>
    matchingIndexes.every((i) => others.every(([key, level]) => extendedCombinations[i]?.get(key) !== level)),
  );
  if (unusedExtensions.length > 0) findings.push(...unusedExtensions.map(overwrittenKeysFinding));
  else if (factors.size === 0 && all.length === 1) findings.push(...singleCombinationFindings(all));
  else findings.push(...replacedValueFindings(extensions, all, raw));
  return all;
}

/** An entry of `include` with the keys that it added to combinations of factors. */
interface IncludeExtension {
  readonly origin: Path;
  readonly others: readonly (readonly [string, Level])[];
  readonly matching: readonly number[];
}

/** The finding that no combination keeps a key of the entry. */
function overwrittenKeysFinding({ origin, others }: IncludeExtension): Finding {
  const keys = others.map(([key]) => key).join(", ");
  const message =
    `a later entry sets ${keys} of the same combinations; ` +
    "leave factors out, and list each treatment here with all that varies";
  return { path: origin, message };
}

/**
 * A finding if a single entry of `include` is the only combination, since it is not compared with the scenario's settings.
 */
function singleCombinationFindings([levels]: readonly Levels[]): Finding[] {
  const keys = [...(levels?.keys() ?? [])];
  const asFactor = keys.includes("workload") ? "list both files in factors.workload, " : "";
  const message =
    `leaves one treatment, and the scenario's own ${keys.join(", ")} in none; ${asFactor}` +
    `add an entry for that, or write ${keys.length > 1 ? "these keys" : "the key"} above`;
  return keys.length === 0 ? [] : [{ path: ["include"], message, isAboutKey: true }];
}

/** Findings on values that the scenario states and no combination keeps, because all replace them by the same value. */
function replacedValueFindings(
  extensions: readonly IncludeExtension[],
  combinations: readonly Levels[],
  raw: Mapping,
): Finding[] {
  return extensions.flatMap(({ origin, others }) =>
    others.flatMap(([key, level]): Finding[] => {
      const resolvedPath = pathsOf(raw).factorPath(key);
      const own = "path" in resolvedPath ? getIn(raw, resolvedPath.path) : undefined;
      const isBaseValueKept = combinations.some((levels) => levels.get(key)?.key !== level.key);
      if (own === undefined || matches(own, level.value) || isBaseValueKept) return [];
      const message =
        `replaces the ${key} above in every treatment; write it there, ` +
        "or leave factors out and list each treatment in include";
      return [{ path: [...origin, key], message, isAboutKey: true }];
    }),
  );
}

/** The combinations of a scenario's `factors`, `include` and `exclude`; a single one without levels if it has none. */
export function combine(
  raw: Mapping,
  names: LevelNames,
  overridden: OverriddenFactors,
  findings: Finding[],
): Levels[] {
  const factors = factorsOf(raw, names, findings);
  const count = [...factors.values()].reduce((product, levels) => product * levels.length, 1);
  if (count > MAX_TREATMENTS) {
    const message = `${count} combinations; at most ${MAX_TREATMENTS}`;
    findings.push({ path: ["factors"], message, isAboutKey: true });
    return [];
  }
  const left = exclude(everyCombination(factors), raw, factors, overridden, findings);
  const combinations = include(left, raw, factors, names, findings);
  if (combinations.length > MAX_TREATMENTS) {
    const message = `makes ${combinations.length} combinations in all; at most ${MAX_TREATMENTS}`;
    findings.push({ path: ["include"], message, isAboutKey: true });
    return [];
  }
  if (combinations.length === 0 && findings.length === 0)
    findings.push({ path: ["exclude"], message: "leaves no combination", isAboutKey: true });
  return combinations;
}
