import { UsageError } from "../foundation/errors.js";
import type { ConnectionBudget } from "./contract.js";

/** Number of connections that a scenario may still open; undefined if the server has no limit. */
export function freeConnections({ max, reserved, inUse }: ConnectionBudget): number | undefined {
  return max === undefined ? undefined : Math.max(0, max - reserved - inUse);
}

/** Throws if a treatment needs more connections than are left; call it before the treatment's clients connect. */
export function requireConnections(budget: ConnectionBudget, needed: number, treatmentId: string): void {
  const connectionCount = freeConnections(budget);
  if (connectionCount === undefined || needed <= connectionCount) return;
  const { max = 0, reserved, inUse } = budget;
  throw new UsageError(
    `treatment ${treatmentId} needs ${needed} connections, but the server has ${connectionCount} left ` +
      `(max_connections ${max}, ${reserved} of them reserved, ${inUse} in use)`,
    `Raise max_connections to at least ${needed + reserved + inUse}, lower the clients, or use a pool.`,
  );
}
