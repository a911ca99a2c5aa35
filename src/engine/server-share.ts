// Whether the processor time of the database can be told from that of other programs on this machine. It can where
// train-sim started the database, and where it runs elsewhere, so that none of it is used here.
// A server on this machine that someone else started, or that a container engine did, cannot be told from its neighbours.
import type { TreatmentSettings } from "../scenario/settings.js";
import type { RunningTarget } from "../target/running-target.js";

function isHere(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|\/.*)?$/i.test(host);
}

/** `settings` tell of poolers that someone else runs. */
export function isServerTold(
  target: Pick<RunningTarget, "serverPid" | "kind" | "endpoints">,
  settings: Pick<TreatmentSettings, "pool">,
): boolean {
  const poolers = settings.pool.strategy === "pgbouncer" ? settings.pool.urls : [];
  if (poolers.some(({ url }) => !URL.canParse(url) || isHere(new URL(url).hostname))) return false;
  if (target.serverPid !== undefined) return true;
  return target.kind === "url" && !target.endpoints.some(({ host }) => isHere(host));
}
