// All problems come at once in one `ScenarioError`. The resolved scenario loads to the same experiment again.
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import { UsageError } from "../foundation/errors.js";
import { freshSeed } from "../foundation/prng.js";
import {
  checkTreatments,
  expandScenario,
  ruleFindings,
  type Expansion,
  type TreatmentFinding,
} from "./plan/expansion.js";
import { applyOverrides, type AppliedOverrides, type Overrides } from "./plan/overrides.js";
import { outrankedClients } from "./outranked.js";
import { isMapping, mapTexts, pathText, type Mapping } from "../syntax/paths.js";
import { ScenarioError, safePath, type Finding, type ScenarioProblem } from "../syntax/problems.js";
import { resolveDiagnosis } from "./resolve.js";
import { findingsDespiteRefusals, removeRefusedKeys } from "./reliable-findings.js";
import { readScenario } from "./rules.js";
import { EXPERIMENT_KEYS, Scenario } from "./schema.js";
import { withoutPasswords } from "../foundation/secrets.js";
import { ignoredVariables } from "../database/registry.js";
import { makeFilePathsAbsolute, completeUrls } from "./connection-places.js";
import { completeWorkloads, embedWorkloads } from "./scenario-workloads.js";
import { thresholdMetrics, type ThresholdMetrics } from "./threshold-metrics.js";
import { findOwnWorkloads } from "../workloads/own.js";
import { WORKLOAD_FILE_PATTERN } from "../workloads/own-forms.js";
import { workloadOf } from "../workloads/registry.js";
import type { Experiment } from "./settings.js";
import { duetFindings } from "./duet.js";
import { resolveObjective } from "./objective.js";
import { mostTrials, resolveStopping } from "./stopping.js";
import { resolvePublished } from "./published.js";
import { resolveRatioThresholds } from "./ratio-thresholds.js";
import { resolveThresholds } from "./thresholds.js";
import { planTrials } from "./plan/trial-order.js";
import { nearest } from "../syntax/nearest.js";
import { parseYaml, readScenarioFile, type YamlSource } from "../syntax/yaml-source.js";

const PASSWORD_NOTE = "# Passwords were left out of the URLs: set PGPASSWORD.\n";

function resolvedYaml(raw: Mapping, originalText: string): string {
  const safe = mapTexts(raw, withoutPasswords);
  const isPasswordLeftOut =
    originalText.startsWith(PASSWORD_NOTE) || JSON.stringify(safe) !== JSON.stringify(raw);
  const note = isPasswordLeftOut ? PASSWORD_NOTE : "";
  return note + stringify(safe, { aliasDuplicateObjects: false, lineWidth: 0 });
}

/**
 * Merges findings to one problem for each place and message, with the treatments that it concerns unless it concerns all.
 */
function mergeFindingsByPlace(
  findings: readonly TreatmentFinding[],
  treatmentCount: number,
  source: YamlSource,
  overrides: AppliedOverrides,
  name: string,
): ScenarioProblem[] {
  const merged = new Map<
    string,
    { finding: TreatmentFinding; treatments: Set<string>; isGeneral: boolean }
  >();
  for (const finding of findings) {
    const key = `${pathText(finding.path)} ${finding.message}`;
    const entry = merged.get(key) ?? { finding, treatments: new Set<string>(), isGeneral: false };
    for (const id of finding.treatmentIds) entry.treatments.add(id);
    if (finding.treatmentIds.length === 0) entry.isGeneral = true;
    merged.set(key, entry);
  }
  return [...merged.values()].map(({ finding, treatments, isGeneral }) => {
    const position = source.locate(finding.path, finding.isAboutKey === true);
    const optionLabel = overrides.labelOf(finding.path, position.depth);
    const isPartial = !isGeneral && treatments.size > 0 && treatments.size < treatmentCount;
    return {
      source: optionLabel ?? name,
      ...(optionLabel === undefined && { line: position.line, column: position.column }),
      path: safePath(finding.path),
      message: finding.message,
      ...(finding.seen !== undefined && { seen: finding.seen }),
      ...(isPartial && { treatments: [...treatments] }),
    };
  });
}

