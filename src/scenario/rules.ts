// The rules that a scenario's schema cannot say, as a table of what each one reads. So they also run over a scenario
// that has other faults: a problem is left out only where something that its rule reads is itself at fault, and the
// user sees every problem at once.
import { startsWith, type Mapping, type Path } from "../syntax/paths.js";
import { POOL_RULES } from "./pool-rules.js";
import { poolKeyProblems } from "../pools/registry.js";
import { strangerTargetKeys, TARGET_RULES, TELLING_KEYS } from "../targets/registry.js";
import type { Finding } from "../syntax/problems.js";
import { readScenario, type Reading } from "./reading.js";
import { resolveTreatment } from "./resolve.js";
import { dialectRules, profileRowRules } from "./rules-dialect.js";
import {
  faultKeyRules,
  faultNeedRules,
  faultWindowRules,
  obstacleRules,
  overlapRules,
} from "./rules-faults.js";
import {
  clientRules,
  executorRules,
  needRules,
  profileSizeRules,
  scheduleRules,
  windowRules,
} from "./rules-load.js";
import { connectionRules, passwordCommandRules, poolTlsRules, settingRules } from "./rules-target.js";
import {
  advanceRules,
  batchRules,
  claimRules,
  drainRules,
  emptinessRules,
  rangeOrder,
  retryRules,
  thinkTimeRules,
  topologyRules,
} from "./rules-workload.js";
import type { Scenario } from "./schema.js";
import { type TreatmentSettings } from "./settings.js";
import { ROLES } from "../workloads/train-events/settings.js";

interface Rule {
  /**
   * Keys that it reads, defaults included, beside the one that a finding is about. `*` is the group or the fault that a
   * finding is about; in a finding about all of them it is all.
   */
  readonly reads: readonly string[];
  readonly check: (scenario: Scenario, settings: TreatmentSettings) => readonly Finding[];
}

/** `prefix.key` of each key. */
function below(prefix: string, keys: readonly string[]): string[] {
  return keys.map((key) => `${prefix}.${key}`);
}

const KIND = below("target", TELLING_KEYS);
const POOLER = below("pool", ["strategy", "url", "urls"]);
const LOAD = "actors.*.load";
const CLIENTS = ["topology", "clients", "actors.*.workers", "actors.*.clients"];
/** What decides how many clients and threads there are. */
const DEMAND = ["topology", "clients", "actors"];
/** What decides whether the window has a known length. */
const BUDGETS = ["topology", ...ROLES.map((role) => `actors.${role}.load.executor`)];

/** What the rules of pools read beside keys of their own. */
const READ_OF_POOLS = {
  threads: ["pool.strategy", ...DEMAND],
  clients: [...KIND, ...POOLER, "pool.instances", ...DEMAND],
  statements: ["pool.strategy", "statementShape"],
};

