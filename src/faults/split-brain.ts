// `split-brain`: a standby is promoted while the old primary lives on. No standby hears of it any more and no new session
// reaches it, as where an address has moved on; a share of each role's sessions stay, and what it acknowledges to them is
// nowhere else. When the fault ends it is fenced, that is killed, and comes back as a standby: that work is lost.
import { connectFault, signalSessions } from "../database/fault-sessions.js";
import { loadSessions } from "../database/load-sessions.js";
import { counted } from "../foundation/units.js";
import type { Split } from "../targets/running-target.js";
import { defineFault, lasting, share, shareOf, type FaultHost, type LossSpan } from "./fault.js";
import { procObstacle, whenHealthy } from "./healthy.js";
import { noStandby, replicationOf } from "./standby.js";

export const splitBrain = defineFault({
  name: "split-brain",
  description: "a standby is promoted while the primary lives on for some sessions, until it is killed",
  keys: {
    for: lasting,
    stay: share.optional().meta({
      description:
        "Share of each role's sessions that stay with the old primary, chosen at random; the others are ended, and their " +
        "clients find the new one. Default 50%.",
    }),
  },
  ground: "server",
  restartsServer: true,
  /** 0..1. */
  resolve: ({ stay = "50%" }) => ({ stay: shareOf(stay) }),
  obstacle: (_, surroundings) => noStandby(surroundings),
  machineObstacle: procObstacle,
  async inject(host, { stay }) {
    const { target } = host;
    const replication = replicationOf(target);
    const { split, sessions, staying } = await divide(host, stay);
    const { old, promoted, position, lastCommitMs = 0, oldEndpoint, asExpected } = split;
    let mayLose: LossSpan | undefined;
    return {
      words:
        `promoted ${promoted}, which had the log of ${old} up to ${position}; ${staying} of ` +
        `${counted(sessions, "session")} of the load stayed with ${old} until it was killed`,
      get mayLose() {
        return mayLose;
      },
      async clear() {
        try {
          const untilMs = await split.fence();
          mayLose = { sinceMs: lastCommitMs, untilMs, endpoint: oldEndpoint };
          await replication.heal();
          await whenHealthy(target);
        } finally {
          asExpected();
        }
      },
    };
  },
});

interface Divided {
  readonly split: Split;
  /** Of the load on the old primary, before. */
  readonly sessions: number;
  readonly staying: number;
}

/** The session that ends others was there before the old primary admitted no more. */
async function divide({ target, prng, loadNames }: FaultHost, stay: number): Promise<Divided> {
  const session = await connectFault(target.admin);
  try {
    const split = await replicationOf(target).split();
    let [sessions, staying] = [0, 0];
    for (const name of loadNames) {
      const pids = prng.shuffle(await loadSessions(session, [name]));
      const stays = Math.round(stay * pids.length);
      await signalSessions(session, "terminate", pids.slice(stays));
      sessions += pids.length;
      staying += stays;
    }
    return { split, sessions, staying };
  } finally {
    await session.close();
  }
}
