// Asked before anything starts, so that a scenario that cannot be carried is refused in one sentence.
import { UsageError } from "../../foundation/errors.js";
import { connectionLimits, type ConnectionLimits } from "../../foundation/machine.js";
import { counted } from "../../foundation/units.js";
import {
  loadOfThisProcess,
  clientConnectionsOf,
  clientWeightsOf,
  NON_LOAD_CONNECTIONS,
  poolerConnectionsOf,
  busiestServerConnections,
  type LoadProcess,
} from "../../scenario/connections.js";
import { networkPlacesOf } from "../../scenario/fault-context.js";
import { kindOf, type FaultKindName } from "../../faults/registry.js";
import { canonicalSetting } from "../../targets/server-limits.js";
import { type Treatment, type TreatmentSettings } from "../../scenario/settings.js";
import { countsByWeight } from "../../database/spread.js";
import { isManaged, poolerKindOf } from "../../pools/registry.js";

/** Files that the program holds open besides the connections of its clients: logs, threads, pipes, Node's own. */
const PROGRAM_OPEN_FILES = 64;
const FILES_PER_WORKER = 12;

/** A key that is equal for treatments that share a target. */
export function targetKey({ settings }: Treatment): string {
  return JSON.stringify(settings.target);
}

function statesMaxConnections({ settings: { target } }: Treatment): boolean {
  if (target.kind === "url") return false;
  return Object.keys(target.settings).some((name) => canonicalSetting(name) === "max_connections");
}

/**
 * Server connections that the most demanding treatment needs, train-sim's own included. If the target of `of` states
 * max_connections, only treatments with that target count; else all do, so that servers differ only in stated settings.
 */
export function mostServerConnections(treatments: readonly Treatment[], of: Treatment): number {
  const asking = statesMaxConnections(of)
    ? treatments.filter((treatment) => targetKey(treatment) === targetKey(of))
    : treatments;
  return NON_LOAD_CONNECTIONS + Math.max(...asking.map(({ settings }) => busiestServerConnections(settings)));
}

/** Connections of the process's proxy for network faults: each proxied connection counts twice, accepted and onward. */
function proxiedConnectionsOf(settings: TreatmentSettings, { clients, pooled }: LoadProcess): number {
  const between = {
    clients: clientConnectionsOf(settings, clients),
    pooler: poolerConnectionsOf(settings, pooled).reduce((sum, each) => sum + each, 0),
    replication: standbyCountOf(settings),
  };
  return networkPlacesOf(settings).reduce((sum, place) => sum + between[place], 0);
}

function standbyCountOf({ target }: TreatmentSettings): number {
  return target.kind === "embedded" ? (target.standbys?.count ?? 0) : 0;
}

/** Files that a process holds open for its part of the load; its pooler has the same limit. */
export function openFilesOf(settings: TreatmentSettings, part = loadOfThisProcess(settings)): number {
  const { pool } = settings;
  const { clients, workers, pooled } = part;
  const connections = clientConnectionsOf(settings, clients) + 2 * proxiedConnectionsOf(settings, part);
  return Math.max(
    PROGRAM_OPEN_FILES + workers * FILES_PER_WORKER + connections,
    isManaged(pool) && pooled > 0
      ? poolerKindOf(pool).openFiles({ ...pool, maxClientConnections: pooled })
      : 0,
  );
}

/** Connections to the busiest port; each takes up a local port of the process's machine. */
function localPortsOf(settings: TreatmentSettings, { clients, pooled }: LoadProcess): number {
  return Math.max(
    ...countsByWeight(clientWeightsOf(settings), clientConnectionsOf(settings, clients)),
    ...poolerConnectionsOf(settings, pooled),
  );
}

export interface Shortage {
  readonly words: string;
  readonly remedy: string;
}

/**
 * The limit that is too low for the process's part of the load, and how to raise it; undefined if the limits suffice.
 * `agent` is the agent's name, if the process is an agent.
 */
export function shortageOf(
  settings: TreatmentSettings,
  limits: ConnectionLimits = connectionLimits(),
  part = loadOfThisProcess(settings),
  agent?: string,
): Shortage | undefined {
  const clients = counted(Math.max(part.clients, part.pooled), "client");
  const files = openFilesOf(settings, part);
  if (files > limits.openFiles) {
    const processName = agent === undefined ? "this process" : `agent ${agent}`;
    return {
      words: `${clients} need about ${files} open files, but the limit of ${processName} is ${limits.openFiles}`,
      // At its start Node raises the soft limit to the hard limit, so the hard limit is what has to be raised.
      remedy:
        `Lower the clients, or raise the hard limit to ${files} or more: \`ulimit -n ${files}\` as root, nofile in ` +
        "/etc/security/limits.conf, LimitNOFILE of a service, --ulimit nofile of a container.",
    };
  }
  const ports = localPortsOf(settings, part);
  if (ports <= limits.localPorts) return undefined;
  const machine = agent === undefined ? "this machine" : `the machine of agent ${agent}`;
  return {
    words: `${clients} need ${ports} local ports towards one server, but ${machine} has ${limits.localPorts} to give`,
    remedy:
      "Lower the clients, spread them over more PgBouncers (pool.instances), or widen net.ipv4.ip_local_port_range.",
  };
}

/** Refuses an experiment that exceeds the limits of this machine. Agents are checked against their own limits. */
export function requireMachineLimits(treatments: readonly Treatment[], limits = connectionLimits()): void {
  for (const treatment of treatments) refuseShortage(treatment, shortageOf(treatment.settings, limits));
}

export function refuseShortage({ id }: Treatment, shortage: Shortage | undefined): void {
  if (shortage) throw new UsageError(`treatment ${id}: ${shortage.words}`, shortage.remedy);
}

/** Why this machine cannot inject a fault of these treatments; undefined if it can inject them all. */
export async function faultObstacle(
  kinds: readonly FaultKindName[],
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  for (const kind of new Set(kinds)) {
    const reason = await kindOf(kind).machineObstacle?.(platform);
    if (reason !== undefined) return `${kind} ${reason}`;
  }
  return undefined;
}

/** Rejects with a UsageError if this machine cannot inject a fault of a treatment. */
export async function requireInjectableFaults(treatments: readonly Treatment[]): Promise<void> {
  const reason = await faultObstacle(
    treatments.flatMap(({ settings }) => settings.faults.map(({ kind }) => kind)),
  );
  if (reason === undefined) return;
  throw new UsageError(`faults: ${reason}`, "Run train-sim as root on Linux, or take the fault out.");
}
