// Rules over the load of each group: the keys that its executor needs and takes, clients enough for their threads,
// stages that fit into the window, a day without gaps. Pure checks over a scenario that passed its schema; each
// finding names the key to change.
import { formatDuration, formatSize } from "../foundation/units.js";
import { MAX_WORKER_ORDINALS } from "../model/event-id.js";
import { isBudgeted } from "./estimate.js";
import type { Path } from "./paths.js";
import type { Finding } from "./problems.js";
import { groupsOf, MAX_BATCH_BYTES } from "./rules-workload.js";
import type { Scenario } from "./schema.js";
import { EXECUTORS, type ExecutorName, type GroupMapping } from "./schema-actors.js";
import { MAX_CLIENTS } from "./schema-target.js";
import { ROLES, type Role, type TreatmentSettings } from "./settings.js";
import { BATCH_SIZES, isOpenLoop, type LoadSettings, type Profile } from "./load-settings.js";

const BUDGET_KEYS: readonly string[] = ["iterations", "maxDuration"];

function takes(executor: ExecutorName, key: string): boolean {
  const keys: readonly string[] = [...EXECUTORS[executor].needs, ...EXECUTORS[executor].takes];
  return keys.includes(key);
}

/** Why a key does not go with an executor, and what to do. */
function superfluous(executor: ExecutorName, key: string): string {
  if (BUDGET_KEYS.includes(key))
    return `executor ${executor} has no budget; remove ${key}, or use shared-iterations`;
  if (key === "clients" && takes(executor, "maxClients")) return `executor ${executor} calls this maxClients`;
  const others = (Object.keys(EXECUTORS) as ExecutorName[]).filter((other) => takes(other, key));
  return `executor ${executor} takes no ${key}; remove it, or use ${others.join(" or ")}`;
}

/** What `load` lacks or has too much of for its executor. */
function executorFindings(role: Role, group: GroupMapping, scenario: Scenario): Finding[] {
  const { load } = group;
  const { executor } = load;
  const path = ["actors", role, "load"];
  const lacking: readonly string[] = EXECUTORS[executor].needs.filter((key) => load[key] === undefined);
  const findings: Finding[] = lacking.map((key) => ({ path, message: `executor ${executor} needs ${key}` }));
  for (const [key, value] of Object.entries(load)) {
    if (key === "executor" || value === undefined || takes(executor, key)) continue;
    findings.push({ path: [...path, key], message: superfluous(executor, key), isAboutKey: true });
  }
  const clients = group.clients ?? scenario.clients ?? load.maxClients;
  if (takes(executor, "maxClients") && clients === undefined) {
    const message = `executor ${executor} needs maxClients: how many arrivals are served at once, at most`;
    findings.push({ path, message });
  }
  if (typeof load.profile === "object" && load.profile.name && load.profile.hours) {
    const message = `${load.profile.name} has its own hours; remove name, or hours`;
    findings.push({ path: [...path, "profile", "name"], message, isAboutKey: true });
  }
  if (executor === "ramping-clients" && group.clients !== undefined) {
    const message = "executor ramping-clients has its clients from startClients and stages; remove clients";
    findings.push({ path: ["actors", role, "clients"], message, isAboutKey: true });
  }
  return findings;
}

/** Clients enough for the threads and for the budget. */
function clientFindings(role: Role, workers: number, load: LoadSettings): Finding[] {
  const findings: Finding[] = [];
  if (workers > load.clients) {
    const message = `${workers} workers for ${load.clients} clients: a worker thread would have none`;
    findings.push({ path: ["actors", role, "workers"], message });
  }
  if (load.clients > MAX_CLIENTS) {
    const message = `${load.clients} clients at once; at most ${MAX_CLIENTS}`;
    findings.push({ path: ["actors", role, "load", "stages"], message });
  }
  return findings;
}

export function loadRules(scenario: Scenario, settings: TreatmentSettings): Finding[] {
  const findings = groupsOf(scenario).flatMap(([role, group]) => executorFindings(role, group, scenario));
  for (const role of ROLES) {
    const group = settings.actors[role];
    if (!group) continue;
    const { load, workers } = group;
    findings.push(...clientFindings(role, workers, load));
    const given = scenario.actors[role];
    const hasBudget = given !== undefined && given !== false && given.load.iterations !== undefined;
    if (hasBudget && load.executor === "shared-iterations" && load.iterations < load.clients) {
      const message = `${load.iterations} shared iterations for ${load.clients} clients: some would have none`;
      findings.push({ path: ["actors", role, "load", "iterations"], message });
    }
  }
  const workers = Object.values(settings.actors).reduce((sum, group) => sum + group.workers, 0);
  if (workers > MAX_WORKER_ORDINALS) {
    const message = `${workers} worker threads over all groups; at most ${MAX_WORKER_ORDINALS}`;
    findings.push({ path: ["actors"], message });
  }
  return findings;
}