function compareByPosition(a: ScenarioProblem, b: ScenarioProblem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

interface ReadScenario {
  readonly source: YamlSource;
  readonly applied: AppliedOverrides;
  readonly raw: Mapping;
}

function read(text: string, name: string, overrides: Overrides): ReadScenario {
  const source = parseYaml(text, name);
  const directory = path.dirname(path.resolve(name));
  const scenarioMapping = makeFilePathsAbsolute(source.value, directory);
  const scenarioText = { source, name };
  const isStored = isMapping(scenarioMapping["workload"]);
  embedWorkloads(scenarioMapping, scenarioText, directory, overrides);
  const applied = applyOverrides(scenarioMapping, overrides);
  completeWorkloads(scenarioMapping, scenarioText, { isStored, loadsCode: overrides.loadsCode });
  // Paths on the command line are relative to the working directory; paths in the file are absolute by now.
  const overriddenScenario = completeUrls(
    makeFilePathsAbsolute(scenarioMapping, process.cwd()),
    overrides.environment ?? {},
  );
  const { name: title, seed = overrides.defaultSeed ?? freshSeed(), ...others } = overriddenScenario;
  return { source, applied, raw: { ...(title !== undefined && { name: title }), seed, ...others } };
}

/** A treatment as a separate scenario, with its files, levels and passwords. */
export interface SingleTreatment {
  readonly id: string;
  readonly scenario: Mapping;
}

/** The treatments of a valid scenario, each as a separate scenario. */
export function singleTreatments(text: string, name: string, overrides: Overrides): SingleTreatment[] {
  const { raw, applied } = read(text, name, overrides);
  return expandScenario(raw, applied.factors).read.map(({ id, combination }) => ({
    id,
    scenario: combination.raw,
  }));
}

/**
 * The experiment that a scenario's text describes.
 * @param name name of the file in messages; certificate paths are relative to its directory
 */
export function parseScenario(text: string, name: string, overrides: Overrides = {}): Experiment {
  const { source, applied, raw } = read(text, name, overrides);
  const { seed } = raw;
  const expansion = expandScenario(raw, applied.factors);
  const throwIfProblems = (findings: readonly TreatmentFinding[], more: readonly ScenarioProblem[]): void => {
    const problems = [
      ...more,
      ...mergeFindingsByPlace(findings, expansion.ids.length, source, applied, name),
    ];
    if (problems.length > 0) throw new ScenarioError(name, problems.sort(compareByPosition));
  };
  const whole = readScenario(raw);
  // The expansion finds problems of treatments' keys, because a factor may supply a key that the scenario itself leaves
  // open.
  const experimentKeyFindings = ("findings" in whole ? whole.findings : []).filter(
    ({ path: at }) => expansion.ids.length === 0 || EXPERIMENT_KEYS.includes(String(at[0])),
  );
  const refusals = [...experimentKeyFindings.map(forAllTreatments), ...expansion.findings];
  if (refusals.length > 0)
    throwIfProblems(
      [...refusals, ...ruleFindings(expansion), ...experimentFindings(raw, expansion)],
      applied.problems,
    );
  throwIfProblems([], applied.problems);

  const scenario = experimentKeys(raw);
  const { treatments, findings } = checkTreatments(expansion);
  const thresholdFindings: Finding[] = [];
  const areAllTreatmentsValid = treatments.length === expansion.ids.length;
  const metrics = metricsOfWorkloads(raw, scenario);
  const measuring = areAllTreatmentsValid ? treatments : undefined;
  const asked = [expansion.read, measuring, thresholdFindings, metrics] as const;
  const thresholds = resolveThresholds(scenario.thresholds, ...asked);
  const ratioThresholds = resolveRatioThresholds(scenario.thresholds, ...asked);
  const published = resolvePublished(scenario.published, ...asked);
  const most = mostTrials(scenario.trials);
  const objective = resolveObjective(scenario.objective, measuring, metrics, thresholdFindings);
  const stopping = resolveStopping(scenario, most, expansion.ids.length, objective, thresholdFindings);
  if (scenario.order === "duet" && measuring) thresholdFindings.push(...duetFindings(measuring));
  const outranked = outrankedClients(applied.clients, treatments);
  throwIfProblems(
    [...thresholdFindings.map(forAllTreatments), ...findings],
    outranked.problem ? [outranked.problem] : [],
  );
  const hasUrlTarget = treatments.some(({ settings }) => settings.target.kind === "url");
  const ignoredVariableNames = hasUrlTarget ? ignoredVariables(overrides.environment ?? {}) : [];
  return {
    name: scenario.name,
    seed: Number(seed),
    treatments,
    trials: planTrials(expansion.ids, {
      trials: most,
      order: scenario.order,
      orderSeed: scenario.orderSeed,
      seed: Number(seed),
      stored: overrides.trialOrder,
    }),
    ...(stopping && { stopping }),
    ...(objective && { objective }),
    thresholds,
    ratioThresholds,
    published,
    diagnosis: resolveDiagnosis(scenario),
    yaml: resolvedYaml(raw, text),
    ...(outranked.warning !== undefined && { warnings: [outranked.warning] }),
    ...(ignoredVariableNames.length > 0 && { ignoredVariables: ignoredVariableNames }),
  };
}

function metricsOfWorkloads(raw: Mapping, scenario: Scenario): ThresholdMetrics {
  const ownWorkloads = findOwnWorkloads(raw);
  return thresholdMetrics(ownWorkloads.length > 0 ? ownWorkloads : [workloadOf(scenario)]);
}

/** Findings of the rules on the experiment's keys. Rules on levels are skipped if a varied value is refused. */
function experimentFindings(raw: Mapping, expansion: Expansion): TreatmentFinding[] {
  const whole = readScenario(raw);
  const findings = "findings" in whole ? whole.findings : [];
  if (expansion.doubtful?.length !== 0) return [];
  const rest = removeRefusedKeys(raw, [
    ...findings,
    ...expansion.refused.flatMap(({ refusals }) => refusals),
  ]);
  if (!rest || rest.refused.mayVary) return [];
  const { scenario, refused } = rest;
  if (expansion.factors.some((path) => refused.isReadUnreliable(path, true))) return [];
  const named = [...expansion.read, ...expansion.refused];
  const metrics = metricsOfWorkloads(raw, scenario);
  const findingsOf = (look: (seen: Scenario, found: Finding[]) => void): readonly Finding[] =>
    findingsDespiteRefusals(scenario, refused, (seen) => {
      const found: Finding[] = [];
      look(seen, found);
      return found;
    });
  return [
    ...findingsOf(({ thresholds }, found) => resolveThresholds(thresholds, named, undefined, found, metrics)),
    ...findingsOf(({ thresholds }, found) =>
      resolveRatioThresholds(thresholds, named, undefined, found, metrics),
    ),
    ...findingsOf(({ published }, found) => resolvePublished(published, named, undefined, found, metrics)),
    ...findingsOf(({ objective }, found) => resolveObjective(objective, undefined, metrics, found)),
    ...findingsOf((seen, found) =>
      resolveStopping(seen, mostTrials(seen.trials), named.length, undefined, found),
    ),
  ].map(forAllTreatments);
}

const forAllTreatments = (finding: Finding): TreatmentFinding => ({ ...finding, treatmentIds: [] });

/** Keys of the experiment itself, typed; the schema has accepted them already. */
function experimentKeys(raw: Mapping): Scenario {
  const experimentEntries = Object.entries(raw).filter(([key]) => EXPERIMENT_KEYS.includes(key));
  return Scenario.parse(Object.fromEntries(experimentEntries));
}

const BUNDLED_SCENARIOS_DIRECTORY = fileURLToPath(new URL("../../scenarios/", import.meta.url));

/** Path of the named file, or of the bundled scenario of that name. Refuses a misspelt name of a bundled scenario. */
function scenarioFileOf(named: string): string {
  if (!/^[\w-]+$/.test(named) || existsSync(named)) return named;
  const names = readdirSync(BUNDLED_SCENARIOS_DIRECTORY).flatMap(
    (file) => /^(.*)\.yaml$/.exec(file)?.[1] ?? [],
  );
  if (names.includes(named)) return path.join(BUNDLED_SCENARIOS_DIRECTORY, `${named}.yaml`);
  const near = nearest(named, names);
  if (near === undefined) return named;
  throw new UsageError(
    `scenario ${named} does not exist`,
    `Did you mean the bundled scenario ${near}? Or write a starter: npx train-sim init ${named}`,
  );
}

/** A scenario that consists of a workload's file, with defaults for everything else. */
function scenarioForWorkload(file: string): string {
  const { name, base } = path.parse(file);
  return stringify({ name: name.replace(/[^\w.-]/g, "-"), workload: `./${base}` });
}

/** Reads and checks a scenario, or a workload's file in place of one; rejects with a `UsageError`. */
export async function loadScenario(named: string, overrides: Overrides = {}): Promise<Experiment> {
  const file = scenarioFileOf(named);
  const text = WORKLOAD_FILE_PATTERN.test(file) ? scenarioForWorkload(file) : await readScenarioFile(file);
  const experiment = parseScenario(text, file, { ...overrides, loadsCode: true });
  return { ...experiment, directory: path.dirname(path.resolve(file)) };
}
