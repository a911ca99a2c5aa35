// `pooler-restart` and `pooler-kill`: poolers are stopped or killed, stay away during the fault, and start again on their ports.
import { defineFault, faultDuration } from "./fault.js";
import {
  selectAffected,
  describeAffectedPoolers,
  foreignPoolerObstacle,
  instance,
  instanceObstacle,
  type PoolerFault,
} from "./pooler.js";
import type { PoolerInstance } from "../pools/running-pooler.js";

function poolerDownFault<const Name extends string>(
  name: Name,
  how: Parameters<PoolerInstance["shutDown"]>[0],
  verb: string,
) {
  return defineFault({
    name,
    description: "the pooler is stopped, or killed, and started again",
    keys: { for: faultDuration.optional(), instance: instance.optional() },
    affectedPart: "pooler",
    resolve: (given): PoolerFault => ({ instance: given.instance }),
    obstacle: (fault, surroundings) =>
      foreignPoolerObstacle(surroundings) ?? instanceObstacle(fault, surroundings),
    async inject({ pooler }, fault) {
      if (!pooler) throw new Error("the trial has no pooler");
      const chosenInstances = selectAffected(pooler.instances, fault);
      await Promise.all(chosenInstances.map((each) => each.shutDown(how)));
      return {
        words: `${verb} ${describeAffectedPoolers(pooler, chosenInstances.length, fault)} and started ${chosenInstances.length === 1 ? "it" : "them"} again`,
        async clear() {
          await Promise.all(chosenInstances.map((each) => each.start()));
        },
      };
    },
  });
}

export const poolerRestart = poolerDownFault("pooler-restart", "at-once", "stopped");
export const poolerKill = poolerDownFault("pooler-kill", "kill", "killed");