const RULES: readonly Rule[] = [
  { reads: ["dialect", ...KIND], check: (_, settings) => dialectRules(settings) },
  { reads: KIND, check: ({ target }) => strangerTargetKeys(target) },
  ...TARGET_RULES.map(({ reads, check }) => ({
    reads: [...KIND, ...below("target", reads)],
    check: ({ target }: Scenario) => check(target),
  })),
  { reads: KIND, check: (_, settings) => settingRules(settings) },
  {
    reads: [...KIND, ...POOLER, ...below("pool", ["size", "instances"]), ...DEMAND],
    check: (_, settings) => connectionRules(settings),
  },
  { reads: POOLER, check: ({ pool }) => poolKeyProblems(pool) },
  { reads: [...POOLER, "pool.adminUrl"], check: poolTlsRules },
  { reads: [...KIND, ...POOLER], check: (_, settings) => passwordCommandRules(settings) },
  { reads: ["batch.min", "batch.max"], check: ({ batch }) => rangeOrder(["batch"], batch, "") },
  {
    reads: ["appDelay.min", "appDelay.max"],
    check: ({ appDelay }) => rangeOrder(["appDelay"], appDelay, "ms"),
  },
  { reads: below(`${LOAD}.thinkTime`, ["min", "max"]), check: thinkTimeRules },
  { reads: ["documentSize"], check: batchRules },
  { reads: [], check: claimRules },
  { reads: ["advance.complete", "advance.fail"], check: advanceRules },
  { reads: ["retry.base", "retry.ceiling"], check: retryRules },
  { reads: ["topology"], check: topologyRules },
  { reads: ["topology", "actors"], check: emptinessRules },
  { reads: ["topology", "actors.consumers"], check: drainRules },
  { reads: [`${LOAD}.executor`], check: executorRules },
  { reads: ["clients", "actors.*.clients", LOAD], check: needRules },
  {
    reads: [...CLIENTS, ...below(LOAD, ["executor", "clients", "maxClients", "startClients", "stages"])],
    check: clientRules,
  },
  {
    reads: ["trial.duration", ...BUDGETS, ...below(LOAD, ["executor", "stages", "profile.compressTo"])],
    check: windowRules,
  },
  {
    reads: [
      "topology",
      ...below(LOAD, ["executor", "startClients", "startRate", "timeUnit", "stages"]),
      ...below(`${LOAD}.profile`, ["name", "hours"]),
    ],
    check: scheduleRules,
  },
  {
    reads: ["topology", "documentSize", `${LOAD}.executor`, ...below(`${LOAD}.profile`, ["name", "hours"])],
    check: profileSizeRules,
  },
  {
    reads: [
      ...["dialect", "topology", ...KIND],
      ...[`${LOAD}.executor`, ...below(`${LOAD}.profile`, ["name", "hours"])],
    ],
    check: (_, settings) => profileRowRules(settings),
  },
  { reads: ["faults.*.kind"], check: faultKeyRules },
  { reads: ["faults.*"], check: faultNeedRules },
  { reads: [...below("faults.*", ["at", "for"]), "trial.duration", ...BUDGETS], check: faultWindowRules },
  { reads: ["faults"], check: overlapRules },
  {
    reads: [
      ...below("faults.*", ["process", "instance", "between", "latency", "jitter"]),
      ...[...KIND, ...below("target", ["sslmode", "ca", "cert", "key"])],
      ...[...POOLER, ...below("pool", ["mode", "adminUrl", "instances"]), "statementShape"],
    ],
    check: obstacleRules,
  },
  ...POOL_RULES.map(({ about, reads, check }) => ({
    reads: [...READ_OF_POOLS[about], ...below("pool", reads)],
    check: (_: Scenario, settings: TreatmentSettings) => check(settings),
  })),
];

/** What a raw scenario without factors means, and everything that is wrong with it. */
export interface Checked {
  readonly findings: readonly Finding[];
  /** With defaults in place of what is at fault. */
  readonly settings: TreatmentSettings;
  /** Whether a fault leaves open what stands there, or below. */
  readonly isUnknown: (path: Path) => boolean;
}

/** The place that a rule reads for a finding about `about`. */
function readFor(about: Path, read: string): Path {
  const parts = read.split(".");
  const wild = parts.indexOf("*");
  if (wild < 0) return parts;
  const list = parts.slice(0, wild);
  const entry = startsWith(about, list) ? about[wild] : undefined;
  return entry === undefined ? list : [...list, entry, ...parts.slice(wild + 1)];
}

function findingsOf({ reads, check }: Rule, reading: Reading, settings: TreatmentSettings): Finding[] {
  return check(reading.scenario, settings)
    .map((finding) => ({ ...finding, path: reading.placeOf(finding.path) }))
    .filter(
      ({ path }) => !reading.isOpen(path) && !reads.some((read) => reading.isUnknown(readFor(path, read))),
    );
}

/** @param written what of `raw` the user wrote as such: without the levels of a treatment */
export function checkScenario(raw: Mapping, written: Mapping = raw): Checked {
  const reading = readScenario(raw, written);
  const settings = resolveTreatment(reading.scenario);
  const findings = RULES.flatMap((rule) => findingsOf(rule, reading, settings));
  return { findings: [...reading.findings, ...findings], settings, isUnknown: reading.isUnknown };
}
