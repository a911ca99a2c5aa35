// `backend-terminate`: sessions of the load are ended by pg_terminate_backend, as an administrator or a failing
// connection does; behind a PgBouncer these are its server connections. Which ones is drawn from the trial's seed.
// There is nothing to clear: clients connect again.
import { counted } from "../foundation/units.js";
import { connectFault, endSessions } from "../database/fault-sessions.js";
import { loadSessions } from "../database/load-sessions.js";
import type { FaultKind } from "./fault.js";

export const backendTerminate: FaultKind<"backend-terminate"> = {
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
};
