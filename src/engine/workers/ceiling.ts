// The probe of the generator's ceiling: every iteration is one ping through the treatment's own pool, recorded as
// the operation that the role performs otherwise. Nothing is cheaper for the database, so what limits it is the way
// there: this program, the network, the pooler.
import type { Operation } from "../../metrics/operations.js";
import { type Actor, type ActorContext, nothingToPrepare } from "../../actors/actor.js";

export function ceilingProbe({ transactor }: ActorContext, operation: Operation): Actor {
  return {
    prepare: nothingToPrepare,
    async iterate(client, intendedMs) {
      await transactor.run({
        operation,
        client,
        intendedMs,
        body: (session) => session.ping(),
        isPoll: false,
        events: () => 0,
      });
    },
  };
}
