// Each combination of levels is checked as a separate scenario, with problems at the level's place in the file.
import { canonicalText, nameTreatments } from "./levels.js";
import { combine, levelNames, type LevelNames, type Levels, type OverriddenFactors } from "./matrix.js";
import { deepCopy, getIn, pathText, setIn, startsWith, type Mapping, type Path } from "../../syntax/paths.js";
import type { Finding } from "../../syntax/problems.js";
import { checkScenario, readScenario } from "../rules.js";
import { reliableFindings } from "../reliable-findings.js";
import { pathsOf, type ScenarioPaths } from "../schema-paths.js";
import type { Scenario } from "../schema.js";
import type { Treatment } from "../settings.js";

/** A finding with the treatments that it concerns. */
export interface TreatmentFinding extends Finding {
  readonly treatmentIds: readonly string[];
}

interface NamedTreatment {
  readonly id: string;
  readonly levels: Readonly<Record<string, string>>;
  readonly combination: Combination;
}

/** A treatment whose keys the schema accepts. */
interface ReadTreatment extends NamedTreatment {
  readonly scenario: Scenario;
  /** Key that treatments with the same levels share. */
  readonly key: string;
}

/** A treatment with keys that the schema refuses. */
interface RefusedTreatment extends NamedTreatment {
  readonly refusals: readonly Finding[];
}

export interface Expansion {
  /** Ids of all treatments, treatments with problems included. */
  readonly ids: readonly string[];
  readonly read: readonly ReadTreatment[];
  readonly refused: readonly RefusedTreatment[];
  /** Scenario paths that vary. */
  readonly factors: readonly Path[];
  /** Scenario paths whose levels are refused; undefined if the user may have meant other treatments. */
  readonly doubtful: readonly Finding[] | undefined;
  /** Problems of the factors, and the schema's findings in each combination. */
  readonly findings: readonly TreatmentFinding[];
}

/** A combination as a scenario without factors, and the source of each part of it. */
interface Combination {
  readonly raw: Mapping;
  readonly origins: readonly { readonly path: Path; readonly origin: Path }[];
  /** Levels that could not be set, each with the place of the value that prevented it. */
  readonly obstacles: readonly { readonly path: Path; readonly origin: Path }[];
}

function apply(base: Mapping, levels: Levels, paths: ScenarioPaths): Combination {
  const raw = deepCopy(base) as Mapping;
  const assignments = [...levels].flatMap(([key, level]) => {
    const resolvedPath = paths.factorPath(key);
    return "path" in resolvedPath ? [{ path: resolvedPath.path, level }] : [];
  });
  // The shorter path first: `pool` before `pool.size`, which changes a part of it.
  assignments.sort((a, b) => a.path.length - b.path.length);
  const obstacles = assignments.flatMap(({ path, level }) => {
    const obstacle = setIn(raw, path, deepCopy(level.value));
    return obstacle ? [{ path: obstacle, origin: level.origin }] : [];
  });
  return { raw, origins: assignments.map(({ path, level }) => ({ path, origin: level.origin })), obstacles };
}

/** The place in the scenario that the value at a treatment's `path` came from. */
function originOf(path: Path, combination: Combination): Path {
  const candidates = combination.origins.filter((candidate) => startsWith(path, candidate.path));
  const longestCandidate = candidates.sort((a, b) => b.path.length - a.path.length)[0];
  return longestCandidate ? [...longestCandidate.origin, ...path.slice(longestCandidate.path.length)] : path;
}

function levelTexts(
  levels: Levels,
  factors: readonly string[],
  base: Mapping,
  paths: ScenarioPaths,
  names: LevelNames,
): Record<string, string> {
  return Object.fromEntries(
    factors.map((path) => {
      const own = levels.get(path)?.text;
      if (own !== undefined) return [path, own];
      const resolvedPath = paths.factorPath(path);
      const value = "path" in resolvedPath ? getIn(base, resolvedPath.path) : undefined;
      return [
        path,
        (value === undefined ? undefined : names.get(path)?.get(canonicalText(value))) ?? "default",
      ];
    }),
  );
}

/** Treatments that have different levels but run the same settings. */
function duplicateTreatmentFindings(
  treatments: readonly Treatment[],
  read: readonly ReadTreatment[],
): TreatmentFinding[] {
  const keys = new Map(read.map(({ id, key }) => [id, key]));
  const first = new Map<string, Treatment>();
  return treatments.flatMap((treatment) => {
    const settings = canonicalText(treatment.settings);
    const other = first.get(settings);
    if (!other) first.set(settings, treatment);
    if (!other || keys.get(other.id) === keys.get(treatment.id)) return [];
    const message =
      `treatments ${other.id} and ${treatment.id} run the same settings; remove one, or give one level twice ` +
      "for an A/A pair";
    return [{ path: ["factors"], message, isAboutKey: true, treatmentIds: [] }];
  });
}

const FINDINGS_MAX = 1000;

