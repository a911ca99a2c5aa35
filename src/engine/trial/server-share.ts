// Whether the processor time of the database can be separated from other programs' on this machine.
import type { AdminSession } from "../../database/contract.js";
import { databaseOf } from "../../database/registry.js";
import type { TreatmentSettings } from "../../scenario/settings.js";
import { hasPooler } from "../../pools/registry.js";
import type { RunningTarget } from "../../targets/running-target.js";

function isHere(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|\/.*)?$/i.test(host);
}

/** The process id of the server's main process, if it is a visible process of this machine. Never rejects. */
export async function findPostmaster(admin: AdminSession): Promise<number | undefined> {
  try {
    return await databaseOf(admin.endpoint).server.serverProcessOf(admin);
  } catch {
    return undefined; // another product, or a server that has gone: its next reading says so
  }
}

/**
 * The reason why CPU time of the database cannot be separated from other programs'; `settings` name poolers that the user
 * runs.
 */
export function serverUnknownReason(
  target: Pick<RunningTarget, "serverPid" | "kind" | "endpoints">,
  settings: Pick<TreatmentSettings, "pool">,
): string | undefined {
  const poolers = hasPooler(settings.pool) ? settings.pool.urls : [];
  if (poolers.some(({ url }) => !URL.canParse(url) || isHere(new URL(url).hostname)))
    return "a pooler that train-sim did not start runs on this machine";
  if (target.serverPid !== undefined) return undefined;
  if (target.kind === "url" && !target.endpoints.some(({ host }) => isHere(host))) return undefined;
  return "the server's address is local, and its processes are not visible from here";
}
