// The workloads that a scenario names: files take the place of their paths, and files of SQL their level of a factor.
import { UsageError } from "../foundation/errors.js";
import { isMapping, type Mapping, type Path } from "../syntax/paths.js";
import { ScenarioError, safePath } from "../syntax/problems.js";
import type { YamlSource } from "../syntax/yaml-source.js";
import {
  addDeclaration,
  embedFiles,
  nameOf,
  readOwnWorkload,
  VARIANT_KEY,
  withSyntax,
  type ReadText,
} from "../workloads/own.js";
import { LABEL, OwnForm, WORKLOAD_FILE_PATTERN } from "../workloads/own-forms.js";
import { workloadPartPlaces, workloadPlaces, writtenAt, type WorkloadPlace } from "../workloads/places.js";
import { WORKLOADS } from "../workloads/registry.js";
import type { Overrides } from "./plan/overrides.js";
import { COMMON_KEYS } from "./schema.js";

/** A scenario's text with its name in messages. */
interface ScenarioText {
  readonly source: YamlSource;
  readonly name: string;
}

/** Puts the files that the scenario names in place of their paths, which are relative to the directory. */
export function embedWorkloads(
  scenarioMapping: Mapping,
  { source, name }: ScenarioText,
  directory: string,
  { read, against }: Pick<Overrides, "read" | "against">,
): void {
  for (const place of workloadPlaces(scenarioMapping)) {
    const key = WORKLOADS.find((each) => each.name === writtenAt(place))?.settings.directoryKey;
    if (key !== undefined && isMapping(place.holder)) place.holder[key] ??= directory;
  }
  embedPaths(scenarioMapping, source, name, (place) => embedAt(place, directory, read));
  if (against !== undefined) addAgainst(scenarioMapping, against);
}

/**
 * Completes the workloads once the options of the command line have been applied, whose paths are relative to the working
 * directory. Throws a ScenarioError if a workload has a problem. `isStored`: the scenario was stored with its files.
 */
export function completeWorkloads(
  scenarioMapping: Mapping,
  { source, name }: ScenarioText,
  { isStored, loadsCode }: { readonly isStored: boolean; readonly loadsCode: true | undefined },
): void {
  for (const place of [...workloadPlaces(scenarioMapping), ...workloadPartPlaces(scenarioMapping)])
    embedAt(place, process.cwd());
  requireOwn(scenarioMapping, source, name);
  for (const place of workloadPlaces(scenarioMapping)) {
    const ownTarget = isMapping(place.holder) ? targetOf(place.holder) : undefined;
    write(place, withSyntax(writtenAt(place), ownTarget ?? targetOf(scenarioMapping)));
    requireValidWorkload(writtenAt(place), loadsCode);
    if (!isStored) write(place, addDeclaration(writtenAt(place)));
  }
  const { workload } = scenarioMapping;
  for (const place of workloadPartPlaces(scenarioMapping))
    if (place.part && isMapping(workload))
      requireValidWorkload({ ...workload, [place.part]: writtenAt(place) }, loadsCode);
  varyVariants(scenarioMapping);
}

/** Puts the contents of files in place of the paths that stand at the place. */
function embedAt(place: WorkloadPlace, directory: string, read?: ReadText): void {
  const written = writtenAt(place);
  const { part } = place;
  if (part === undefined) write(place, embedFiles(written, directory, read));
  else write(place, (embedFiles({ pgbench: [], [part]: written }, directory, read) as Mapping)[part]);
}

function write({ holder, key }: WorkloadPlace, workload: unknown): void {
  (holder as Mapping)[key] = workload;
}

/** Adds a second file of the user as a level of the workload. Throws a UsageError if the scenario has not one file. */
function addAgainst(scenarioMapping: Mapping, against: string): void {
  const { workload, factors = {} } = scenarioMapping;
  if (!WORKLOAD_FILE_PATTERN.test(against))
    throw new UsageError(
      `--against ${against} is no file of SQL or module`,
      "Name a file, such as after.sql.",
    );
  if (workloadPlaces(scenarioMapping).length !== 1 || !OwnForm.safeParse(workload).success)
    throw new UsageError(
      `--against needs one file of yours to compare ${against} with`,
      "Name it in place of a scenario: run before.sql --against after.sql; or name it as the scenario's workload.",
    );
  scenarioMapping["factors"] = {
    workload: [workload, embedFiles(against, process.cwd())],
    ...(factors as Mapping),
  };
}

