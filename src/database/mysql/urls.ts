// URLs of MySQL and MariaDB, with the TLS parameters of the program mysql. No message repeats a URL, for it may hold a
// password.
import { isAbsolute } from "node:path";
import { userInfo } from "node:os";
import { UsageError } from "../../foundation/errors.js";
import { hintOf, type Refusal } from "../../syntax/problems.js";
import type { Endpoint } from "../endpoint.js";
import type { TlsKeys } from "../tls.js";
import { readTls, splitOnce, unknownParameter, withoutPassword } from "../url-parts.js";
import type { UrlReader } from "../url-reading.js";

const SCHEMES = ["mysql", "mariadb"] as const;
const EXAMPLE = "mysql://user@host:3306/database";
const DEFAULT_PORT = 3306;

const FILE_PARAMETERS = { "ssl-ca": "ca", "ssl-cert": "cert", "ssl-key": "key" } as const;
const MODE_PARAMETER = "ssl-mode";
const SOCKET_PARAMETER = "socket";

const MODES = {
  disabled: "disable",
  required: "require",
  verify_ca: "verify-ca",
  verify_identity: "verify-full",
} as const satisfies Record<string, TlsKeys["sslmode"]>;

/** Variables of MySQL's programs that have no effect here. */
const IGNORED_VARIABLES = ["MYSQL_HOST", "MYSQL_TCP_PORT", "MYSQL_UNIX_PORT"];

interface UrlParameters {
  readonly tls: TlsKeys;
  readonly socket?: string;
}

function readParameters(query: string): UrlParameters | Refusal {
  const tls: Record<string, string> = {};
  let socket: string | undefined;
  for (const [key, value] of new URLSearchParams(query)) {
    if (Object.hasOwn(FILE_PARAMETERS, key))
      tls[FILE_PARAMETERS[key as keyof typeof FILE_PARAMETERS]] = value;
    else if (key === SOCKET_PARAMETER && isAbsolute(value)) socket = value;
    else if (key === MODE_PARAMETER) {
      const mode = value.toLowerCase();
      if (!Object.hasOwn(MODES, mode))
        return {
          words: `${MODE_PARAMETER}=${value}, which is not supported`,
          way: `use one of ${Object.keys(MODES).join(", ")}: a measurement must know whether its connections are encrypted`,
        };
      tls["sslmode"] = MODES[mode as keyof typeof MODES];
    } else
      return key === SOCKET_PARAMETER
        ? { words: "a socket that is no absolute path", way: "write its whole path" }
        : unknownParameter(key, KNOWN_PARAMETERS);
  }
  return { tls, ...(socket !== undefined && { socket }) };
}

const KNOWN_PARAMETERS = [MODE_PARAMETER, ...Object.keys(FILE_PARAMETERS), SOCKET_PARAMETER];

function refusal(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hash !== "" || url.search.includes("@") || /[/@]/.test(url.pathname.slice(1)))
    return "cannot be read; in a password write @ / : # ? as %40 %2F %3A %23 %3F";
  const parameters = readParameters(url.search.slice(1));
  if ("words" in parameters) return `has ${parameters.words}; ${parameters.way}`;
  if (url.hostname === "" && parameters.socket === undefined) return `names no host (example: ${EXAMPLE})`;
  return databaseIn(url) === "" ? `names no database (example: ${EXAMPLE})` : undefined;
}

const databaseIn = (url: URL): string => decodeURIComponent(url.pathname.slice(1));

function read(
  { url: text, region, weight }: Parameters<UrlReader["read"]>[0],
  tlsFiles: TlsKeys = {},
  environment: NodeJS.ProcessEnv = process.env,
): Endpoint {
  const safeUrl = withoutPassword(text);
  const reason = refusal(text);
  if (reason !== undefined) throw new UsageError(`${safeUrl} ${reason}`, `Write ${EXAMPLE}.`);
  const url = new URL(text);
  const parameters = readParameters(url.search.slice(1));
  if ("words" in parameters) throw new UsageError(`${safeUrl}: ${parameters.words}`, hintOf(parameters));
  const password = decodeURIComponent(url.password) || environment["MYSQL_PWD"];
  const tls = readTls(safeUrl, { ...tlsFiles, ...parameters.tls });
  return {
    scheme: url.protocol.slice(0, -1),
    host: parameters.socket ?? url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? DEFAULT_PORT : Number(url.port),
    database: databaseIn(url),
    user: decodeURIComponent(url.username) || userInfo().username,
    ...(password && { password }),
    ...(tls && { tls }),
    ...(region !== undefined && { region }),
    ...(weight !== undefined && { weight }),
  };
}

function tlsKeysOf(url: string): TlsKeys {
  const parameters = readParameters(splitOnce(url, "?")[1] ?? "");
  return "tls" in parameters ? parameters.tls : {};
}

function addTlsParameters(url: string, keys: TlsKeys): string {
  const present = new URLSearchParams(splitOnce(url, "?")[1] ?? "");
  const mode = Object.entries(MODES).find(([, each]) => each === keys.sslmode)?.[0];
  const all = [
    [MODE_PARAMETER, mode],
    ...Object.entries(FILE_PARAMETERS).map(([parameter, key]) => [parameter, keys[key]]),
  ];
  const added = all.flatMap(([parameter = "", value]) =>
    value === undefined || present.has(parameter) ? [] : [`${parameter}=${encodeURIComponent(value)}`],
  );
  return added.length === 0 ? url : `${url}${url.includes("?") ? "&" : "?"}${added.join("&")}`;
}

function changeFilePaths(url: string, change: (file: string) => string): string {
  const [address, query] = splitOnce(url, "?");
  if (query === undefined || query.includes("@")) return url;
  const pairs = query.split("&").map((pair) => {
    const [[key = "", file = ""] = []] = new URLSearchParams(pair);
    if (!Object.hasOwn(FILE_PARAMETERS, key) || file === "" || change(file) === file) return pair;
    return `${key}=${encodeURIComponent(change(file)).replaceAll("%2F", "/")}`;
  });
  return `${address}?${pairs.join("&")}`;
}

export const urls: UrlReader = {
  schemes: SCHEMES,
  example: EXAMPLE,
  refusal,
  read,
  tlsKeysOf,
  addTlsParameters,
  changeFilePaths,
  complete: (url) => url,
  ignoredVariables: (environment) =>
    IGNORED_VARIABLES.flatMap((name) =>
      environment[name] ? [`${name} is ignored: write host and port into the URL`] : [],
    ),
};
