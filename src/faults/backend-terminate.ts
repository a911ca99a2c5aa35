// `backend-terminate` and `backend-cancel`: the server ends or cancels sessions of the load, drawn from the trial's seed.
// A commit that waits for a standby cannot be taken back: the server acknowledges a cancelled one with a warning.
import * as z from "zod";
import { counted } from "../foundation/units.js";
import { databaseOf } from "../database/registry.js";
import { defineFault, share, shareOf } from "./fault.js";

interface Settings {
  readonly sessions: { readonly count: number } | { readonly share: number };
}

const keys = {
  sessions: z
    .union([z.int().min(1).max(100_000), share])
    .optional()
    .meta({
      description:
        "Sessions of the load that are ended or cancelled: a number, or a share such as 50%; chosen at random. Default 100%.",
    }),
};

function signalFault<const Name extends string>(
  name: Name,
  how: "terminate" | "cancel",
  { description, verb }: { readonly description: string; readonly verb: string },
) {
  return defineFault({
    name,
    description,
    keys,
    affectedPart: "session",
    resolve: ({ sessions = "100%" }): Settings => ({
      sessions: typeof sessions === "number" ? { count: sessions } : { share: shareOf(sessions) },
    }),
    async inject({ target, prng, loadNames }, { sessions }) {
      const load = databaseOf(target.admin).sessions;
      const client = await load.open(target.admin);
      try {
        const pids = prng.shuffle(await load.listProcessIds(client, loadNames));
        const sessionCount = "count" in sessions ? sessions.count : Math.ceil(sessions.share * pids.length);
        const signalledCount = await load.signal(client, how, pids.slice(0, sessionCount));
        const words = `${verb} ${signalledCount} of ${counted(pids.length, "session")} of the load`;
        return { words, clear: () => Promise.resolve() };
      } finally {
        await client.close();
      }
    },
  });
}

export const backendTerminate = signalFault("backend-terminate", "terminate", {
  description: "sessions of the load are ended",
  verb: "ended",
});
export const backendCancel = signalFault("backend-cancel", "cancel", {
  description: "statements of the load's sessions are cancelled",
  verb: "cancelled",
});
