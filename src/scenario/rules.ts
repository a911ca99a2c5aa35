// The two passes over a scenario without factors: its schema, and, once that takes it, the rules that span several keys.
// Each shows all of its problems at once; no rule has to reckon with a key that the schema refuses.
import { parsePath, type Mapping } from "../syntax/paths.js";
import { findingsFrom, type Finding } from "../syntax/problems.js";
import {
  poolSizeProblems,
  sessionModeProblems,
  statementModeProblems,
  type PoolProblem,
} from "./pool-rules.js";
import { resolveTreatment } from "./resolve.js";
import { dialectRules } from "./rules-dialect.js";
import { faultWindowRules, obstacleRules, overlapRules } from "./rules-faults.js";
import { loadRules, workerRules } from "./rules-load.js";
import {
  certificateRules,
  connectionRules,
  passwordCommandRules,
  passwordEveryRules,
  poolRules,
  poolTlsRules,
  settingRules,
  targetRules,
  tlsFileRules,
  urlTlsRules,
} from "./rules-target.js";
import {
  advanceRules,
  batchRules,
  claimRules,
  drainRules,
  emptinessRules,
  profileRoleRules,
  profileSizeRules,
  rangeRules,
  retryRules,
  topologyRules,
} from "./rules-workload.js";
import { Scenario } from "./schema.js";
import { keySuggestion } from "./schema-paths.js";
import type { TreatmentSettings } from "./settings.js";

type Rule = (scenario: Scenario, settings: TreatmentSettings) => readonly Finding[];

const ofSettings =
  (rule: (settings: TreatmentSettings) => readonly Finding[]): Rule =>
  (_, settings) =>
    rule(settings);

const ofPool = (rule: (settings: TreatmentSettings) => readonly PoolProblem[]): Rule =>
  ofSettings((settings) =>
    rule(settings).map(({ path, message }) => ({ path: parsePath(path) ?? [path], message })),
  );

const RULES: readonly Rule[] = [
  ofSettings(dialectRules),
  targetRules,
  passwordEveryRules,
  certificateRules,
  tlsFileRules,
  urlTlsRules,
  ofSettings(settingRules),
  ofSettings(connectionRules),
  poolRules,
  poolTlsRules,
  ofSettings(passwordCommandRules),
  rangeRules,
  batchRules,
  claimRules,
  advanceRules,
  retryRules,
  topologyRules,
  emptinessRules,
  drainRules,
  loadRules,
  workerRules,
  profileRoleRules,
  profileSizeRules,
  ofSettings(faultWindowRules),
  ofSettings(overlapRules),
  ofSettings(obstacleRules),
  ofPool(poolSizeProblems),
  ofPool(sessionModeProblems),
  ofPool(statementModeProblems),
];

/** The first pass: the scenario with its defaults, or all that the schema refuses. */
export function readScenario(
  raw: Mapping,
): { readonly scenario: Scenario } | { readonly findings: readonly Finding[] } {
  const parsed = Scenario.safeParse(raw);
  if (parsed.success) return { scenario: parsed.data };
  return { findings: findingsFrom(parsed.error, raw, (key, path) => keySuggestion(key, path, false)) };
}

/** The second pass: what the scenario means, and everything that is wrong with that. */
export function checkScenario(scenario: Scenario): {
  readonly settings: TreatmentSettings;
  readonly findings: readonly Finding[];
} {
  const settings = resolveTreatment(scenario);
  return { settings, findings: RULES.flatMap((rule) => rule(scenario, settings)) };
}
