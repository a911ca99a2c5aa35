// Checks a scenario without factors: its schema, then the rules on several keys. No rule reads a key that the schema refuses.
import { isMapping, startsWith, type Mapping, type Path } from "../syntax/paths.js";
import { nearest } from "../syntax/nearest.js";
import { findingsFrom, type Finding } from "../syntax/problems.js";
import { poolRules } from "./pool-rules.js";
import { resolveTreatment } from "./resolve.js";
import { dialectRules } from "./rules-dialect.js";
import { faultWindowRules, lossRules, faultObstacleRules, faultOverlapRules } from "./rules-faults.js";
import { loadRules, profileRoleRules, thinkTimeRules, workerRules } from "./rules-load.js";
import {
  coldCacheRules,
  connectionRules,
  passwordCommandRules,
  settingRules,
  standbyRules,
} from "./rules-target.js";
import { poolKeyProblems } from "../pools/registry.js";
import { targetKeyProblems } from "../targets/registry.js";
import { hasUnreadWorkload, Scenario, schemaFor } from "./schema.js";
import { pathsOf } from "./schema-paths.js";
import type { TreatmentSettings } from "./settings.js";
import { findOwnWorkload, readOwnWorkload } from "../workloads/own.js";
import { OwnForm } from "../workloads/own-forms.js";
import { WORKLOAD_KEY_SCHEMAS, ROLES, WORKLOADS, workloadOf } from "../workloads/registry.js";

type Rule = (scenario: Scenario, settings: TreatmentSettings) => readonly Finding[];

const settingsRule =
  (rule: (settings: TreatmentSettings) => readonly Finding[]): Rule =>
  (_, settings) =>
    rule(settings);

const RULES: readonly Rule[] = [
  settingsRule(dialectRules),
  protocolRules,
  ({ target }) => targetKeyProblems(target),
  settingsRule(settingRules),
  settingsRule(standbyRules),
  settingsRule(coldCacheRules),
  settingsRule(connectionRules),
  ({ pool }) => poolKeyProblems(pool),
  settingsRule(passwordCommandRules),
  thinkTimeRules,
  retryRules,
  loadRules,
  workerRules,
  profileRoleRules,
  settingsRule(faultWindowRules),
  settingsRule(faultOverlapRules),
  settingsRule(faultObstacleRules),
  settingsRule(lossRules),
  settingsRule(poolRules),
];

function retryRules({ retry: { base, ceiling } }: Scenario): Finding[] {
  if (base <= ceiling) return [];
  const message = `must not be longer than retry.ceiling (${base}ms > ${ceiling}ms)`;
  return [{ path: ["retry", "base"], message }];
}

function protocolRules({ prepared, pipeline, workload }: Scenario): Finding[] {
  const { name, isSimple, canPipeline } = workloadOf({ workload });
  const findings: Finding[] = [];
  if (prepared === "simple" && !isSimple) {
    const message = `statements of ${name} have parameters, which the simple protocol lacks; use true or false`;
    findings.push({ path: ["prepared"], message });
  }
  if (pipeline && !canPipeline) {
    const message = `workload ${name} sends its statements one by one; remove it, or use Train Events or your own SQL`;
    findings.push({ path: ["pipeline"], message });
  } else if (pipeline && prepared === "simple")
    findings.push({
      path: ["pipeline"],
      message: "the simple protocol has no pipelines; use prepared: true",
    });
  return findings;
}

/** Findings on keys and roles that belong to another workload. */
function foreignKeys(raw: Mapping): Finding[] {
  const { data: workload, success } = Scenario.shape.workload.safeParse(raw["workload"]);
  if (!success || hasUnreadWorkload(raw)) return [];
  const scenarioWorkload = workloadOf({ workload });
  const foreign = (path: Path, owner: string): Finding => ({
    path,
    message: `belongs to workload ${owner}, and this one is ${scenarioWorkload.name}; remove it, or set workload: ${owner}`,
    isAboutKey: true,
  });
  const owningWorkloadName = (isIts: (each: (typeof WORKLOADS)[number]) => boolean): string =>
    WORKLOADS.find(isIts)?.name ?? "";
  const keys = Object.keys(WORKLOAD_KEY_SCHEMAS)
    .filter((key) => key in raw && !(key in scenarioWorkload.settings.keys))
    .map((key) =>
      foreign(
        [key],
        owningWorkloadName(({ settings }) => key in settings.keys),
      ),
    );
  const writtenRoles = isMapping(raw.actors) ? raw.actors : {};
  const roles = ROLES.filter((role) => role in writtenRoles && !(role in scenarioWorkload.roles));
  return [
    ...keys,
    ...roles.map((role) =>
      foreign(
        ["actors", role],
        owningWorkloadName((each) => role in each.roles),
      ),
    ),
  ];
}

/** True if the finding is about an unknown key that a user's workload might have. */
function mayBeWorkloadKey({ path, isAboutKey }: Finding): boolean {
  const [key] = path;
  return isAboutKey === true && path.length === 1 && nearest(String(key), ["workload"]) === undefined;
}

/** Problems of the user's workload in a treatment whose levels change a part of it, such as `workload.scale`. */
function ownProblems({ workload }: Mapping): Finding[] {
  const own = OwnForm.safeParse(workload);
  if (!own.success) return [];
  return readOwnWorkload(own.data).problems.map(({ file, place: { line }, message }) => ({
    path: ["workload"],
    message: `${file}:${line}: ${message}`,
  }));
}

/** The first pass: the scenario with its defaults, or all findings of the schema. */
export function readScenario(
  raw: Mapping,
): { readonly scenario: Scenario } | { readonly findings: readonly Finding[] } {
  const parsed = schemaFor(raw).safeParse(raw);
  const problems = ownProblems(raw);
  if (problems.length > 0) return { findings: problems };
  const foreign = findOwnWorkload(raw) ? [] : foreignKeys(raw);
  if (parsed.success) return foreign.length > 0 ? { findings: foreign } : { scenario: parsed.data };
  const paths = pathsOf(raw);
  const findings = findingsFrom(parsed.error, raw, (key, path) => paths.keySuggestion(key, path, false));
  const isOnForeignKey = ({ path }: Finding): boolean => foreign.some((one) => startsWith(path, one.path));
  const isWorkloadUnread = hasUnreadWorkload(raw);
  return {
    findings: [
      ...findings.filter(
        (finding) => !isOnForeignKey(finding) && !(isWorkloadUnread && mayBeWorkloadKey(finding)),
      ),
      ...foreign,
    ],
  };
}

export function rulesOf(scenario: Scenario): readonly Rule[] {
  return [...RULES, ...(workloadOf(scenario).settings.rules ?? [])];
}

/** The second pass: the settings of the scenario, and all findings of the rules on them. */
export function checkScenario(scenario: Scenario): {
  readonly settings: TreatmentSettings;
  readonly findings: readonly Finding[];
} {
  const settings = resolveTreatment(scenario);
  return { settings, findings: rulesOf(scenario).flatMap((rule) => rule(scenario, settings)) };
}
