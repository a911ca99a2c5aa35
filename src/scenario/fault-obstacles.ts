// Why a target, a pool or a statement shape cannot suffer a fault, in words that end the sentence "<kind> ...". Asked
// at load, for a fault that cannot be had is refused before anything is started rather than left out of the run.
// What only the machine can tell (rights, platforms) is asked later, by the engine.
import type { Fault, NetworkPlace } from "../faults/faults.js";
import type { TreatmentSettings } from "./settings.js";
import { tlsModeOf } from "../database/endpoint/tls-mode.js";

/** Undefined where it can. */
export function obstacleTo(fault: Fault, settings: TreatmentSettings): string | undefined {
  const { target } = settings;
  switch (fault.kind) {
    case "postgres-restart":
    case "postgres-kill":
    case "disk-full":
      return foreignServer(settings);
    case "process-stop":
      return fault.process === "postgres" ? foreignServer(settings) : foreignPooler(settings);
    case "connection-limit":
      return target.kind === "url"
        ? "takes every connection of the server, which on a server of your own others may need"
        : undefined;
    case "backend-terminate":
    case "long-transaction":
    case "lock-holder":
      return undefined;
    case "pgbouncer-restart":
    case "pgbouncer-kill":
      return foreignPooler(settings) ?? noInstance(fault.instance, settings);
    case "pgbouncer-pause":
      return neverPaused(settings) ?? noInstance(fault.instance, settings);
    case "network-latency":
      if (fault.jitterMs > fault.latencyMs) return "cannot have a jitter above its latency";
      return noNetwork(fault.between, settings);
    case "network-bandwidth":
    case "network-blackhole":
    case "network-refuse":
    case "network-reset":
      return noNetwork(fault.between, settings);
    case "network-reset-commits":
      return noNetwork(fault.between, settings) ?? unseenCommits(fault.between, settings);
  }
}

function foreignServer({ target }: TreatmentSettings): string | undefined {
  if (target.kind === "embedded") return undefined;
  return `needs a server that train-sim runs itself, and target.kind is ${target.kind}`;
}

function foreignPooler({ pool }: TreatmentSettings): string | undefined {
  if (pool.strategy !== "pgbouncer") return `needs a PgBouncer, and pool.strategy is ${pool.strategy}`;
  return pool.urls.length === 0 ? undefined : "needs a PgBouncer that train-sim starts, and pool names URLs";
}

function neverPaused({ pool }: TreatmentSettings): string | undefined {
  if (pool.strategy !== "pgbouncer") return `needs a PgBouncer, and pool.strategy is ${pool.strategy}`;
  if (pool.mode === "session")
    return "waits until every session has ended, and in session mode the clients keep theirs; use transaction mode";
  if (pool.urls.length > 0 && pool.adminUrl === undefined)
    return "needs the admin console of the PgBouncer: set pool.adminUrl";
  return undefined;
}

/** How many instances a fault may name: those that train-sim starts, or the one whose console is known. */
function instancesOf({ pool, target }: TreatmentSettings): number {
  if (pool.strategy !== "pgbouncer") return 0;
  if (pool.urls.length > 0) return 1;
  return Math.max(pool.instances, target.kind === "url" ? target.urls.length : 1);
}

function noInstance(instance: number | undefined, settings: TreatmentSettings): string | undefined {
  const instances = instancesOf(settings);
  if (instance === undefined || instance <= instances) return undefined;
  return `names instance ${instance}, and there ${instances === 1 ? "is 1" : `are ${instances}`}`;
}

function noNetwork(between: NetworkPlace, settings: TreatmentSettings): string | undefined {
  if (between === "clients") return undefined;
  const { target } = settings;
  const obstacle = foreignPooler(settings);
  if (obstacle !== undefined) return `between: pooler ${obstacle}`;
  if (target.kind === "url" && target.urls.some(({ url }) => tlsModeOf(url, target) === "verify-full"))
    return "between: pooler puts a proxy before the server, by whose name PgBouncer cannot tell it: use sslmode verify-ca";
  return undefined;
}

function unseenCommits(
  between: NetworkPlace,
  { pool, target, statementShape }: TreatmentSettings,
): string | undefined {
  if (statementShape === "single-statement")
    return "needs transactions that end with COMMIT, and statementShape is single-statement";
  const isToPooler = pool.strategy === "pgbouncer" && between === "clients";
  const isHidden = isToPooler
    ? pool.urls.some(({ url }) => tlsModeOf(url) !== "disable")
    : target.kind === "url" && target.urls.some(({ url }) => tlsModeOf(url, target) !== "disable");
  return isHidden ? "reads what is sent to find the COMMITs, which TLS hides" : undefined;
}
