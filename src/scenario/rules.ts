// The rules that a scenario's schema cannot say, as a table of what each one reads. So they also run over a scenario
// that has other faults: a problem is left out only where something that its rule reads is itself at fault, and the
// user sees every problem at once.
import { isMapping, parsePath, startsWith, type Mapping, type Path } from "../syntax/paths.js";
import { poolSizeProblems, sessionModeProblems, type PoolProblem } from "./pool-rules.js";
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
  scheduleRules,
  thinkTimeRules,
  windowRules,
} from "./rules-load.js";
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
import type { Scenario } from "./schema.js";
import { type TreatmentSettings } from "./settings.js";
import { OWN_KEYS, ROLES, WORKLOADS, workloadOf } from "../workloads/registry.js";

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

const KIND = below("target", ["kind", "url", "urls", "image"]);
const POOLER = below("pool", ["strategy", "url", "urls"]);
const LOAD = "actors.*.load";
const CLIENTS = ["topology", "clients", "actors.*.workers", "actors.*.clients"];
/** What decides how many clients and threads there are. */
const DEMAND = ["topology", "clients", "actors"];
/** What decides whether the window has a known length. */
const BUDGETS = ["topology", ...ROLES.map((role) => `actors.${role}.load.executor`)];

const fromPool = (problems: readonly PoolProblem[]): Finding[] =>
  problems.map(({ path, message }) => ({ path: parsePath(path) ?? [path], message }));

const RULES: readonly Rule[] = [
  { reads: ["dialect", ...KIND], check: (_, settings) => dialectRules(settings) },
  { reads: KIND, check: targetRules },
  { reads: [...KIND, "target.passwordCommand"], check: passwordEveryRules },
  { reads: [...KIND, "target.cert", "target.key"], check: certificateRules },
  { reads: [...KIND, "target.sslmode", "target.adminUrl"], check: tlsFileRules },
  {
    reads: [...KIND, ...below("target", ["adminUrl", "sslmode", "ca", "cert", "key"])],
    check: urlTlsRules,
  },
  { reads: KIND, check: (_, settings) => settingRules(settings) },
  {
    reads: [...KIND, ...POOLER, ...below("pool", ["size", "instances"]), ...DEMAND],
    check: (_, settings) => connectionRules(settings),
  },
  { reads: POOLER, check: poolRules },
  { reads: [...POOLER, "pool.adminUrl"], check: poolTlsRules },
  { reads: [...KIND, ...POOLER], check: (_, settings) => passwordCommandRules(settings) },
  { reads: below(`${LOAD}.thinkTime`, ["min", "max"]), check: thinkTimeRules },
  { reads: ["retry.base", "retry.ceiling"], check: retryRules },
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
  {
    reads: ["pool.strategy", "pool.size", ...DEMAND],
    check: (_, settings) => fromPool(poolSizeProblems(settings)),
  },
  {
    reads: [...KIND, ...POOLER, ...below("pool", ["mode", "size", "instances"]), ...DEMAND],
    check: (_, settings) => fromPool(sessionModeProblems(settings)),
  },
];

function retryRules({ retry: { base, ceiling } }: Scenario): Finding[] {
  if (base <= ceiling) return [];
  const message = `must not be longer than retry.ceiling (${base}ms > ${ceiling}ms)`;
  return [{ path: ["retry", "base"], message }];
}

/** Keys and groups of another workload. */
function foreignKeys(raw: Mapping, { workload }: Scenario): Finding[] {
  const own = workloadOf({ workload });
  const foreign = (path: Path, owner: string): Finding => ({
    path,
    message: `belongs to workload ${owner}, and this one is ${workload}; remove it, or set workload: ${owner}`,
    isAboutKey: true,
  });
  const ownerOf = (isIts: (each: (typeof WORKLOADS)[number]) => boolean): string =>
    WORKLOADS.find(isIts)?.name ?? "";
  const keys = Object.keys(OWN_KEYS)
    .filter((key) => key in raw && !(key in own.settings.keys))
    .map((key) =>
      foreign(
        [key],
        ownerOf(({ settings }) => key in settings.keys),
      ),
    );
  const named = isMapping(raw.actors) ? raw.actors : {};
  const roles = ROLES.filter((role) => role in named && !(role in own.roles));
  return [
    ...keys,
    ...roles.map((role) =>
      foreign(
        ["actors", role],
        ownerOf((each) => role in each.roles),
      ),
    ),
  ];
}

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
  const rules: readonly Rule[] = [...RULES, ...workloadOf(settings).settings.rules];
  const findings = rules.flatMap((rule) => findingsOf(rule, reading, settings));
  const foreign = reading.isUnknown(["workload"]) ? [] : foreignKeys(raw, reading.scenario);
  return { findings: [...reading.findings, ...foreign, ...findings], settings, isUnknown: reading.isUnknown };
}
