// Rules over the load of each group: the keys that its executor needs and takes, clients enough for their threads,
// stages that fit into the window, a day without gaps. Pure checks over a scenario that passed its schema; each
// finding names the key to change.
import { counted, formatDuration, formatSize } from "../foundation/units.js";
import { MAX_WORKER_ORDINALS } from "../workloads/train-events/model/event-id.js";
import { isBudgeted } from "./plan/estimate.js";
import type { Path } from "../syntax/paths.js";
import type { Finding } from "../syntax/problems.js";
import { groupsOf, MAX_BATCH_BYTES } from "./rules-workload.js";
import type { Scenario } from "./schema.js";
import { EXECUTORS, type ExecutorName } from "./schema-actors.js";
import { MAX_CLIENTS } from "../load/load-settings.js";
import { type TreatmentSettings } from "./settings.js";
import { BATCH_SIZES, isOpenLoop, type LoadSettings, type Profile } from "../load/load-settings.js";
import { ROLES, type Role } from "../workloads/train-events/settings.js";

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

/** Keys that do not go with the executor of their group. */
export function executorRules(scenario: Scenario): Finding[] {
  return groupsOf(scenario).flatMap(([role, { load, clients }]) => {
    const { executor, profile } = load;
    const path = ["actors", role, "load"];
    const findings: Finding[] = Object.entries(load)
      .filter(([key, value]) => key !== "executor" && value !== undefined && !takes(executor, key))
      .map(([key]) => ({ path: [...path, key], message: superfluous(executor, key), isAboutKey: true }));
    if (typeof profile === "object" && profile.name && profile.hours) {
      const message = `${profile.name} has its own hours; remove name, or hours`;
      findings.push({ path: [...path, "profile", "name"], message, isAboutKey: true });
    }
    if (executor === "ramping-clients" && clients !== undefined) {
      const message = "executor ramping-clients has its clients from startClients and stages; remove clients";
      findings.push({ path: ["actors", role, "clients"], message, isAboutKey: true });
    }
    return findings;
  });
}

/** Keys that an executor cannot do without. */
export function needRules(scenario: Scenario): Finding[] {
  return groupsOf(scenario).flatMap(([role, { load, clients }]) => {
    const { executor } = load;
    const path = ["actors", role, "load"];
    const lacking: readonly string[] = EXECUTORS[executor].needs.filter((key) => load[key] === undefined);
    const findings: Finding[] = lacking.map((key) => ({
      path,
      message: `executor ${executor} needs ${key}`,
    }));
    const served = clients ?? scenario.clients ?? load.maxClients;
    if (takes(executor, "maxClients") && served === undefined) {
      const message = `executor ${executor} needs maxClients: how many arrivals are served at once, at most`;
      findings.push({ path, message });
    }
    return findings;
  });
}

/** Clients enough for the threads and for the budget. */
function clientFindings(role: Role, workers: number, load: LoadSettings): Finding[] {
  const findings: Finding[] = [];
  if (workers > load.clients) {
    const message = `${workers} workers for ${counted(load.clients, "client")}: a worker thread would have none`;
    findings.push({ path: ["actors", role, "workers"], message });
  }
  if (load.clients > MAX_CLIENTS) {
    const message = `${load.clients} clients at once; at most ${MAX_CLIENTS}`;
    findings.push({ path: ["actors", role, "load", "stages"], message });
  }
  return findings;
}

