// `pooler-pause`: the pooler holds all transactions back, as before a switch-over. No client sees an error.
import { defineFault, faultDuration } from "./fault.js";
import {
  selectAffected,
  describeAffectedPoolers,
  instance,
  poolerPauseObstacle,
  instanceObstacle,
  type PoolerFault,
} from "./pooler.js";

export const poolerPause = defineFault({
  name: "pooler-pause",
  description: "the pooler holds all transactions back",
  keys: { for: faultDuration, instance: instance.optional() },
  affectedPart: "pooler",
  resolve: (given): PoolerFault => ({ instance: given.instance }),
  obstacle: (fault, surroundings) =>
    poolerPauseObstacle(surroundings) ?? instanceObstacle(fault, surroundings),
  async inject({ pooler, signal }, fault) {
    if (!pooler?.pause) throw new Error("the trial has no pooler that can be paused");
    const consoles = selectAffected(pooler.consoles, fault);
    const clear = await pooler.pause(consoles, signal);
    return { words: `paused ${describeAffectedPoolers(pooler, consoles.length, fault)}`, clear };
  },
});
