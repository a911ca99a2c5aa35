// `connection-limit`: idle sessions use up the server's connections, so that new ones are refused (53300). Limits of a role or
// database would not bind a superuser, and would outlive a crash of train-sim.
import * as z from "zod";
import { counted } from "../foundation/units.js";
import type { AdminSession, HeldConnections } from "../database/contract.js";
import { databaseOf } from "../database/registry.js";
import { defineFault, drop, faultDuration, type FaultHost } from "./fault.js";

/** Maximum number of passes that end sessions: clients reconnect at once, so that a single pass is not enough. */
const END_PASSES_MAX = 50;

interface Settings {
  /** Number of connections that the load may keep. */
  readonly connections: number;
  /** True if connections of the load beyond the limit are ended; false if only new connections are refused. */
  readonly drop: boolean;
}

export const connectionLimit = defineFault({
  name: "connection-limit",
  description: "the server has no connections left",
  keys: {
    for: faultDuration,
    connections: z.int().min(0).max(100_000).optional().meta({
      description: "Connections that are left to the load. Default 0.",
    }),
    drop: drop.optional(),
  },
  affectedPart: "session",
  takesAllConnections: true,
  resolve: ({ connections = 0, drop: isDropped = true }): Settings => ({ connections, drop: isDropped }),
  obstacle: (_, { target }) =>
    target.kind === "url"
      ? "takes every connection of the server, which others may need on your own server"
      : undefined,
  async inject(host, { connections, drop: isDropped }) {
    const { sessions } = databaseOf(host.target.admin);
    const client = await sessions.open(host.target.admin);
    const held = sessions.holdConnections(host.target.admin);
    try {
      await held.takeAll();
      const ended = isDropped ? await endExcessSessions(host, client, held, connections) : 0;
      const load = (await sessions.listProcessIds(client, host.loadNames)).length;
      if (load < connections) await held.release(connections - load);
      const words = `held ${counted(held.count, "connection")}, ended ${ended} of the load, left it ${Math.max(load, connections)}`;
      return { words, clear: () => held.releaseAll() };
    } catch (error) {
      await held.releaseAll();
      throw error;
    } finally {
      await client.close();
    }
  },
});

/**
 * Ends sessions of the load until at most `most` are left, and occupies their places. Resolves to the number of sessions
 * ended.
 */
async function endExcessSessions(
  { target, prng, signal, loadNames }: FaultHost,
  client: AdminSession,
  held: HeldConnections,
  most: number,
): Promise<number> {
  const { sessions } = databaseOf(target.admin);
  let ended = 0;
  for (let pass = 0; pass < END_PASSES_MAX && !signal.aborted; pass++) {
    const load = prng.shuffle(await sessions.listProcessIds(client, loadNames));
    if (load.length <= most) break;
    ended += await sessions.signal(client, "terminate", load.slice(most));
    await held.takeAll();
  }
  return ended;
}
