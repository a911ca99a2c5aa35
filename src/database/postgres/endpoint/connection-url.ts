// The parameters of a connection URL. Pure: no file is read. No message repeats a URL, for it may hold a password.
import type { Refusal } from "../../../syntax/problems.js";
import { SSL_MODES, type TlsKeys } from "../../tls.js";
import { unknownParameter } from "../../url-parts.js";

export const URL_SCHEMES = ["postgresql", "postgres"] as const;
export const [SCHEME] = URL_SCHEMES;
export const URL_EXAMPLE = "postgresql://user@host:5432/database";

/** TLS parameters of a URL, each with the key of a target that has the same meaning. */
const TLS_PARAMETERS = {
  sslmode: "sslmode",
  sslrootcert: "ca",
  sslcert: "cert",
  sslkey: "key",
} as const;
const FILE_PARAMETERS = ["sslrootcert", "sslcert", "sslkey"];
const ADDRESS_PARAMETERS = ["host", "port", "user", "password"];
const SESSION_ATTRIBUTES_PARAMETER = "target_session_attrs";

export interface UrlParameters {
  readonly own: URLSearchParams;
  readonly tls: TlsKeys;
  /** True if a server that takes no writes must be refused. */
  readonly takesWrites: boolean;
}

const GSSAPI_UNSUPPORTED = "GSSAPI is not supported; remove it";
const TLS_VERSION_UNSUPPORTED = "the version of TLS is negotiated; remove it";
const PROTOCOL_UNSUPPORTED = "version 3.0 of the protocol is spoken; remove it";
export const ROLE_SETTING_ADVICE = "set what it sets with ALTER ROLE ... SET, so that every session has it";

/** Parameters of libpq that have no effect here, each with the reason and the way out. */
export const IGNORED_PARAMETERS: Readonly<Record<string, string>> = {
  application_name: "train-sim names its sessions itself; remove it",
  channel_binding: "SCRAM binds no channel here; remove it",
  client_encoding: "text is sent as UTF-8; remove it",
  connect_timeout: "an attempt to connect has 15 s; remove it",
  dbname: "write the database behind the host: postgresql://user@host/database",
  gssdelegation: GSSAPI_UNSUPPORTED,
  gssencmode: GSSAPI_UNSUPPORTED,
  gsslib: GSSAPI_UNSUPPORTED,
  hostaddr: "write the address as the host",
  keepalives: "keep-alives are always on; remove it",
  krbsrvname: GSSAPI_UNSUPPORTED,
  load_balance_hosts: "clients are spread over target.urls by weight; list each host there",
  max_protocol_version: PROTOCOL_UNSUPPORTED,
  min_protocol_version: PROTOCOL_UNSUPPORTED,
  options: ROLE_SETTING_ADVICE,
  passfile: "set PGPASSFILE",
  require_auth: "the server chooses; remove it",
  requirepeer: "the owner of a socket is not checked; remove it",
  requiressl: "write sslmode=require",
  service: "a service completes URLs of the target alone; write host, port and database into the URL",
  ssl_max_protocol_version: TLS_VERSION_UNSUPPORTED,
  ssl_min_protocol_version: TLS_VERSION_UNSUPPORTED,
  sslcertmode: "the certificate that is named is sent; remove it",
  sslcompression: "TLS compresses nothing; remove it",
  sslcrl: "revocation lists are not read; remove it",
  sslcrldir: "revocation lists are not read; remove it",
  sslnegotiation: "TLS is asked for by PostgreSQL's own request; remove it",
  sslpassword: "give a key without a password as sslkey",
  sslsni: "the server's name is always sent; remove it",
  tcp_user_timeout: "the system's own is used; remove it",
};

const KNOWN_PARAMETERS = [
  ...Object.keys(TLS_PARAMETERS),
  ...ADDRESS_PARAMETERS,
  SESSION_ATTRIBUTES_PARAMETER,
];

/** Reads the parameters of a URL, or refuses them; `query` is the text after the question mark. */
export function readParameters(query: string): UrlParameters | Refusal {
  const own = new URLSearchParams();
  const tls: Record<string, string> = {};
  let sessionAttributes = "any";
  for (const [key, value] of new URLSearchParams(query)) {
    if (Object.hasOwn(TLS_PARAMETERS, key)) tls[TLS_PARAMETERS[key as keyof typeof TLS_PARAMETERS]] = value;
    else if (ADDRESS_PARAMETERS.includes(key)) own.append(key, value);
    else if (key === SESSION_ATTRIBUTES_PARAMETER) sessionAttributes = value;
    else return unknownParameter(key, KNOWN_PARAMETERS, IGNORED_PARAMETERS);
  }
  if (!["any", "read-write"].includes(sessionAttributes))
    return {
      words: `${SESSION_ATTRIBUTES_PARAMETER}=${sessionAttributes}, which is not supported`,
      way: "use read-write, for the server of several that takes writes, or any",
    };
  if (tls["ca"] === "system")
    return {
      words: "sslrootcert=system, which is not supported",
      way: "use sslmode=verify-full without it, which trusts the certificates that come with Node.js",
    };
  const mode = tls["sslmode"];
  if (mode === undefined || SSL_MODES.some((known) => known === mode))
    return { own, tls, takesWrites: sessionAttributes === "read-write" };
  return {
    words: `sslmode=${mode}, which is not supported`,
    way: `use one of ${SSL_MODES.join(", ")}: a measurement must know whether its connections are encrypted`,
  };
}

