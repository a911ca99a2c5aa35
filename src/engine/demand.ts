// What a treatment asks of the machine and of the server before it starts: connections and open files. Asked before
// anything is started, so that a scenario that cannot be carried is refused in one sentence instead of failing
// half-way. Pure, but for the limit that is read from the process.
import { UsageError } from "../foundation/errors.js";
import { openFilesLimit } from "../foundation/machine.js";
import { totalClients, type Treatment, type TreatmentSettings } from "../scenario/settings.js";

/** Files that the program holds besides its clients' connections: logs, threads, pipes, node's own. */
const OWN_FILES = 64;
const FILES_PER_WORKER = 12;
/** Connections of train-sim's own, beside the load: control work, sampling, and room for closing ones to linger. */
const OWN_CONNECTIONS = 8;

/** Connections that the load opens at once to each of the target's servers, over which clients are spread evenly. */
export function serverConnectionsOf(settings: TreatmentSettings): number {
  const servers = settings.target.kind === "url" ? settings.target.urls.length : 1;
  return Math.ceil(loadConnectionsOf(settings) / servers);
}

function loadConnectionsOf(settings: TreatmentSettings): number {
  const { pool } = settings;
  switch (pool.strategy) {
    case "direct":
      return totalClients(settings);
    case "pg-pool":
      return Math.min(pool.size, totalClients(settings));
    case "pgbouncer":
      return Math.min(pool.size * Math.max(pool.instances, pool.urls.length), totalClients(settings));
  }
}

/** Connections that the most demanding treatment needs of the server, train-sim's own included. */
export function mostServerConnections(treatments: readonly Treatment[]): number {
  return OWN_CONNECTIONS + Math.max(...treatments.map(({ settings }) => serverConnectionsOf(settings)));
}

/** Files that this process holds open while it runs the treatment. */
export function openFilesOf(settings: TreatmentSettings): number {
  const { pool } = settings;
  const connections = pool.strategy === "pg-pool" ? loadConnectionsOf(settings) : totalClients(settings);
  const workers = Object.values(settings.actors).reduce((sum, group) => sum + group.workers, 0);
  return OWN_FILES + workers * FILES_PER_WORKER + connections;
}

/** Refuses an experiment that needs more open files than the process may have. */
export function requireOpenFiles(treatments: readonly Treatment[], limit = openFilesLimit()): void {
  for (const { id, settings } of treatments) {
    const needed = openFilesOf(settings);
    if (needed <= limit) continue;
    throw new UsageError(
      `treatment ${id}: ${totalClients(settings)} clients need about ${needed} open files, but the limit of this process is ${limit}`,
      `Raise it with \`ulimit -n ${needed}\`, or lower the clients.`,
    );
  }
}
