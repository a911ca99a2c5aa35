import { asTrainSimError } from "../foundation/errors.js";
import type { AdminSession, HeldConnections } from "./contract.js";

/** Connections that are opened at the same time. */
const PARALLEL_CONNECTS = 8;
/** Holds connections that `open` makes; `isNoneFree` is true for its error if the server has no other. */
export function holdConnections(
  open: () => Promise<AdminSession>,
  isNoneFree: (reason: unknown) => boolean,
): HeldConnections {
  const held: AdminSession[] = [];
  const release = async (count: number): Promise<void> => {
    await Promise.all(held.splice(0, count).map((client) => client.close()));
  };
  return {
    get count() {
      return held.length;
    },
    async takeAll() {
      for (;;) {
        const attempts = Array.from({ length: PARALLEL_CONNECTS }, open);
        const outcomes = await Promise.allSettled(attempts);
        for (const outcome of outcomes) if (outcome.status === "fulfilled") held.push(outcome.value);
        const refusals = outcomes.filter((one) => one.status === "rejected");
        const other = refusals.find(({ reason }) => !isNoneFree(reason));
        if (other) throw asTrainSimError(other.reason);
        if (refusals.length > 0) return;
      }
    },
    release,
    releaseAll: () => release(held.length),
  };
}
