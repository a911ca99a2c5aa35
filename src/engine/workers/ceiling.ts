// The client of the ceiling's probe: nothing is cheaper for the database than a ping, so the way to it is the limit.
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
