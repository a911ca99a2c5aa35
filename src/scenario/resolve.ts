// From a scenario that passed its schema to the settings of one treatment: shorthands unfolded, defaults that
// depend on other keys filled in. Pure. Refuses nothing: what makes no sense is found by the rules.
import type { Scenario } from "./schema.js";
import { DEFAULT_DRAIN_MS } from "./schema-parts.js";
import type { DiagnosisSettings } from "./judgement.js";
import { resolveFault } from "../faults/faults.js";
import { resolveLoad } from "../load/load-settings.js";
import { type TreatmentSettings } from "./settings.js";
import { resolveTarget } from "../targets/registry.js";
import { resolvePool } from "../pools/registry.js";
import { agentsFor, type AgentPlace } from "../actors/deal.js";
import type { ActorGroup } from "../actors/settings.js";
import { workloadOf } from "../workloads/registry.js";

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
    const load = resolveLoad(group?.load, thinkTimeMs, surroundings);
    const { count, place } = agentsOf(scenario);
    const workers = group?.workers ?? Math.min(load.clients, Math.max(1, agentsFor(role, count, place)));
    actors[role] = { workers, load };
  }
  return actors;
}

function agentsOf({ agents }: Pick<Scenario, "agents">): { count: number; place: AgentPlace } {
  return typeof agents === "number" ? { count: agents, place: {} } : agents;
}

function agentSettings(scenario: Scenario): Pick<TreatmentSettings, "agents" | "agentPlace"> {
  const { count, place } = agentsOf(scenario);
  return { agents: count, ...(count > 0 && Object.keys(place).length > 0 && { agentPlace: place }) };
}

/** The settings that a scenario without factors means. */
export function resolveTreatment(scenario: Scenario): TreatmentSettings {
  const actors = resolveActors(scenario);
  const target = resolveTarget(scenario.target);
  const { settings, drain } = workloadOf(scenario);
  return {
    workload: scenario.workload,
    target,
    dialect: scenario.dialect === "auto" ? "postgres" : scenario.dialect,
    // The servers that train-sim runs are PostgreSQL: there is nothing to ask.
    asksDialect: scenario.dialect === "auto" && target.kind === "url",
    namespace: scenario.namespace,
    storage: scenario.storage,
    pool: resolvePool(scenario.pool),
    prepared: scenario.prepared,
    ...settings.resolve(scenario),
    actors,
    ...agentSettings(scenario),
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
    integrity: { allow: scenario.integrity.allow },
    log: { level: scenario.log.level, slowTransactionMs: scenario.log.slowTransaction },
  };
}

export function resolveDiagnosis({ diagnosis }: Pick<Scenario, "diagnosis">): DiagnosisSettings {
  const { maxEventLoopDelay, maxClockStep, maxAgentClockError, ...ratios } = diagnosis;
  return {
    ...ratios,
    maxEventLoopDelayMs: maxEventLoopDelay,
    maxClockStepMs: maxClockStep,
    maxAgentClockErrorMs: maxAgentClockError,
  };
}
