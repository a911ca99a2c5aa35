// Strict where the libraries below are lenient. No password gets into a message.
import { userInfo } from "node:os";
import { parse } from "pg-connection-string";
import { UsageError } from "../../../foundation/errors.js";
import type { Endpoint, EndpointUrl } from "../../endpoint.js";
import type { TlsKeys } from "../../tls.js";
import { readTls, refusedUrlError, splitOnce, withoutPassword } from "../../url-parts.js";
import { isPort, readParameters, SCHEME, type UrlParameters } from "./connection-url.js";

const DEFAULT_PORT = 5432;

export function endpointAt(
  { url, region, weight }: EndpointUrl,
  tlsFiles: TlsKeys = {},
  env: NodeJS.ProcessEnv = process.env,
): Endpoint {
  return {
    ...parseConnectionUrl(url, tlsFiles, env),
    ...(region !== undefined && { region }),
    ...(weight !== undefined && { weight }),
  };
}

/** Makes an endpoint from a URL, whose TLS parameters override `tlsFiles`; a missing password comes from PGPASSWORD. */
export function parseConnectionUrl(
  url: string,
  tlsFiles: TlsKeys = {},
  env: NodeJS.ProcessEnv = process.env,
): Endpoint {
  const safeUrl = withoutPassword(url);
  if (!/^postgres(ql)?:\/\//.test(url)) {
    throw new UsageError(
      `${safeUrl} is not a connection URL`,
      "Write postgresql://user@host:5432/database, with the password in PGPASSWORD.",
    );
  }
  const [address, query] = splitOnce(url, "?");
  // After an unescaped ? or # in a password, its rest would be read as a parameter.
  if (query?.includes("@") || url.includes("#")) throw notValid(safeUrl);
  const { own, tls, takesWrites } = readQuery(safeUrl, query ?? "");
  const parsedAddress = parseAddress(safeUrl, `${address}${own.size > 0 ? `?${own.toString()}` : ""}`);
  const user = parsedAddress.user || userInfo().username;
  const password = parsedAddress.password || env["PGPASSWORD"];
  const tlsSettings = readTls(safeUrl, { ...tlsFiles, ...tls });
  return {
    scheme: SCHEME,
    host: parsedAddress.host || "localhost",
    port: readPort(safeUrl, parsedAddress.port),
    database: parsedAddress.database || user,
    user,
    ...(password && { password }),
    ...(tlsSettings && { tls: tlsSettings }),
    ...(takesWrites && { takesWrites }),
  };
}

function readQuery(safeUrl: string, query: string): UrlParameters {
  const parameters = readParameters(query);
  if ("words" in parameters) throw refusedUrlError(safeUrl, parameters);
  return parameters;
}

interface Address {
  readonly host: string;
  readonly port: string;
  readonly database: string;
  readonly user: string;
  readonly password: string;
}

function parseAddress(safeUrl: string, url: string): Address {
  try {
    const { host, port, user, password } = parse(url);
    return {
      host: host ?? "",
      port: port ?? "",
      database: databaseIn(url),
      user: user ?? "",
      password: password ?? "",
    };
  } catch {
    // The error is thrown without its cause, which holds the whole URL with the password.
    throw notValid(safeUrl);
  }
}

/** Name of the database in the URL, decoded as libpq does: the parser leaves %3B, %2F and the like as they are. */
function databaseIn(url: string): string {
  return decodeURIComponent(/^\w+:\/\/[^/?]*\/([^?]*)/.exec(url)?.[1] ?? "");
}

function notValid(safeUrl: string): UsageError {
  return new UsageError(
    `${safeUrl} is not a valid connection URL`,
    "Write postgresql://user@host:5432/database; percent-encode special characters in a user or password, and list several hosts as several URLs.",
  );
}

function readPort(safeUrl: string, text: string): number {
  if (text === "") return DEFAULT_PORT;
  if (isPort(text)) return Number(text);
  throw new UsageError(`${safeUrl}: port ${text} is not a port`, "Ports are 1 to 65535.");
}
