// Choice of poolers that the faults of a pooler share, and their refusal if a treatment has none.
import * as z from "zod";
import { counted } from "../foundation/units.js";
import {
  arePoolersAtAgents,
  hasPooler,
  isManaged,
  poolerKindOf,
  type PoolSettings,
} from "../pools/registry.js";
import type { RunningPooler } from "../pools/running-pooler.js";
import type { FaultContext } from "./fault.js";

export const instance = z.int().min(1).max(100).meta({
  description:
    "Number of the pooler, from 1; all poolers if left out. Poolers of agents are counted agent by agent.",
});

export interface PoolerFault {
  /** Number of the affected pooler, from 1; undefined if all poolers are affected. */
  readonly instance: number | undefined;
}

const needsPoolerText = ({ strategy }: PoolSettings): string =>
  `needs a pooler, and pool.strategy is ${strategy}`;

export function foreignPoolerObstacle({ pool }: FaultContext): string | undefined {
  if (!hasPooler(pool)) return needsPoolerText(pool);
  if (isManaged(pool)) return undefined;
  return `needs a ${poolerKindOf(pool).product} that train-sim starts, and pool names URLs`;
}

export function poolerPauseObstacle({ pool }: FaultContext): string | undefined {
  if (!hasPooler(pool)) return needsPoolerText(pool);
  const { product, pause } = poolerKindOf(pool);
  if (!pause) return `needs a pooler that can hold transactions back, and ${product} cannot`;
  const hasConsole = pool.urls.length === 0 || pool.adminUrl !== undefined;
  return (
    pause.obstacle(pool) ??
    (hasConsole ? undefined : `needs the admin console of the ${product}: set pool.adminUrl`)
  );
}

/**
 * Number of poolers that a fault can name: the poolers that train-sim starts, or the single pooler whose console is known.
 */
function poolerInstanceCount({ pool, target, agents }: FaultContext): number {
  if (!hasPooler(pool)) return 0;
  if (pool.urls.length > 0) return 1;
  const instancesPerPlace = Math.max(pool.instances, target.kind === "url" ? target.urls.length : 1);
  return arePoolersAtAgents(pool) ? agents * instancesPerPlace : instancesPerPlace;
}

export function instanceObstacle(fault: PoolerFault, surroundings: FaultContext): string | undefined {
  const instances = poolerInstanceCount(surroundings);
  if (fault.instance === undefined || fault.instance <= instances) return undefined;
  return `names instance ${fault.instance}, and there ${instances === 1 ? "is 1" : `are ${instances}`}`;
}

export function selectAffected<T>(all: readonly T[], { instance: number }: PoolerFault): readonly T[] {
  return number === undefined ? all : all.slice(number - 1, number);
}

export function describeAffectedPoolers(
  { product }: Pick<RunningPooler, "product">,
  chosen: number,
  { instance: number }: PoolerFault,
): string {
  return number === undefined ? counted(chosen, product) : `${product} ${number}`;
}