/** What changes over time must fit into the window: a stage that never comes would be missed by nobody. */
export function scheduleRules(scenario: Scenario, settings: TreatmentSettings): Finding[] {
  const windowMs = isBudgeted(settings) ? Number.POSITIVE_INFINITY : settings.trial.durationMs;
  return ROLES.flatMap((role) => {
    const load = settings.actors[role]?.load;
    if (!load || !scenario.actors[role]) return [];
    const path = ["actors", role, "load"];
    if ("stages" in load) return stageFindings(load, windowMs, [...path, "stages"]);
    if (load.executor === "daily-arrival-rate")
      return profileFindings(role, load.profile, windowMs, settings.documentBytes, [...path, "profile"]);
    return [];
  });
}

function stageFindings(
  load: Extract<LoadSettings, { stages: unknown }>,
  windowMs: number,
  path: Path,
): Finding[] {
  const findings: Finding[] = [];
  const totalMs = load.stages.reduce((sum, { durationMs }) => sum + durationMs, 0);
  if (totalMs > windowMs) {
    const message = `the stages take ${formatDuration(totalMs)}, the window (trial.duration) only ${formatDuration(windowMs)}`;
    findings.push({ path, message });
  }
  for (const [i, { target }] of load.stages.entries()) {
    if (isOpenLoop(load) || Number.isInteger(target)) continue;
    findings.push({ path: [...path, i, "target"], message: "must be a whole number of clients" });
  }
  const start = "startClients" in load ? load.startClients : load.startRatePerSecond;
  if (load.stages.length > 0 && Math.max(start, ...load.stages.map(({ target }) => target)) === 0)
    findings.push({ path, message: "the start and every target are 0: nobody would do anything" });
  return findings;
}

function profileFindings(
  role: Role,
  profile: Profile,
  windowMs: number,
  documentBytes: number,
  path: Path,
): Finding[] {
  const findings: Finding[] = [];
  if (role !== "producers" && role !== "cycle") {
    const message = "a profile is about batches that are added: only producers and cycle have one";
    findings.push({ path: path.slice(0, -1), message });
  }
  if (profile.dayMs > windowMs) {
    const message = `a day of ${formatDuration(profile.dayMs)} does not fit into the window (trial.duration) of ${formatDuration(windowMs)}`;
    findings.push({ path: [...path, "compressTo"], message });
  }
  findings.push(...hoursFindings(profile, [...path, "hours"]));
  for (const name of BATCH_SIZES) {
    const bytes = profile.sizes[name] * documentBytes;
    const isUsed = profile.hours.some(({ mix }) => mix[name] > 0);
    if (!isUsed || bytes <= MAX_BATCH_BYTES) continue;
    const message =
      `${profile.sizes[name]} documents of ${formatSize(documentBytes)} make a transaction of ` +
      `${formatSize(bytes)}; at most ${formatSize(MAX_BATCH_BYTES)}, so lower it or documentSize`;
    findings.push({ path: [...path, "sizes", name], message });
  }
  return findings;
}

function hoursFindings({ hours }: Profile, path: Path): Finding[] {
  const findings: Finding[] = [];
  let hour = 0;
  for (const [i, { fromHour, toHour, mix }] of hours.entries()) {
    if (fromHour !== hour)
      findings.push({
        path: [...path, i, "from"],
        message: `the day goes on at ${hour}, so from must be ${hour}`,
      });
    if (toHour <= fromHour)
      findings.push({ path: [...path, i, "to"], message: `must be later than from (${fromHour})` });
    const sum = mix.small + mix.medium + mix.large;
    if (Math.abs(sum - 1) > 1e-9)
      findings.push({
        path: [...path, i, "mix"],
        message: `must add up to 1 (it is ${Number(sum.toFixed(6))})`,
      });
    hour = toHour;
  }
  if (hour !== 24) findings.push({ path, message: `the day ends at 24, not at ${hour}` });
  if (hours.every(({ rateFactor }) => rateFactor === 0))
    findings.push({ path, message: "the rate is 0 all day: nobody would do anything" });
  return findings;
}
