// What a treatment asks of the machine and of the server before it starts: connections, open files, local ports. Asked
// before anything is started, so that a scenario that cannot be carried is refused in one sentence instead of failing
// half-way. Pure, but for the limits that are read from process and machine.
import { UsageError } from "../../foundation/errors.js";
import { connectionLimits, type ConnectionLimits } from "../../foundation/machine.js";
import { counted } from "../../foundation/units.js";
import {
  clientConnectionsOf,
  clientWeightsOf,
  lotsOf,
  OWN_CONNECTIONS,
  serverConnectionsOf,
  serversConnectionsOf,
} from "../../scenario/connections.js";
import { networkPlacesOf } from "../../faults/faults.js";
import { canonicalSetting } from "../../targets/server-limits.js";
import { totalClients, type Treatment, type TreatmentSettings } from "../../scenario/settings.js";
import { countsByWeight } from "../../database/endpoint/spread.js";
import { isManaged, poolerKindOf } from "../../pools/registry.js";

/** Files that the program holds besides its clients' connections: logs, threads, pipes, node's own. */
const OWN_FILES = 64;
const FILES_PER_WORKER = 12;

/** The same for treatments that share a target. */
export function targetKey({ settings }: Treatment): string {
  return JSON.stringify(settings.target);
}

function statesMaxConnections({ settings: { target } }: Treatment): boolean {
  if (target.kind === "url") return false;
  return Object.keys(target.settings).some((name) => canonicalSetting(name) === "max_connections");
}

/**
 * Connections that the most demanding treatment needs of that one's server, train-sim's own included: of all treatments, so
 * that servers differ in nothing but what is stated; where max_connections is, of those that share this server.
 */
export function mostServerConnections(treatments: readonly Treatment[], of: Treatment): number {
  const asking = statesMaxConnections(of)
    ? treatments.filter((treatment) => targetKey(treatment) === targetKey(of))
    : treatments;
  return OWN_CONNECTIONS + Math.max(...asking.map(({ settings }) => serverConnectionsOf(settings)));
}

/** Connections that go through a proxy of ours, for faults of the network: an accepted and an onward one each. */
function proxiedConnectionsOf(settings: TreatmentSettings): number {
  const onward = serversConnectionsOf(settings).reduce((sum, each) => sum + each, 0);
  const { target } = settings;
  const replication = target.kind === "embedded" ? (target.standbys?.count ?? 0) : 0;
  const between = { clients: clientConnectionsOf(settings), pooler: onward, replication };
  return networkPlacesOf(settings).reduce((sum, place) => sum + between[place], 0);
}

/** Files that the process with the most of them holds open: this one, or a pooler of ours, whose limit is the same. */
export function openFilesOf(settings: TreatmentSettings): number {
  const { pool } = settings;
  const workers = Object.values(settings.actors).reduce((sum, group) => sum + group.workers, 0);
  const own = clientConnectionsOf(settings) + 2 * proxiedConnectionsOf(settings);
  const admitted = { maxClientConnections: Math.max(...lotsOf(settings)) };
  return Math.max(
    OWN_FILES + workers * FILES_PER_WORKER + own,
    isManaged(pool) ? poolerKindOf(pool).openFiles({ ...pool, ...admitted }) : 0,
  );
}

/** Connections to the busiest port, each of which needs a port of this machine at its other end. */
function localPortsOf(settings: TreatmentSettings): number {
  return Math.max(
    ...countsByWeight(clientWeightsOf(settings), clientConnectionsOf(settings)),
    serverConnectionsOf(settings),
  );
}

/** A limit of this machine that a treatment would hit. */
export interface Shortage {
  readonly words: string;
  readonly remedy: string;
}

/** Undefined where the machine can carry the treatment's clients. */
export function shortageOf(
  settings: TreatmentSettings,
  limits: ConnectionLimits = connectionLimits(),
): Shortage | undefined {
  const clients = counted(totalClients(settings), "client");
  const files = openFilesOf(settings);
  if (files > limits.openFiles) {
    return {
      words: `${clients} need about ${files} open files, but the limit of this process is ${limits.openFiles}`,
      // Node has taken all that the hard limit allows when it starts, so the soft one is not in the way.
      remedy:
        `Lower the clients, or raise the hard limit to ${files} or more: \`ulimit -n ${files}\` as root, nofile in ` +
        "/etc/security/limits.conf, LimitNOFILE of a service, --ulimit nofile of a container.",
    };
  }
  const ports = localPortsOf(settings);
  if (ports <= limits.localPorts) return undefined;
  return {
    words: `${clients} need ${ports} local ports towards one server, but this machine has ${limits.localPorts} to give`,
    remedy:
      "Lower the clients, spread them over more PgBouncers (pool.instances), or widen net.ipv4.ip_local_port_range.",
  };
}

/** Refuses an experiment that this machine cannot carry. */
export function requireCapacity(treatments: readonly Treatment[], limits = connectionLimits()): void {
  for (const { id, settings } of treatments) {
    const shortage = shortageOf(settings, limits);
    if (shortage) throw new UsageError(`treatment ${id}: ${shortage.words}`, shortage.remedy);
  }
}