/** Makes the variants of the user's file a factor, unless the scenario says which treatments have which variant. */
function varyVariants(scenarioMapping: Mapping): void {
  const own = OwnForm.safeParse(scenarioMapping["workload"]);
  const variants = own.success ? readOwnWorkload(own.data).program?.variants : undefined;
  const { factors = {}, include } = scenarioMapping;
  const hasEntries = Array.isArray(include) && include.length > 0;
  if (!variants || scenarioMapping[VARIANT_KEY] !== undefined || !isMapping(factors)) return;
  if (factors[VARIANT_KEY] !== undefined || (hasEntries && Object.keys(factors).length === 0)) return;
  scenarioMapping["factors"] = { ...factors, [VARIANT_KEY]: variants.map(({ name }) => name) };
}

/** The target that a mapping names, or its first level if it varies. */
function targetOf({ target, factors }: Mapping): unknown {
  return target ?? (isMapping(factors) ? factors["target"] : undefined);
}

/** Replaces the paths of workloads by the content of their files. Throws a ScenarioError if a file cannot be read. */
function embedPaths(
  given: Mapping,
  source: YamlSource,
  name: string,
  embed: (place: WorkloadPlace) => void,
): void {
  for (const place of [...workloadPlaces(given), ...workloadPartPlaces(given)])
    try {
      embed(place);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      // A workload's file that was itself named on the command line has no line in a scenario.
      const position = WORKLOAD_FILE_PATTERN.test(name) ? {} : source.locate(place.at, false);
      const path = safePath(place.at);
      throw new ScenarioError(name, [{ source: name, ...position, path, message: error.message }]);
    }
}

/**
 * Refuses workloads that vary, unless all are files of the user. The first one becomes the scenario's own workload if none
 * stands above: it decides which keys there are.
 */
function requireOwn(scenarioMapping: Mapping, source: YamlSource, name: string): void {
  const places = workloadPlaces(scenarioMapping);
  const varied = places.filter(({ holder }) => holder !== scenarioMapping);
  const [first] = varied;
  if (!first) return;
  const others = varied.filter((place) => !OwnForm.safeParse(writtenAt(place)).success);
  const { workload, include } = scenarioMapping;
  const isBaseOwn = workload === undefined || OwnForm.safeParse(workload).success;
  const isUnnamed = (entry: unknown): boolean => isMapping(entry) && entry["workload"] === undefined;
  const isBaseNeeded = workload === undefined && varied.every(({ at }) => at[0] !== "factors");
  const unnamed = (isBaseNeeded && Array.isArray(include) ? (include as unknown[]) : []).flatMap(
    (entry, i): Path[] => (isUnnamed(entry) ? [["include", i]] : []),
  );
  const refused = [...(isBaseOwn ? others : varied).map(({ at }) => at), ...unnamed];
  if (refused.length === 0) {
    scenarioMapping["workload"] ??= writtenAt(first);
    return;
  }
  const message = (at: Path): string => {
    const place = places.find((each) => each.at === at);
    return place ? levelProblem(writtenAt(place)) : "names no workload; name it here or above";
  };
  const problems = refused.map((at) => ({
    source: name,
    ...source.locate(at, false),
    path: safePath(at),
    message: message(at),
  }));
  throw new ScenarioError(name, problems);
}

/** The problem of a varied workload that is no file of the user. */
function levelProblem(written: unknown): string {
  const label = isMapping(written) ? LABEL.optional().safeParse(written["label"]).error : undefined;
  if (label) return label.issues[0]?.message ?? "";
  if (isMapping(written) && !("pgbench" in written))
    return "is no whole workload; to vary one of its keys, write for example workload.tables: [./a.sql, ./b.sql] below factors";
  return "a workload varies among your own files alone, such as ./before.sql and ./after.sql";
}

/** Throws a ScenarioError with all problems of a user's workload, because its keys are unknown while it has any. */
function requireValidWorkload(written: unknown, loadsCode: true | undefined): void {
  const ownForm = OwnForm.safeParse(written);
  if (!ownForm.success) return;
  const { problems, program } = readOwnWorkload(ownForm.data, loadsCode);
  const reservedSettings = (program?.settings ?? []).filter(
    ({ name }) => COMMON_KEYS.includes(name) || name === "isolation",
  );
  const all = [
    ...problems,
    ...reservedSettings.map(({ name, place }) => ({
      place,
      file: nameOf(ownForm.data),
      message: `every scenario has a key ${name}; rename the setting`,
    })),
  ];
  if (all.length === 0) return;
  throw new ScenarioError(
    all[0]?.file ?? "",
    all.map(({ file, place: { line, column }, message }) => ({
      source: file,
      line,
      column,
      path: "",
      message,
    })),
    "docs/reference/workloads.md describes your own workloads.",
  );
}
