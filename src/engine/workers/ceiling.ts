// The probe of the generator's ceiling: every iteration is one `select 1` through the treatment's own pool, recorded as
// the operation that the role performs otherwise. Nothing is cheaper for the database, so what limits it is the way
// there: this program, the network, the pooler.
import type { Operation } from "../../metrics/operations.js";
import { type Actor, type ActorContext, nothingToPrepare } from "../../actors/actor.js";

const SELECT_ONE = { name: "ceiling", text: "SELECT 1" };

export function ceilingProbe({ transactor }: ActorContext, operation: Operation): Actor {
  return {
    prepare: nothingToPrepare,
    async iterate(client, intendedMs) {
      await transactor.run({
        operation,
        client,
        intendedMs,
        body: (connection) => connection.execute(SELECT_ONE, []),
        isPoll: false,
        events: () => 0,
      });
    },
  };
}
