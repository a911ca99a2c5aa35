// Identity and limits of a server. A part that the user may not see, or that the server does not know, is left out.
import type { Document } from "mongodb";
import { UsageError } from "../../foundation/errors.js";
import { distinct } from "../../foundation/distinct.js";
import type { ConnectionBudget, Obstacle, Server, ServerDemand, ServerInfo } from "../contract.js";
import { describeEndpoint } from "../endpoint.js";
import { administer, type MongoAdmin } from "./admin.js";
import { writeConcernOf } from "./driver.js";
import { requireDroppable } from "./namespaces.js";
import { obstacleOf } from "./remedies.js";

/** Connections of one session: its own, and the one by which the driver watches the server. */
export const CONNECTIONS_PER_SESSION = 2;

/** Settings of the server's configuration, by their path in the answer to getCmdLineOpts. None can hold a secret. */
const SHOWN_SETTINGS = [
  "storage.engine",
  "storage.journal.commitIntervalMs",
  "storage.syncPeriodSecs",
  "storage.directoryPerDB",
  "storage.wiredTiger.engineConfig.cacheSizeGB",
  "storage.wiredTiger.engineConfig.journalCompressor",
  "storage.wiredTiger.collectionConfig.blockCompressor",
  "storage.wiredTiger.indexConfig.prefixCompression",
  "net.maxIncomingConnections",
  "replication.replSetName",
  "replication.oplogSizeMB",
];

/** The number at that path of a document; undefined if there is none. Counters of 64 bits arrive as objects of the driver. */
export function numberAt(document: Document, ...path: readonly string[]): number | undefined {
  const value = valueAt(document, path);
  if (value === undefined || value === null) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** The value at that path of a document; undefined if there is none. */
function valueAt(document: Document, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (at as Document | null | undefined)?.[name], document);
}

const isScalar = (value: unknown): value is string | number | boolean =>
  ["string", "number", "boolean"].includes(typeof value);

/** The answer to a command; empty if the server does not know it, or does not let this user ask. */
const answerTo = (admin: MongoAdmin, command: Document): Promise<Document> =>
  admin.command(command).catch((): Document => ({}));

async function settingsOf(admin: MongoAdmin, status: Document): Promise<Record<string, string>> {
  const options = await answerTo(admin, { getCmdLineOpts: 1 });
  const stated = SHOWN_SETTINGS.flatMap((path): [string, string][] => {
    const value = valueAt(options, ["parsed", ...path.split(".")]);
    return isScalar(value) ? [[path, String(value)]] : [];
  });
  const defaults = valueAt(await answerTo(admin, { getDefaultRWConcern: 1 }), ["defaultWriteConcern"]);
  const engine = valueAt(status, ["storageEngine", "name"]);
  return {
    ...Object.fromEntries(stated),
    ...(typeof engine === "string" && { storageEngine: engine }),
    ...(defaults !== undefined && { defaultWriteConcern: JSON.stringify(defaults) }),
  };
}

/** Write concern of the load as the URL states it. */
function writeConcernText({ endpoint }: MongoAdmin): string {
  const parts = Object.entries(writeConcernOf(endpoint)).map(([name, value]) => `${name}=${value}`);
  return parts.length === 0 ? "the server's default" : parts.join(" ");
}

function budgetOf(status: Document): ConnectionBudget {
  const [current, available] = ["current", "available"].map((name) => numberAt(status, "connections", name));
  const max = current === undefined || available === undefined ? undefined : current + available;
  return { max, reserved: 0, inUse: current ?? 0 };
}

async function info(admin: MongoAdmin): Promise<ServerInfo> {
  const [build, status] = [await admin.command({ buildInfo: 1 }), await admin.command({ serverStatus: 1 })];
  const version = String(build["version"]);
  const ferretDb = build["ferretdbVersion"] as string | undefined;
  return {
    product: ferretDb === undefined ? "MongoDB" : "FerretDB",
    dialect: "mongodb",
    version: ferretDb ?? version,
    versionText:
      ferretDb === undefined
        ? `MongoDB ${version}`
        : `FerretDB ${ferretDb}, which answers as MongoDB ${version}`,
    // The load's, not the server's: the identity leaves it out, for trials of one server may differ in it.
    settings: { ...(await settingsOf(admin, status)), writeConcern: writeConcernText(admin) },
    connections: budgetOf(status),
  };
}

async function obstacles(demand: ServerDemand): Promise<Obstacle[]> {
  try {
    const admin = await administer(demand.admin, { purpose: "preflight" });
    try {
      return await obstaclesAt(admin, demand);
    } finally {
      await admin.close();
    }
  } catch (error) {
    return [obstacleOf(error)];
  }
}

async function obstaclesAt(admin: MongoAdmin, demand: ServerDemand): Promise<Obstacle[]> {
  const { clientEndpoints, namespaces, loadConnections, controlConnections, tablesOf } = demand;
  const where = describeEndpoint(admin.endpoint);
  const found: Obstacle[] = [];
  const refuse = (words: string, remedy: string): void => void found.push({ kind: "unfit", words, remedy });
  const hello = await admin.command({ hello: 1 });
  if (hello["isWritablePrimary"] !== true)
    refuse(`${where} is no primary, and takes no writes`, "Name the primary in target.url.");
  const { max, inUse } = budgetOf(await admin.command({ serverStatus: 1 }));
  const needed = CONNECTIONS_PER_SESSION * (loadConnections + controlConnections);
  if (max !== undefined && inUse + needed > max)
    refuse(
      `the run needs ${needed} connections, and the server has ${max - inUse} left`,
      "Raise net.maxIncomingConnections there, or lower the scenario's clients.",
    );
  for (const { endpoint } of clientEndpoints)
    if (endpoint.user !== admin.endpoint.user)
      refuse(
        `user "${endpoint.user}" of target.urls is another one than "${admin.endpoint.user}" of target.adminUrl`,
        "Use one user: train-sim grants no roles on MongoDB.",
      );
  for (const namespace of namespaces)
    await requireDroppable(admin, namespace, tablesOf).catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      refuse(error.message, error.hint);
    });
  for (const endpoint of distinct(clientEndpoints.map((each) => each.endpoint)))
    await administer(endpoint, { purpose: "preflight" }).then(
      (opened) => opened.close(),
      (error: unknown) => void found.push(obstacleOf(error)),
    );
  return found;
}

export const server: Server<MongoAdmin> = {
  info,
  async identity(endpoint) {
    const admin = await administer(endpoint, { purpose: "identity" });
    try {
      const [{ product, version }, status] = [await info(admin), await admin.command({ serverStatus: 1 })];
      return {
        // The server states its age and no start, which would differ between readings. A restart changes the process.
        systemIdentifier: `${String(status["host"])}, process ${String(status["pid"])}`,
        version: `${product} ${version}`,
        settings: await settingsOf(admin, status),
        missing: [],
      };
    } finally {
      await admin.close();
    }
  },
  async clockMs(admin) {
    return Number((await admin.command({ hello: 1 }))["localTime"]);
  },
  serverProcessOf: () => Promise.resolve(undefined),
  requireConnections({ max, inUse }, sessions, treatmentId) {
    const needed = CONNECTIONS_PER_SESSION * sessions;
    if (max === undefined || needed <= max - inUse) return;
    throw new UsageError(
      `treatment ${treatmentId} needs ${needed} connections, but the server has ${max - inUse} left (${inUse} in use)`,
      "Raise net.maxIncomingConnections there, or lower the clients.",
    );
  },
  obstacles,
  poolerRefusal: () => Promise.resolve(undefined),
  controlTransactions: () => 0,
};
