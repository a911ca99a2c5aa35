// Nothing but the password comes from the environment: PGSSLMODE in a shell must not change what is measured.
import type { ClientConfig } from "pg";
import pgpass from "pgpass";
import type { Endpoint } from "../endpoint.js";
import { passwordFrom } from "../password-command.js";
import { tlsOptions } from "../tls-options.js";
import { PlainSocket } from "./wire/plain-socket.js";

/** Milliseconds that TCP connect, TLS handshake and login may take together. */
export const CONNECT_TIMEOUT_MS = 15_000;
/** Idle milliseconds after which TCP starts to check the other side. */
const KEEP_ALIVE_AFTER_MS = 10_000;

const toNumber = (text: string): number => Number(text);

const toExactNumber = (text: string): number | string => {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
};

/**
 * Parsers of result columns by type OID: booleans and numbers are converted. All other types (json, uuid, numeric,
 * timestamps, arrays) stay the text that the server sent. So does an int8 of 2^53 or more: no count or size is that large,
 * but a user's ids may be.
 */
const PARSER_BY_OID: ReadonlyMap<number, (text: string) => unknown> = new Map<
  number,
  (text: string) => unknown
>([
  [16, (text) => text === "t"], // bool
  [20, toExactNumber], // int8
  [21, toNumber], // int2
  [23, toNumber], // int4
  [26, toNumber], // oid
  [700, toNumber], // float4
  [701, toNumber], // float8
]);

const keepText = (text: string): string => text;

export function parserOf(oid: number): ((text: string) => unknown) | undefined {
  return PARSER_BY_OID.get(oid);
}

/** True if the host is the directory of a Unix socket, where TLS does not apply (libpq ignores sslmode there, too). */
function isSocketDirectory(host: string): boolean {
  return host.startsWith("/");
}

/** The password for that server in ~/.pgpass (PGPASSFILE), by libpq's rules; undefined if there is none. */
function passwordInFile({ host, port, database, user }: Endpoint): Promise<string> {
  return new Promise((resolve) => pgpass({ host, port, database, user }, (found) => resolve(found ?? "")));
}

function passwordOf(endpoint: Endpoint): Pick<ClientConfig, "password"> {
  const { password, passwordCommand } = endpoint;
  if (password !== undefined) return { password };
  return { password: () => (passwordCommand ? passwordFrom(passwordCommand) : passwordInFile(endpoint)) };
}

export function pgConfig(
  endpoint: Endpoint,
  applicationName: string,
  connectTimeoutMs: number = CONNECT_TIMEOUT_MS,
): ClientConfig {
  const isEncrypted = endpoint.tls !== undefined && !isSocketDirectory(endpoint.host);
  return {
    host: endpoint.host,
    port: endpoint.port,
    database: endpoint.database,
    user: endpoint.user,
    ...passwordOf(endpoint),
    ...(isEncrypted ? { ssl: tlsOptions(endpoint.tls) } : { ssl: false, stream: () => new PlainSocket() }),
    sslnegotiation: "postgres",
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    types: { getTypeParser: (oid) => parserOf(oid) ?? keepText },
  };
}
