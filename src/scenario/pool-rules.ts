// Which pool settings make sense together with the rest of a treatment, as pure checks that the loader runs
// before anything is started. Each problem names the setting to change and says why it cannot work: a trial that
// starves or fails half-way costs minutes, a refusal costs nothing.
import { counted } from "../foundation/units.js";
import { clientWeightsOf } from "./connections.js";
import { totalClients, type TreatmentSettings } from "./settings.js";
import { countsByWeight } from "../database/endpoint/spread.js";

/** One reason why a treatment's pool cannot work. */
export interface PoolProblem {
  /** The setting to change, as a path in the scenario: `pool.size`. */
  readonly path: string;
  readonly message: string;
}

/** Worker threads of all groups of a treatment together; each has a pool of its own. */
function totalWorkers(settings: TreatmentSettings): number {
  return Object.values(settings.actors).reduce((sum, group) => sum + group.workers, 0);
}

/**
 * In session mode a client keeps its server connection until it disconnects, and our clients stay connected: one
 * without a server connection would wait for the whole trial.
 */
export function sessionModeProblems(settings: TreatmentSettings): PoolProblem[] {
  const { pool } = settings;
  if (pool.strategy !== "pgbouncer" || pool.mode !== "session") return [];
  const weights = clientWeightsOf(settings);
  const clients = totalClients(settings);
  const needed = Math.max(...countsByWeight(weights, clients));
  if (pool.size >= needed) return [];
  const share =
    weights.length === 1
      ? counted(clients, "client")
      : `${needed} of the ${counted(clients, "client")} at one PgBouncer`;
  return [
    {
      path: "pool.size",
      message:
        `session mode gives every connected client a server connection of its own: ${share} need a size of ` +
        `at least ${needed}, not ${pool.size}; raise pool.size, lower the clients, or use mode: transaction`,
    },
  ];
}

/** A pool in the program that is too small for the threads that share it. */
export function poolSizeProblems(settings: TreatmentSettings): PoolProblem[] {
  const { pool } = settings;
  const workers = totalWorkers(settings);
  if (pool.strategy !== "pg-pool" || pool.size >= workers) return [];
  return [
    {
      path: "pool.size",
      message:
        `${pool.size} connections cannot be shared out over ${workers} worker threads, which each have a ` +
        `pool of their own; raise pool.size to at least ${workers}, or lower the workers`,
    },
  ];
}