export function isPort(text: string): boolean {
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port < 65_536;
}

/** Reason why a URL of this form is always refused, as text after "this connection URL"; undefined if it is not refused. */
export function urlRefusal(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hash !== "" || url.search.includes("@") || url.hostname.includes(","))
    return unreadableUrlMessage(text);
  const parameters = readParameters(url.search.slice(1));
  if ("words" in parameters) return `has ${parameters.words}; ${parameters.way}`;
  const port = parameters.own.getAll("port").at(-1) || url.port;
  if (port !== "" && !isPort(port)) return "has an invalid port; ports are 1 to 65535";
  if (url.hostname !== "" || url.searchParams.get("host")) return undefined;
  return `names no host (example: ${URL_EXAMPLE}), and PGHOST is not set`;
}

/** Reason why a URL cannot be read. Only the part after the last `@` is examined, which holds no password. */
function unreadableUrlMessage(input: string): string {
  const [place = ""] = input.slice(input.indexOf("://") + 3).split(/[/?#]/);
  const address = place.slice(place.lastIndexOf("@") + 1);
  if (/^[\w.-]+(:\d+)?(,[\w.-]+(:\d+)?)+$/.test(address))
    return "names several hosts; list each as a separate URL in urls";
  if (/^[\da-f]*:[\da-f]*:[\da-f:.]*$/i.test(address))
    return "has an IPv6 address without brackets; write it as [::1]:5432";
  const [, port] = /^(?:[\w.-]+|\[[\da-f:.]+\]):(.*)$/i.exec(address) ?? [];
  // A port that is no number is called invalid only after an @: without an @, it may be a password whose host was
  // forgotten.
  if (port !== undefined && (/^\d+$/.test(port) || place.includes("@")))
    return "has an invalid port; ports are 1 to 65535";
  if (address === "" && /[?&]host=/.test(input) && !/[#]/.test(input))
    return "names a user in front of a socket; write postgresql:///database?host=/var/run/postgresql&user=name";
  return "cannot be read; in a password write @ / : # ? as %40 %2F %3A %23 %3F";
}

/** TLS keys that the parameters of a URL state; the URL must be valid. */
export function tlsKeysOf(url: string): TlsKeys {
  const parameters = readParameters(new URL(url).search.slice(1));
  return "tls" in parameters ? parameters.tls : {};
}

export function addTlsParameters(url: string, keys: TlsKeys): string {
  const [, query = ""] = url.split("?");
  const urlParameters = new URLSearchParams(query);
  const addedParameters = Object.entries(TLS_PARAMETERS).flatMap(([parameter, key]) => {
    const value = keys[key];
    return value === undefined || urlParameters.has(parameter)
      ? []
      : [`${parameter}=${encodeURIComponent(value)}`];
  });
  return addedParameters.length === 0 ? url : `${url}${query === "" ? "?" : "&"}${addedParameters.join("&")}`;
}

/** URL parameters with the same meaning as these keys of a target. */
export function parametersOfTargetKeys(keys: ReadonlySet<string>): ReadonlySet<string> {
  const matchingParameters = Object.entries(TLS_PARAMETERS).filter(([, key]) => keys.has(key));
  return new Set(matchingParameters.map(([parameter]) => parameter));
}

/** The URL with the path of each file in its parameters replaced by `change`; all other text stays. */
export function changeFilePaths(url: string, change: (file: string) => string): string {
  const query = /^postgres(?:ql)?:\/\/[^?#]*\?([^#@]*)$/.exec(url)?.[1];
  if (query === undefined) return url;
  const pairs = query.split("&").map((pair) => {
    const [[key = "", file = ""] = []] = new URLSearchParams(pair);
    if (!FILE_PARAMETERS.includes(key) || ["", "system"].includes(file) || change(file) === file) return pair;
    return `${key}=${encodeURIComponent(change(file)).replaceAll("%2F", "/")}`;
  });
  return `${url.slice(0, url.length - query.length)}${pairs.join("&")}`;
}
