// Clients of the driver as train-sim uses them: nothing is tried again unseen, and a server that is away is refused at once.
import type { MongoClient, MongoClientOptions } from "mongodb";
import type * as mongodb from "mongodb";
import { UsageError } from "../../foundation/errors.js";
import { requireOptional } from "../../foundation/optional-package.js";
import { addressOf, type Endpoint } from "../endpoint.js";
import { tlsOptions } from "../tls-options.js";
import { connectFailure } from "./connect-failure.js";

/** The driver. Throws a UsageError if it is not installed. */
export const driver = (): typeof mongodb =>
  requireOptional("mongodb", "target.url mongodb://", { version: "7" }) as typeof mongodb;

/** Milliseconds that TCP connect, TLS handshake and log-in may take together. */
export const CONNECT_TIMEOUT_MS = 15_000;

export interface ClientOptions {
  readonly applicationName: string;
  /** Number of connections besides the connection by which the driver watches the server. */
  readonly connections: number;
  readonly connectTimeoutMs?: number | undefined;
}

export interface WriteConcern {
  readonly w?: number | "majority";
  readonly journal?: boolean;
  readonly wtimeoutMS?: number;
}

/** Write concern that the URL states; a part that it leaves out is the server's default. */
export function writeConcernOf({ parameters: { w, journal, wtimeoutMS } = {} }: Endpoint): WriteConcern {
  return {
    ...(w !== undefined && { w: w === "majority" ? w : Number(w) }),
    ...(journal !== undefined && { journal: journal === "true" }),
    ...(wtimeoutMS !== undefined && { wtimeoutMS: Number(wtimeoutMS) }),
  };
}

function logInOf({ user, password, database, parameters = {} }: Endpoint): MongoClientOptions {
  if (user === "") return {};
  const { authMechanism } = parameters;
  return {
    auth: { username: user, ...(password !== undefined && { password }) },
    authSource: parameters["authSource"] ?? database,
    ...(authMechanism !== undefined && {
      authMechanism: authMechanism as NonNullable<MongoClientOptions["authMechanism"]>,
    }),
  };
}

function optionsOf(
  endpoint: Endpoint,
  { applicationName, connections, connectTimeoutMs = CONNECT_TIMEOUT_MS }: ClientOptions,
): MongoClientOptions {
  const { tls, parameters = {} } = endpoint;
  const { replicaSet } = parameters;
  return {
    appName: applicationName,
    ...(replicaSet === undefined ? { directConnection: true } : { replicaSet }),
    ...logInOf(endpoint),
    writeConcern: writeConcernOf(endpoint),
    retryReads: false,
    retryWrites: false,
    maxPoolSize: connections,
    connectTimeoutMS: connectTimeoutMs,
    serverSelectionTimeoutMS: connectTimeoutMs,
    serverMonitoringMode: "poll",
    ...(tls && { tls: true, ...(tlsOptions(tls) as MongoClientOptions) }),
  };
}

/** A client that is not connected yet. Throws a UsageError if the driver is missing or cannot do what the target says. */
export function createClient(endpoint: Endpoint, options: ClientOptions): MongoClient {
  if (endpoint.passwordCommand)
    throw new UsageError(
      "target.passwordCommand does not work with MongoDB",
      "Put the password into the URL, or set PGPASSWORD.",
    );
  const { MongoClient } = driver();
  return new MongoClient(`mongodb://${addressOf(endpoint)}/`, optionsOf(endpoint, options));
}

/** Connects the client and opens its first connection; closes it if that fails. Rejects with a TargetError. */
export async function connectClient(client: MongoClient, endpoint: Endpoint): Promise<void> {
  let refuse: (failure: Error) => void = () => undefined;
  const refused = new Promise<never>((_, reject) => (refuse = reject));
  refused.catch(() => undefined);
  // The driver would look for a server that is away until its time-out.
  const isAlone = endpoint.parameters?.["replicaSet"] === undefined;
  if (isAlone) client.once("serverHeartbeatFailed", ({ failure }) => refuse(failure));
  try {
    await Promise.race([refused, openFirstConnection(client)]);
  } catch (error) {
    await closeClient(client);
    throw connectFailure(endpoint, error);
  }
}

async function openFirstConnection(client: MongoClient): Promise<void> {
  await client.connect();
  await client.db("admin").command({ ping: 1 });
}

/** Closes the client, and its calls under way with it. Never rejects. */
export async function closeClient(client: MongoClient): Promise<void> {
  await client.close().catch(() => undefined);
}
