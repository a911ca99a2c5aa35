// The rules of every pool strategy over the rest of a treatment: checked when a scenario is loaded, for a trial that starves or
// fails half-way costs minutes, and a refusal costs nothing.
import { parsePath } from "../syntax/paths.js";
import type { Finding } from "../syntax/problems.js";
import { STRATEGIES } from "../pools/registry.js";
import type { Demand } from "../pools/strategy.js";
import { clientWeightsOf } from "./connections.js";
import { totalClients, type TreatmentSettings } from "./settings.js";

function demandOf(settings: TreatmentSettings): Demand {
  const { actors, statementShape, isolation, appDelayMs } = settings;
  return {
    clients: totalClients(settings),
    workers: Object.values(actors).reduce((sum, group) => sum + group.workers, 0),
    weights: clientWeightsOf(settings),
    ...{ statementShape, isolation, appDelayMs },
  };
}

/** Each with what it is about, and the keys of `pool` that it reads beside. */
export const POOL_RULES = STRATEGIES.flatMap(({ settings: { name, rules } }) =>
  rules.map((rule) => ({
    about: rule.about,
    reads: rule.reads,
    check: (settings: TreatmentSettings): Finding[] => {
      if (settings.pool.strategy !== name) return [];
      const problems = rule.check(settings.pool, demandOf(settings));
      return problems.map(({ path, message }) => ({ path: parsePath(path) ?? [path], message }));
    },
  })),
);
