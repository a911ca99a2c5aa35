// A number of clients on the command line that other keys outrank: refused if it reaches no role; else the other
// roles are named.
import { executorOf } from "../load/executors/registry.js";
import type { ScenarioProblem } from "../syntax/problems.js";
import { rolesOf, type Treatment } from "./settings.js";

/** The key that determines a role's number of clients, with precedence over `clients`. */
function overridingKey(role: string, treatments: readonly Treatment[]): string {
  const roleSettings = treatments.flatMap(({ settings: { actors } }) => actors[role] ?? []);
  const key = roleSettings.map(({ load }) => executorOf(load).clientsKey).find((each) => each !== undefined);
  return key === undefined ? `actors.${role}.clients` : `actors.${role}.load.${key}`;
}

/**
 * A problem if `--set clients` reaches no role because other keys override it, a warning if it misses some roles. @param
 * clients value of `--set clients=...`
 */
export function outrankedClients(
  clients: unknown,
  treatments: readonly Treatment[],
): { readonly problem?: ScenarioProblem; readonly warning?: string } {
  if (clients === undefined || treatments.length === 0) return {};
  const roles = treatments.flatMap(({ settings }) => Object.values(settings.actors));
  const isOver = (role: string): boolean =>
    treatments.some(({ settings: { actors } }) => actors[role] && actors[role].load.clients !== clients);
  const over = rolesOf(treatments).filter(isOver);
  if (over.length === 0) return {};
  const keys = over.map((role) => overridingKey(role, treatments)).join(", ");
  if (roles.some(({ load }) => load.clients === clients))
    return { warning: `--set clients does not change ${over.join(", ")}: ${keys} overrides it` };
  return {
    problem: {
      source: "--set clients",
      path: "clients",
      message: `has no effect, because ${keys} overrides it; set that instead`,
    },
  };
}
