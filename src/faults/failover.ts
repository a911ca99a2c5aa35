// `failover` and `switchover`: the standby that has received most replaces a killed, or an orderly stopped, primary.
// The old primary returns as a standby when the fault ends.
import { formatDuration } from "../foundation/units.js";
import type { Replication } from "../targets/running-target.js";
import { defineFault, faultDuration } from "./fault.js";
import { procObstacle, awaitHealthyServer } from "./healthy.js";
import { standbyObstacle, replicationOf } from "./standby.js";

function standbyFault<const Name extends string>(
  name: Name,
  how: Parameters<Replication["failOver"]>[0],
  verb: string,
) {
  return defineFault({
    name,
    description: "a standby takes the place of the primary, which is killed, or shut down",
    keys: { for: faultDuration.optional() },
    affectedPart: "server",
    restartsServer: true,
    resolve: () => ({}),
    // A proxy follows the primary for clients that know one address only.
    networkPlace: (_, { knowsOneAddress }) => (knowsOneAddress ? "clients" : undefined),
    obstacle: (_, surroundings) => standbyObstacle(surroundings),
    machineObstacle: procObstacle,
    async inject({ target }) {
      const replication = replicationOf(target);
      const done = await replication.failOver(how);
      const { old, promoted, position, lastCommitMs = 0, promotedMs, downMs, asExpected } = done;
      return {
        // The new primary lacks what the old primary wrote after `lastCommitMs`. The answer to a commit comes after its
        // write.
        mayLose: { sinceMs: lastCommitMs, untilMs: promotedMs },
        words:
          `${verb} ${old} and promoted ${promoted}, which had its log up to ${position}; ` +
          `no server took writes for ${formatDuration(Math.round(downMs))}`,
        async clear() {
          try {
            await replication.heal();
            await awaitHealthyServer(target);
          } finally {
            asExpected();
          }
        },
      };
    },
  });
}

export const failover = standbyFault("failover", "kill", "killed");
export const switchover = standbyFault("switchover", "shut-down", "shut down");
