// From a scenario that passed its schema to the settings of one treatment: shorthands unfolded, defaults that
// depend on other keys filled in. Pure. Refuses nothing: what makes no sense is found by the rules.
import type { Scenario } from "./schema.js";
import { DEFAULT_DRAIN_MS } from "./schema-parts.js";
import type { EndpointUrl, PasswordCommand } from "../database/endpoint/endpoint.js";
import type { DiagnosisSettings } from "./judgement.js";
import { resolveFault } from "../faults/faults.js";
import { resolveLoad } from "../load/load-settings.js";
import { type TreatmentSettings } from "./settings.js";
import type { TargetSettings } from "../targets/settings.js";
import type { PoolSettings } from "../pools/settings.js";
import type { ActorGroup } from "../actors/settings.js";
import { workloadOf } from "../workloads/registry.js";

const DEFAULT_POOL_SIZE = 20;
const DEFAULT_PREPARED_STATEMENTS = 200;
const DEFAULT_IMAGE = "postgres:18";
/** Below the quarter of an hour that an IAM token lives. */
const DEFAULT_PASSWORD_EVERY_MS = 600_000;

type Settings = Readonly<Record<string, string | number | boolean>>;
export type PoolMapping = Exclude<Scenario["pool"], string>;
export type TargetMapping = Exclude<Scenario["target"], string>;

export function poolMapping(pool: Scenario["pool"]): PoolMapping {
  return typeof pool === "string" ? { strategy: pool } : pool;
}

export function targetMapping(target: Scenario["target"]): TargetMapping {
  return typeof target === "string" ? { kind: "url", url: target } : target;
}

/** The kind of a target, told by its keys where it is not named. */
export function targetKind(target: TargetMapping): TargetSettings["kind"] {
  if (target.kind) return target.kind;
  if (target.url !== undefined || target.urls !== undefined) return "url";
  return target.image === undefined ? "embedded" : "container";
}

function settingTexts(settings: Settings = {}): Record<string, string> {
  const text = (value: string | number | boolean): string =>
    typeof value === "boolean" ? (value ? "on" : "off") : String(value);
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, text(value)]));
}

/** The entries of `urls`, or the one `url`. */
export function urlsOf({ url, urls }: Pick<TargetMapping | PoolMapping, "url" | "urls">): EndpointUrl[] {
  return (urls ?? (url === undefined ? [] : [url])).map((entry) => {
    if (typeof entry === "string") return { url: entry, weight: 1 };
    const { region, weight = 1 } = entry;
    return { url: entry.url, ...(region !== undefined && { region }), weight };
  });
}

function passwordCommandOf(target: TargetMapping): { passwordCommand?: PasswordCommand } {
  const { passwordCommand: command, passwordEvery: everyMs = DEFAULT_PASSWORD_EVERY_MS } = target;
  if (command === undefined) return {};
  return {
    passwordCommand: { words: typeof command === "string" ? ["/bin/sh", "-c", command] : command, everyMs },
  };
}

function resolveTarget(target: TargetMapping): TargetSettings {
  switch (targetKind(target)) {
    case "embedded":
      return { kind: "embedded", settings: settingTexts(target.settings), port: target.port ?? 0 };
    case "container":
      return {
        kind: "container",
        image: target.image ?? DEFAULT_IMAGE,
        settings: settingTexts(target.settings),
      };
    case "url":
      return {
        kind: "url",
        urls: urlsOf(target),
        ...(target.adminUrl !== undefined && { adminUrl: target.adminUrl }),
        ...passwordCommandOf(target),
        ...(target.sslmode && { sslmode: target.sslmode }),
        ...(target.ca !== undefined && { ca: target.ca }),
        ...(target.cert !== undefined && { cert: target.cert }),
        ...(target.key !== undefined && { key: target.key }),
      };
  }
}

function resolvePool(pool: PoolMapping): PoolSettings {
  const size = pool.size ?? DEFAULT_POOL_SIZE;
  switch (pool.strategy) {
    case "direct":
      return { strategy: "direct", reconnect: pool.reconnect ?? "never" };
    case "pg-pool":
      return { strategy: "pg-pool", size };
    case "pgbouncer": {
      const urls = urlsOf(pool);
      return {
        strategy: "pgbouncer",
        mode: pool.mode ?? "transaction",
        size,
        instances: pool.instances ?? 1,
        maxPreparedStatements:
          pool.maxPreparedStatements ?? (urls.length > 0 ? 0 : DEFAULT_PREPARED_STATEMENTS),
        urls,
        ...(pool.adminUrl !== undefined && { adminUrl: pool.adminUrl }),
      };
    }
  }
}

/** The groups that the workload has, as the scenario's keys are. */
function resolveActors(scenario: Scenario): Record<string, ActorGroup> {
  const { roles, settings } = workloadOf(scenario);
  const actors: Record<string, ActorGroup> = {};
  for (const [role, { isByDefault, clients: defaultClients, thinkTimeMs }] of Object.entries(roles)) {
    const group = scenario.actors[role];
    if (!settings.hasRole(role, scenario)) continue;
    if (group === false || (group === undefined && !isByDefault)) continue;
    const clients = group?.clients ?? scenario.clients;
    const surroundings = { clients, defaultClients, windowMs: scenario.trial.duration };
    actors[role] = {
      workers: group?.workers ?? 1,
      load: resolveLoad(group?.load, thinkTimeMs, surroundings),
    };
  }
  return actors;
}

/** The settings that a scenario without factors means. */
export function resolveTreatment(scenario: Scenario): TreatmentSettings {
  const actors = resolveActors(scenario);
  const target = resolveTarget(targetMapping(scenario.target));
  const { settings, drain } = workloadOf(scenario);
  return {
    workload: scenario.workload,
    target,
    dialect: scenario.dialect === "auto" ? "postgres" : scenario.dialect,
    // The servers that train-sim runs are PostgreSQL: there is nothing to ask.
    asksDialect: scenario.dialect === "auto" && target.kind === "url",
    namespace: scenario.namespace,
    storage: scenario.storage,
    pool: resolvePool(poolMapping(scenario.pool)),
    prepared: scenario.prepared,
    ...settings.resolve(scenario),
    actors,
    trial: {
      warmUpMs: scenario.trial.warmUp,
      durationMs: scenario.trial.duration,
      drainMaxMs: scenario.trial.drain ?? (drain?.isPossible(actors) ? DEFAULT_DRAIN_MS : 0),
    },
    retry: {
      attempts: scenario.retry.attempts,
      baseMs: scenario.retry.base,
      ceilingMs: scenario.retry.ceiling,
      deadlineMs: scenario.retry.deadline,
    },
    evidence: { everyMs: scenario.evidence.every },
    faults: scenario.faults.map(resolveFault),
    log: { level: scenario.log.level, slowTransactionMs: scenario.log.slowTransaction },
  };
}

export function resolveDiagnosis({ diagnosis }: Pick<Scenario, "diagnosis">): DiagnosisSettings {
  const { maxEventLoopDelay, maxClockStep, ...ratios } = diagnosis;
  return { ...ratios, maxEventLoopDelayMs: maxEventLoopDelay, maxClockStepMs: maxClockStep };
}
