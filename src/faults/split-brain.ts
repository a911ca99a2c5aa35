// `split-brain`: a standby is promoted while the old primary keeps a share of each role's sessions. Commits that the old primary
// acknowledges meanwhile are lost when it is fenced (killed) and comes back as a standby.
import type { AdminSession } from "../database/contract.js";
import { databaseOf } from "../database/registry.js";
import { systemClock } from "../foundation/clock.js";
import { counted } from "../foundation/units.js";
import { defineFault, faultDuration, share, shareOf, type FaultHost, type LossSpan } from "./fault.js";
import { procObstacle, awaitHealthyServer } from "./healthy.js";
import { standbyObstacle, replicationOf } from "./standby.js";

export const splitBrain = defineFault({
  name: "split-brain",
  description: "a standby is promoted while the primary lives on for some sessions, until it is killed",
  keys: {
    for: faultDuration,
    stay: share.optional().meta({
      description:
        "Share of each group's sessions that stay with the old primary, chosen at random; the others are ended, and their clients find the new primary. Default 50%.",
    }),
  },
  affectedPart: "server",
  restartsServer: true,
  /** Share, 0 .. 1, of sessions that stay at the old primary. */
  resolve: ({ stay = "50%" }) => ({ stay: shareOf(stay) }),
  obstacle: (_, surroundings) =>
    surroundings.knowsOneAddress
      ? "has two primaries at a time, and a queue's programs know one address; use failover or switchover"
      : standbyObstacle(surroundings),
  machineObstacle: procObstacle,
  async inject(host, { stay }) {
    const { target } = host;
    const replication = replicationOf(target);
    // The session is opened before the old primary refuses new ones.
    const session = await databaseOf(target.admin).sessions.open(target.admin);
    const split = await replication.split().catch(async (error: unknown) => {
      await session.close();
      throw error;
    });
    const { old, promoted, position, lastCommitMs = 0, oldEndpoint, fence, asExpected } = split;
    const sessions = await endLoadSessions(session, host, stay).catch(async (error: unknown) => {
      await fence();
      asExpected();
      throw error;
    });
    let mayLose: LossSpan | undefined;
    return {
      words:
        `promoted ${promoted}, which had the log of ${old} up to ${position}; ${sessions.stayed} of ` +
        `${counted(sessions.all, "session")} of the load stayed with ${old} until it was killed`,
      get mayLose() {
        return mayLose;
      },
      async clear() {
        try {
          await fence();
          await replication.heal();
          await awaitHealthyServer(target);
          // The killed primary acknowledges nothing more, but clients may read only now an answer that was sent before.
          mayLose = { sinceMs: lastCommitMs, untilMs: systemClock.nowMs(), endpoint: oldEndpoint };
        } finally {
          asExpected();
        }
      },
    };
  },
});

/** Ends the sessions of each role except for the share `stay`, then its own session. Resolves to the numbers of sessions. */
async function endLoadSessions(
  session: AdminSession,
  { prng, loadNames }: Pick<FaultHost, "prng" | "loadNames">,
  stay: number,
): Promise<{ readonly all: number; readonly stayed: number }> {
  const { sessions } = databaseOf(session.endpoint);
  let [all, stayed] = [0, 0];
  try {
    for (const name of loadNames) {
      const pids = prng.shuffle(await sessions.listProcessIds(session, [name]));
      const stayingSessions = Math.round(stay * pids.length);
      await sessions.signal(session, "terminate", pids.slice(stayingSessions));
      all += pids.length;
      stayed += stayingSessions;
    }
    return { all, stayed };
  } finally {
    await session.close();
  }
}
