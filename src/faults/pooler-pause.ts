// `pooler-pause`: the pooler holds all transactions back, as before a switch-over. No client sees an error.
import { defineFault, faultDuration } from "./fault.js";
import { chosenOf, describeChosen, instance, neverPaused, noInstance, type PoolerFault } from "./pooler.js";

export const poolerPause = defineFault({
  name: "pooler-pause",
  description: "the pooler holds all transactions back",
  keys: { for: faultDuration, instance: instance.optional() },
  affectedPart: "pooler",
  resolve: (given): PoolerFault => ({ instance: given.instance }),
  obstacle: (fault, surroundings) => neverPaused(surroundings) ?? noInstance(fault, surroundings),
  async inject({ pooler, signal }, fault) {
    if (!pooler?.pause) throw new Error("the trial has no pooler that can be paused");
    const consoles = chosenOf(pooler.consoles, fault);
    const clear = await pooler.pause(consoles, signal);
    return { words: `paused ${describeChosen(pooler, consoles.length, fault)}`, clear };
  },
});
