import { createConnection, isIP, type Socket } from "node:net";
import type { ConnectionOptions, SslOptions } from "mysql2";
import type { SessionOptions } from "../contract.js";
import type { Endpoint, TlsSettings } from "../endpoint.js";
import { passwordFrom } from "../password-command.js";

/** Milliseconds that TCP connect, TLS handshake and login may take together. */
export const CONNECT_TIMEOUT_MS = 15_000;
/** Idle milliseconds after which TCP starts to check the other side. */
const KEEP_ALIVE_AFTER_MS = 10_000;

/** The path of a Unix socket, or host and port. */
export const socketOf = ({ host, port }: Pick<Endpoint, "host" | "port">) =>
  host.startsWith("/") ? { path: host } : { host, port };

export function openSocket(endpoint: Endpoint): Socket {
  const socket = createConnection(socketOf(endpoint));
  return socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_AFTER_MS);
}

/** Options for libpq's TLS modes: `require` encrypts without a check, except that a `ca` makes it `verify-ca`. */
const tlsOptions = ({ mode, ca, cert, key }: TlsSettings): SslOptions => ({
  rejectUnauthorized: mode !== "require" || ca !== undefined,
  verifyIdentity: mode === "verify-full",
  ...(ca !== undefined && { ca }),
  ...(cert !== undefined && { cert }),
  ...(key !== undefined && { key }),
});

/**
 * Host whose certificate the driver verifies. An address gets the dot of an absolute name, which Node removes again: the
 * driver would verify the certificate of an address as that of `localhost`.
 */
const certificateHostOf = ({ host, tls }: Endpoint): string =>
  tls?.serverName ?? (tls && isIP(host) !== 0 ? `${host}.` : host);

export async function connectionOptions(
  { endpoint, applicationName, connectTimeoutMs = CONNECT_TIMEOUT_MS }: SessionOptions,
  socket: Socket,
): Promise<ConnectionOptions> {
  const { host, user, database, tls, passwordCommand } = endpoint;
  const password = endpoint.password ?? (passwordCommand && (await passwordFrom(passwordCommand)));
  return {
    stream: () => socket,
    // The socket is open already: the driver compares the name with the certificate.
    host: certificateHostOf(endpoint),
    user,
    ...(password !== undefined && { password }),
    ...(database !== "" && { database }),
    ...(tls && !host.startsWith("/") && { ssl: tlsOptions(tls) }),
    connectTimeout: connectTimeoutMs,
    connectAttributes: { program_name: applicationName },
    multipleStatements: true,
    flags: ["-LOCAL_FILES"],
    supportBigNumbers: true,
    dateStrings: true,
    jsonStrings: true,
    timezone: "Z",
  };
}