/**
 * Findings of the treatments, at their places in the scenario. Stops after many; then findings concern all treatments,
 * since the rest was not checked.
 */
function findingsOf<T extends { readonly id: string; readonly combination: Combination }>(
  treatments: readonly T[],
  look: (treatment: T) => readonly Finding[],
): TreatmentFinding[] {
  const findings: TreatmentFinding[] = [];
  for (const treatment of treatments) {
    if (findings.length > FINDINGS_MAX) return findings.map((one) => ({ ...one, treatmentIds: [] }));
    for (const finding of look(treatment)) {
      const path = originOf(finding.path, treatment.combination);
      findings.push({ ...finding, path, treatmentIds: [treatment.id] });
    }
  }
  return findings;
}

/** The paths of these factors, as refused places; undefined if a factor's path is unknown. */
function doubtfulPaths(paths: ScenarioPaths, findings: readonly Finding[]): Finding[] | undefined {
  const found = findings.map(({ path: [group, key], message }) => {
    const resolvedPath = group === "factors" && key !== undefined ? paths.factorPath(String(key)) : undefined;
    return resolvedPath && "path" in resolvedPath ? { path: resolvedPath.path, message } : undefined;
  });
  // Without its workload no key of a treatment can be judged.
  const known = found.flatMap((one) => (one && one.path[0] !== "workload" ? [one] : []));
  return known.length === found.length ? known : undefined;
}

/** The combinations of a raw scenario, each read by the schema. */
export function expandScenario(scenario: Mapping, overridden: OverriddenFactors = new Set()): Expansion {
  const matrixFindings: Finding[] = [];
  const paths = pathsOf(scenario);
  const names = levelNames(scenario);
  const combinations = combine(scenario, names, overridden, matrixFindings);
  const ids = nameTreatments(combinations);
  const factorKeys = [...new Set(combinations.flatMap((levels) => [...levels.keys()]))];
  const base = Object.fromEntries(
    Object.entries(scenario).filter(([key]) => !["factors", "include", "exclude"].includes(key)),
  );
  const read: ReadTreatment[] = [];
  const refused: RefusedTreatment[] = [];
  const applied = combinations.map((levels, i) => ({
    id: ids[i] ?? "",
    levels,
    combination: apply(base, levels, paths),
  }));
  const findings = findingsOf(applied, ({ id, levels, combination }) => {
    const found = readScenario(combination.raw);
    const refusals = "findings" in found ? found.findings : [];
    // The value that prevents a level may itself be refused.
    const obstacles = combination.obstacles
      .filter(({ path }) => !refusals.some((one) => pathText(one.path) === pathText(path)))
      .map(({ path, origin }) => ({ path: origin, message: `cannot be set: ${pathText(path)} has no keys` }));
    const named = { id, levels: levelTexts(levels, factorKeys, base, paths, names), combination };
    if ("findings" in found) {
      refused.push({ ...named, refusals });
      return [...obstacles, ...refusals];
    }
    const key = canonicalText(Object.fromEntries([...levels].map(([path, level]) => [path, level.value])));
    read.push({ ...named, scenario: found.scenario, key });
    return obstacles;
  });
  const factors = factorKeys.flatMap((key) => {
    const resolvedPath = paths.factorPath(key);
    return "path" in resolvedPath ? [resolvedPath.path] : [];
  });
  return {
    ids,
    read,
    refused,
    factors,
    doubtful: doubtfulPaths(paths, matrixFindings),
    findings: [...matrixFindings.map((finding) => ({ ...finding, treatmentIds: [] })), ...findings],
  };
}

/** Findings of the rules in treatments that the schema refuses in part; none if the user may have meant other treatments. */
export function ruleFindings({ read, refused, doubtful }: Expansion): TreatmentFinding[] {
  if (!doubtful) return [];
  const reliableFindingsOf = (
    { combination }: NamedTreatment,
    refusals: readonly Finding[],
  ): readonly Finding[] => reliableFindings(combination.raw, [...refusals, ...doubtful]);
  return [
    ...findingsOf(read, (treatment) =>
      doubtful.length > 0 ? reliableFindingsOf(treatment, []) : checkScenario(treatment.scenario).findings,
    ),
    ...findingsOf(refused, (treatment) => reliableFindingsOf(treatment, treatment.refusals)),
  ];
}

/** The treatments with their settings, and the findings of the rules. */
export function checkTreatments({ read }: Expansion): {
  readonly treatments: readonly Treatment[];
  readonly findings: readonly TreatmentFinding[];
} {
  const treatments: Treatment[] = [];
  const findings = findingsOf(read, ({ id, levels, scenario }) => {
    const checkedScenario = checkScenario(scenario);
    if (checkedScenario.findings.length === 0)
      treatments.push({ id, levels, settings: checkedScenario.settings });
    return checkedScenario.findings;
  });
  return { treatments, findings: [...findings, ...duplicateTreatmentFindings(treatments, read)] };
}
