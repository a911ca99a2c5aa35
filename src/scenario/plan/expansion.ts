// From a raw scenario to treatments. Each combination of levels becomes a scenario of its own, is checked as one, and
// its problems are told of where the level stands in the file. Refuses treatments that would run the same thing under
// two names.
import { canonical, nameTreatments } from "./levels.js";
import { combine, levelNames, type LevelNames, type Levels, type OverriddenFactors } from "./matrix.js";
import { outlineOf, type Outline } from "../outline.js";
import { deepCopy, getIn, pathText, setIn, startsWith, type Mapping, type Path } from "../../syntax/paths.js";
import type { Finding } from "../../syntax/problems.js";
import { checkScenario, type Checked } from "../rules.js";
import { factorPath } from "../schema-paths.js";
import type { Treatment } from "../settings.js";

/** A problem of some treatments. */
export interface TreatmentFinding extends Finding {
  readonly treatmentIds: readonly string[];
}

export interface Expansion {
  readonly treatments: readonly Treatment[];
  readonly findings: readonly TreatmentFinding[];
  /** Ids of all treatments, those with problems too. */
  readonly ids: readonly string[];
  /** Of all treatments; undefined where a problem leaves open what the factors are. */
  readonly outlines: readonly Outline[] | undefined;
}

/** One combination as a scenario without factors, and which part of it came from where. */
interface Combination {
  readonly raw: Mapping;
  readonly origins: readonly { readonly path: Path; readonly origin: Path }[];
  /** Levels that could not be set, and what is in their way. */
  readonly obstacles: readonly { readonly path: Path; readonly origin: Path }[];
}

function apply(base: Mapping, levels: Levels): Combination {
  const raw = deepCopy(base) as Mapping;
  const assignments = [...levels].flatMap(([key, level]) => {
    const resolved = factorPath(key);
    return "path" in resolved ? [{ path: resolved.path, level }] : [];
  });
  // The shorter path first: `pool` before `pool.size`, which changes a part of it.
  assignments.sort((a, b) => a.path.length - b.path.length);
  const obstacles = assignments.flatMap(({ path, level }) => {
    const obstacle = setIn(raw, path, deepCopy(level.value));
    return obstacle ? [{ path: obstacle, origin: level.origin }] : [];
  });
  return { raw, origins: assignments.map(({ path, level }) => ({ path, origin: level.origin })), obstacles };
}

/** The place in the scenario that `path` of a treatment came from. */
function originOf(path: Path, combination: Combination): Path {
  const candidates = combination.origins.filter((candidate) => startsWith(path, candidate.path));
  const best = candidates.sort((a, b) => b.path.length - a.path.length)[0];
  return best ? [...best.origin, ...path.slice(best.path.length)] : path;
}

function levelTexts(
  levels: Levels,
  paths: readonly string[],
  base: Mapping,
  names: LevelNames,
): Record<string, string> {
  return Object.fromEntries(
    paths.map((path) => {
      const own = levels.get(path)?.text;
      if (own !== undefined) return [path, own];
      const resolved = factorPath(path);
      const value = "path" in resolved ? getIn(base, resolved.path) : undefined;
      return [path, (value === undefined ? undefined : names.get(path)?.get(canonical(value))) ?? "default"];
    }),
  );
}

/** Treatments that differ in their levels and yet run the same settings. */
function twins(treatments: readonly Treatment[], keys: ReadonlyMap<string, string>): TreatmentFinding[] {
  const first = new Map<string, Treatment>();
  return treatments.flatMap((treatment) => {
    const settings = canonical(treatment.settings);
    const other = first.get(settings);
    if (!other) first.set(settings, treatment);
    if (!other || keys.get(other.id) === keys.get(treatment.id)) return [];
    const message =
      `treatments ${other.id} and ${treatment.id} run the same settings; remove one, or give one level twice ` +
      "for an A/A pair";
    return [{ path: ["factors"], message, isAboutKey: true, treatmentIds: [] }];
  });
}

/** Levels that cannot be set, but for a value in their way that is refused itself. */
function obstacleFindings({ obstacles }: Combination, { isUnknown }: Checked): Finding[] {
  return obstacles
    .filter(({ path }) => !isUnknown(path))
    .map(({ path, origin }) => ({ path: origin, message: `cannot be set: ${pathText(path)} has no keys` }));
}

const ofAll = (finding: TreatmentFinding): TreatmentFinding => ({ ...finding, treatmentIds: [] });

/** More than anybody reads: whoever has so many in a few treatments is not told of the others'. */
const FINDINGS_MOST = 10_000;

/** The treatments of a raw scenario, and every problem of its factors and of each combination. */
export function expand(scenario: Mapping, overridden: OverriddenFactors = new Set()): Expansion {
  const matrixFindings: Finding[] = [];
  const names = levelNames(scenario);
  const combinations = combine(scenario, names, overridden, matrixFindings);
  const ids = nameTreatments(combinations);
  const paths = [...new Set(combinations.flatMap((levels) => [...levels.keys()]))];
  const base = Object.fromEntries(
    Object.entries(scenario).filter(([key]) => !["factors", "include", "exclude"].includes(key)),
  );
  const findings: TreatmentFinding[] = matrixFindings.map((finding) => ({ ...finding, treatmentIds: [] }));
  const treatments: Treatment[] = [];
  const outlines: Outline[] = [];
  const keys = new Map<string, string>();
  let areFactorsKnown = matrixFindings.length === 0;
  for (const [i, levels] of combinations.entries()) {
    if (findings.length > FINDINGS_MOST) break;
    const id = ids[i] ?? "";
    const combination = apply(base, levels);
    if (combination.obstacles.length > 0) areFactorsKnown = false;
    const checked = checkScenario(combination.raw, base);
    const texts = levelTexts(levels, paths, base, names);
    outlines.push(outlineOf(id, texts, checked));
    if (checked.findings.length === 0) treatments.push({ id, levels: texts, settings: checked.settings });
    const own: Finding[] = [
      ...obstacleFindings(combination, checked),
      ...checked.findings.map((one) => ({ ...one, path: originOf(one.path, combination) })),
    ];
    findings.push(...own.map((finding) => ({ ...finding, treatmentIds: [id] })));
    keys.set(id, canonical(Object.fromEntries([...levels].map(([path, level]) => [path, level.value]))));
  }
  const isWhole = outlines.length === combinations.length;
  return {
    treatments,
    // Of those that were looked at nothing says whether it concerns them alone.
    findings: [...(isWhole ? findings : findings.map(ofAll)), ...twins(treatments, keys)],
    ids,
    outlines: areFactorsKnown && isWhole ? outlines : undefined,
  };
}
