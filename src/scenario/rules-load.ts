import { distributeWorkers, rolesOfWorkers } from "../clients/deal.js";
import { counted } from "../foundation/units.js";
import { loadFindings } from "../load/load-settings.js";
import { isBudgeted } from "./plan/estimate.js";
import { rangeOrderFindings, type Finding } from "../syntax/problems.js";
import { workloadOf } from "../workloads/registry.js";
import type { RoleMapping } from "./schema-actors.js";
import type { Scenario } from "./schema.js";
import type { TreatmentSettings } from "./settings.js";

/** The roles that a scenario names, as written. */
function rolesOf({ actors }: Scenario): [string, RoleMapping][] {
  return Object.entries(actors).flatMap(([role, mapping]): [string, RoleMapping][] =>
    mapping ? [[role, mapping]] : [],
  );
}

export function thinkTimeRules(scenario: Scenario): Finding[] {
  return rolesOf(scenario).flatMap(([role, { load }]) =>
    "thinkTime" in load && load.thinkTime
      ? rangeOrderFindings(["actors", role, "load", "thinkTime"], load.thinkTime, "ms")
      : [],
  );
}

/** Refuses a day's profile for a role that does not add batches. */
export function profileRoleRules(scenario: Scenario, settings: TreatmentSettings): Finding[] {
  const { roles } = workloadOf(settings);
  const batchRoles = Object.keys(roles).filter((role) => roles[role]?.hasBatches);
  const message = `a profile is about batches that are added: only ${batchRoles.join(" and ")} have one`;
  return rolesOf(scenario).flatMap(([role]) => {
    const load = settings.actors[role]?.load;
    if (!load || !("profile" in load) || roles[role]?.hasBatches) return [];
    return [{ path: ["actors", role, "load"], message }];
  });
}

export function loadRules(scenario: Scenario, settings: TreatmentSettings): Finding[] {
  const windowMs = isBudgeted(settings) ? Number.POSITIVE_INFINITY : settings.trial.durationMs;
  return rolesOf(scenario).flatMap(([role, { load: loadMapping, clients: roleClients }]) => {
    const load = settings.actors[role]?.load;
    if (!load) return [];
    const clients = roleClients ?? scenario.clients;
    return loadFindings(loadMapping, load, { roleClients, clients, windowMs }).map((finding) => ({
      ...finding,
      path: ["actors", role, ...finding.path],
    }));
  });
}

/** Refuses agents without work, and agents for roles that do not exist. */
function agentRules({ actors, agents, agentPlace = {} }: TreatmentSettings): Finding[] {
  const unknownRoles = Object.keys(agentPlace).filter((role) => !(role in actors));
  if (unknownRoles.length > 0) {
    const names = Object.keys(actors).join(", ");
    return unknownRoles.map((role) => ({
      path: ["agents", "place", role],
      message: `there is no such role; there are: ${names}`,
      isAboutKey: true,
    }));
  }
  const placedAgents = Object.values(agentPlace).reduce((sum, count) => sum + count, 0);
  if (placedAgents > agents) {
    const message = `${counted(placedAgents, "agent")} for the roles, and there ${agents === 1 ? "is" : "are"} ${agents}`;
    return [{ path: ["agents", "place"], message }];
  }
  const roles = rolesOfWorkers(actors);
  if (distributeWorkers(roles, agents, agentPlace).every((workers) => workers.length > 0)) return [];
  const where = placedAgents > 0 ? ", so placed" : "";
  const message = `${counted(agents, "agent")} for ${counted(roles.length, "worker thread")}${where}: an agent would have none`;
  return [{ path: ["agents"], message }];
}

export function workerRules(_: Scenario, settings: TreatmentSettings): Finding[] {
  const { actors } = settings;
  const findings = agentRules(settings);
  for (const [role, { load, workers }] of Object.entries(actors)) {
    if (workers <= load.clients) continue;
    const message = `${workers} workers for ${counted(load.clients, "client")}: a worker thread would have none`;
    findings.push({ path: ["actors", role, "workers"], message });
  }
  return findings;
}
