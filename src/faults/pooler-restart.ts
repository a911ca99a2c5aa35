// `pooler-restart` and `pooler-kill`: one pooler or all of them are stopped (by a signal that does not wait for clients)
// or killed (SIGKILL), stay away for as long as the fault lasts, and are started again on the same port with the same
// configuration. Their clients lose their connections either way; a server session that was killed away rolls back.
import { defineFault, lasting } from "./fault.js";
import { chosenOf, describeChosen, foreignPooler, instance, noInstance, type OfPooler } from "./pooler.js";
import type { PoolerInstance } from "../pools/running-pooler.js";

function takenDown<const Name extends string>(
  name: Name,
  how: Parameters<PoolerInstance["shutDown"]>[0],
  verb: string,
) {
  return defineFault({
    name,
    description: "the pooler is stopped, or killed, and started again",
    keys: { for: lasting.optional(), instance: instance.optional() },
    ground: "pooler",
    resolve: (given): OfPooler => ({ instance: given.instance }),
    obstacle: (fault, surroundings) => foreignPooler(surroundings) ?? noInstance(fault, surroundings),
    async inject({ pooler }, fault) {
      if (!pooler) throw new Error("the trial has no pooler");
      const chosen = chosenOf(pooler.instances, fault);
      await Promise.all(chosen.map((each) => each.shutDown(how)));
      return {
        words: `${verb} ${describeChosen(pooler, chosen.length, fault)} and started ${chosen.length === 1 ? "it" : "them"} again`,
        async clear() {
          await Promise.all(chosen.map((each) => each.up()));
        },
      };
    },
  });
}

export const poolerRestart = takenDown("pooler-restart", "at-once", "stopped");
export const poolerKill = takenDown("pooler-kill", "kill", "killed");
