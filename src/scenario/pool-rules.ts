// The rules of every pool strategy over the rest of a treatment: checked when a scenario is loaded, for a trial that starves or
// fails half-way costs minutes, and a refusal costs nothing.
import { parsePath } from "../syntax/paths.js";
import type { Finding } from "../syntax/problems.js";
import { strategyOf } from "../pools/registry.js";
import type { Demand } from "../pools/strategy.js";
import { clientWeightsOf, lotsOf } from "./connections.js";
import { totalClients, type TreatmentSettings } from "./settings.js";

function demandOf(settings: TreatmentSettings): Demand {
  const { actors, agents, statementShape, isolation, appDelayMs } = settings;
  return {
    clients: totalClients(settings),
    lots: lotsOf(settings),
    agents,
    workers: Object.values(actors).reduce((sum, group) => sum + group.workers, 0),
    weights: clientWeightsOf(settings),
    ...{ statementShape, isolation, appDelayMs },
  };
}

export function poolRules(settings: TreatmentSettings): Finding[] {
  const { pool } = settings;
  const problems = strategyOf(pool).settings.problems?.(pool, demandOf(settings)) ?? [];
  return problems.map(({ path, message }) => ({ path: parsePath(path) ?? [path], message }));
}
