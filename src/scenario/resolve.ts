// From a scenario that passed its schema to the settings of one treatment: shorthands unfolded, defaults that
// depend on other keys filled in. Pure. Refuses nothing: what makes no sense is found by the rules.
import type { Scenario } from "./schema.js";
import { DEFAULT_DRAIN_MS } from "./schema-parts.js";
import type { DiagnosisSettings } from "./judgement.js";
import { resolveFault } from "../faults/resolve-faults.js";
import { resolveLoad } from "./resolve-load.js";
import { type TreatmentSettings } from "./settings.js";
import { resolveTarget } from "../targets/registry.js";
import { resolvePool } from "../pools/registry.js";
import type { ActorGroup } from "../actors/settings.js";
import { ROLES, type Role } from "../workloads/train-events/settings.js";

/** The groups that the scenario's topology has. */
function resolveActors(scenario: Scenario): Partial<Record<Role, ActorGroup>> {
  const actors: Partial<Record<Role, ActorGroup>> = {};
  for (const role of ROLES) {
    const group = scenario.actors[role];
    const isOfTopology = (role === "cycle") === (scenario.topology === "cycle");
    const isByDefault = role !== "readers";
    if (!isOfTopology || group === false || (group === undefined && !isByDefault)) continue;
    actors[role] = {
      workers: group?.workers ?? 1,
      load: resolveLoad(role, group, { clients: scenario.clients, windowMs: scenario.trial.duration }),
    };
  }
  return actors;
}

/** The settings that a scenario without factors means. */
export function resolveTreatment(scenario: Scenario): TreatmentSettings {
  const actors = resolveActors(scenario);
  const target = resolveTarget(scenario.target);
  const canDrain = actors.consumers !== undefined || actors.cycle !== undefined;
  return {
    target,
    dialect: scenario.dialect === "auto" ? "postgres" : scenario.dialect,
    // The servers that train-sim runs are PostgreSQL: there is nothing to ask.
    asksDialect: scenario.dialect === "auto" && target.kind === "url",
    namespace: scenario.namespace,
    payload: scenario.payload,
    storage: scenario.storage,
    pool: resolvePool(scenario.pool),
    locking: scenario.locking,
    isolation: scenario.isolation,
    ids: scenario.ids,
    statementShape: scenario.statementShape,
    prepared: scenario.prepared,
    batch: scenario.batch,
    appDelayMs: scenario.appDelay,
    advance: scenario.advance,
    documentBytes: scenario.documentSize,
    preload: scenario.preload,
    topology: scenario.topology,
    actors,
    trial: {
      warmUpMs: scenario.trial.warmUp,
      durationMs: scenario.trial.duration,
      drainMaxMs: scenario.trial.drain ?? (canDrain ? DEFAULT_DRAIN_MS : 0),
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
