// Rules over the groups of clients and their load: clients enough for the threads, and what each executor says of its keys
// and of the window. Pure checks over a scenario that passed its schema.
import { counted } from "../foundation/units.js";
import { MAX_WORKER_ORDINALS } from "../workloads/train-events/model/event-id.js";
import { loadFindings } from "../load/load-settings.js";
import { isBudgeted } from "./plan/estimate.js";
import type { Finding } from "../syntax/problems.js";
import type { Scenario } from "./schema.js";
import { groupsOf } from "./rules-workload.js";
import type { TreatmentSettings } from "./settings.js";

export function loadRules(scenario: Scenario, settings: TreatmentSettings): Finding[] {
  const windowMs = isBudgeted(settings) ? Number.POSITIVE_INFINITY : settings.trial.durationMs;
  return groupsOf(scenario).flatMap(([role, { load: given, clients: groupClients }]) => {
    const load = settings.actors[role]?.load;
    if (!load) return [];
    const clients = groupClients ?? scenario.clients;
    return loadFindings(given, load, { groupClients, clients, windowMs }).map((finding) => ({
      ...finding,
      path: ["actors", role, ...finding.path],
    }));
  });
}

export function workerRules(_: Scenario, { actors }: TreatmentSettings): Finding[] {
  const findings: Finding[] = [];
  for (const [role, { load, workers }] of Object.entries(actors)) {
    if (workers <= load.clients) continue;
    const message = `${workers} workers for ${counted(load.clients, "client")}: a worker thread would have none`;
    findings.push({ path: ["actors", role, "workers"], message });
  }
  const workers = Object.values(actors).reduce((sum, group) => sum + group.workers, 0);
  if (workers > MAX_WORKER_ORDINALS) {
    const message = `${workers} worker threads over all groups; at most ${MAX_WORKER_ORDINALS}`;
    findings.push({ path: ["actors"], message });
  }
  return findings;
}
