// `backend-terminate`: sessions of the load are ended by pg_terminate_backend, as an administrator or a failing
// connection does; behind a PgBouncer these are its server connections. Which ones is drawn from the trial's seed.
// There is nothing to clear: clients connect again.
import * as z from "zod";
import { counted } from "../foundation/units.js";
import { connectFault, endSessions } from "../database/fault-sessions.js";
import { loadSessions } from "../database/load-sessions.js";
import { defineFault, share, shareOf } from "./fault.js";

interface Settings {
  readonly sessions: { readonly count: number } | { readonly share: number };
}

export const backendTerminate = defineFault({
  name: "backend-terminate",
  description: "sessions of the load are ended",
  keys: {
    sessions: z
      .union([z.int().min(1).max(100_000), share])
      .optional()
      .meta({
        description:
          "Sessions of the load that are ended: a number, or a share as 50%; chosen at random. Default 100%.",
      }),
  },
  ground: "session",
  resolve: ({ sessions = "100%" }): Settings => ({
    sessions: typeof sessions === "number" ? { count: sessions } : { share: shareOf(sessions) },
  }),
  async inject({ target, prng, loadNames }, { sessions }) {
    const client = await connectFault(target.admin);
    try {
      const pids = prng.shuffle(await loadSessions(client, loadNames));
      const wanted = "count" in sessions ? sessions.count : Math.ceil(sessions.share * pids.length);
      const ended = await endSessions(client, pids.slice(0, wanted));
      const words = `ended ${ended} of ${counted(pids.length, "session")} of the load`;
      return { words, clear: () => Promise.resolve() };
    } finally {
      await client.close();
    }
  },
});