export function clientRules(scenario: Scenario, settings: TreatmentSettings): Finding[] {
  const findings: Finding[] = [];
  for (const role of ROLES) {
    const group = settings.actors[role];
    if (!group) continue;
    const { load, workers } = group;
    findings.push(...clientFindings(role, workers, load));
    const given = scenario.actors[role];
    const hasBudget = given !== undefined && given !== false && given.load.iterations !== undefined;
    if (hasBudget && load.executor === "shared-iterations" && load.iterations < load.clients) {
      const message = `${counted(load.iterations, "shared iteration")} for ${load.clients} clients: some would have none`;
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

/** The load of each group that the scenario names, with its place. */
function namedLoads(scenario: Scenario, settings: TreatmentSettings): [Role, LoadSettings, Path][] {
  return ROLES.flatMap((role) => {
    const load = settings.actors[role]?.load;
    if (!load || !scenario.actors[role]) return [];
    return [[role, load, ["actors", role, "load"]] as [Role, LoadSettings, Path]];
  });
}

/** What changes over time must fit into the window: a stage that never comes would be missed by nobody. */
export function windowRules(scenario: Scenario, settings: TreatmentSettings): Finding[] {
  const windowMs = isBudgeted(settings) ? Number.POSITIVE_INFINITY : settings.trial.durationMs;
  return namedLoads(scenario, settings).flatMap(([, load, path]): Finding[] => {
    if ("stages" in load) {
      const totalMs = load.stages.reduce((sum, { durationMs }) => sum + durationMs, 0);
      if (totalMs <= windowMs) return [];
      const message = `the stages take ${formatDuration(totalMs)}, the window (trial.duration) only ${formatDuration(windowMs)}`;
      return [{ path: [...path, "stages"], message }];
    }
    if (load.executor !== "daily-arrival-rate" || load.profile.dayMs <= windowMs) return [];
    const message = `a day of ${formatDuration(load.profile.dayMs)} does not fit into the window (trial.duration) of ${formatDuration(windowMs)}`;
    return [{ path: [...path, "profile", "compressTo"], message }];
  });
}

/** Stages and days that make sense in themselves. */
export function scheduleRules(scenario: Scenario, settings: TreatmentSettings): Finding[] {
  return namedLoads(scenario, settings).flatMap(([role, load, path]) => {
    if ("stages" in load) return stageFindings(load, [...path, "stages"]);
    if (load.executor !== "daily-arrival-rate") return [];
    const findings = hoursFindings(load.profile, [...path, "profile", "hours"]);
    if (role === "producers" || role === "cycle") return findings;
    const message = "a profile is about batches that are added: only producers and cycle have one";
    return [{ path, message }, ...findings];
  });
}

function stageFindings(load: Extract<LoadSettings, { stages: unknown }>, path: Path): Finding[] {
  const findings: Finding[] = [];
  for (const [i, { target }] of load.stages.entries()) {
    if (isOpenLoop(load) || Number.isInteger(target)) continue;
    findings.push({ path: [...path, i, "target"], message: "must be a whole number of clients" });
  }
  const start = "startClients" in load ? load.startClients : load.startRatePerSecond;
  if (load.stages.length > 0 && Math.max(start, ...load.stages.map(({ target }) => target)) === 0)
    findings.push({ path, message: "the start and every target are 0: no client would do anything" });
  return findings;
}

/** Batches of a day that can be sent. */
export function profileSizeRules(scenario: Scenario, settings: TreatmentSettings): Finding[] {
  const { documentBytes } = settings;
  return namedLoads(scenario, settings).flatMap(([, load, path]) => {
    if (load.executor !== "daily-arrival-rate") return [];
    const { sizes, hours }: Profile = load.profile;
    return BATCH_SIZES.flatMap((name) => {
      const bytes = sizes[name] * documentBytes;
      const isUsed = hours.some(({ mix }) => mix[name] > 0);
      if (!isUsed || bytes <= MAX_BATCH_BYTES) return [];
      const message =
        `${sizes[name]} documents of ${formatSize(documentBytes)} make a transaction of ` +
        `${formatSize(bytes)}; at most ${formatSize(MAX_BATCH_BYTES)}, so lower it or documentSize`;
      return [{ path: [...path, "profile", "sizes", name], message }];
    });
  });
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
    findings.push({ path, message: "the rate is 0 all day: no client would do anything" });
  return findings;
}
