// Connection URLs of MongoDB. No message repeats a URL, for it may hold a password.
import { UsageError } from "../../foundation/errors.js";
import type { Refusal } from "../../syntax/problems.js";
import type { Endpoint } from "../endpoint.js";

import type { TlsKeys } from "../tls.js";
import { readTls, unknownParameter } from "../url-parts.js";
import type { UrlReader } from "../url-reading.js";

const SCHEME = "mongodb";
const SRV_SCHEME = "mongodb+srv";
const EXAMPLE = "mongodb://user@host:27017/?w=majority&journal=true";
const DEFAULT_PORT = 27_017;
/** Database of a URL without one: its users log in there. */
const DEFAULT_DATABASE = "admin";

const isBoolean = /^(true|false)$/;

/** Parameters that the driver gets, each with the pattern of its values and their description. */
const DRIVER_PARAMETERS: Readonly<Record<string, readonly [pattern: RegExp, values: string]>> = {
  w: [/^(majority|[1-9]\d?)$/, "majority, or a number of servers from 1"],
  journal: [isBoolean, "true or false"],
  wtimeoutMS: [/^\d{1,9}$/, "milliseconds"],
  authSource: [/^\S+$/, "a database"],
  authMechanism: [/^(SCRAM-SHA-1|SCRAM-SHA-256)$/, "SCRAM-SHA-1 or SCRAM-SHA-256"],
  replicaSet: [/^\S+$/, "the name of a replica set"],
};
const TLS_SWITCHES = ["tls", "ssl", "tlsInsecure", "tlsAllowInvalidCertificates", "tlsAllowInvalidHostnames"];
const TLS_FILES = ["tlsCAFile", "tlsCertificateKeyFile"];
const KNOWN_PARAMETERS = [...Object.keys(DRIVER_PARAMETERS), ...TLS_SWITCHES, ...TLS_FILES];

const RETRIES_COUNTED = "train-sim tries again itself and counts it; remove it";
const POOL_CHOSEN = "the scenario's pool decides; remove it";
const TIME_LIMITED = "an attempt to connect has 15 s; remove it";

/** Parameters of the driver that have no effect here, each with the reason and the way out. */
const IGNORED_PARAMETERS: Readonly<Record<string, string>> = {
  appName: "train-sim names its sessions itself; remove it",
  authMechanismProperties: "log-ins are by SCRAM; remove it",
  compressors: "messages are not compressed; remove it",
  connectTimeoutMS: TIME_LIMITED,
  directConnection: "without replicaSet the connection is direct; remove it",
  heartbeatFrequencyMS: "it is 10 s; remove it",
  j: "write journal=true",
  loadBalanced: "connections go to the server itself; remove it",
  maxIdleTimeMS: POOL_CHOSEN,
  maxPoolSize: POOL_CHOSEN,
  minPoolSize: POOL_CHOSEN,
  readConcernLevel: "the server's default is measured; remove it",
  readPreference: "the load reads from the primary; remove it",
  retryReads: RETRIES_COUNTED,
  retryWrites: RETRIES_COUNTED,
  serverSelectionTimeoutMS: TIME_LIMITED,
  socketTimeoutMS: "a call waits for its answer; remove it",
  tlsCertificateKeyFilePassword: "give a key without a password",
  waitQueueTimeoutMS: POOL_CHOSEN,
};

interface Parameters {
  readonly tls: TlsKeys;
  readonly driver: Readonly<Record<string, string>>;
}

function parameterRefusal(key: string, value: string): Refusal | undefined {
  if (key === "w" && value === "0")
    return { words: "w=0, which acknowledges nothing, so that no audit is possible", way: "use w=1" };
  const [pattern, values] = DRIVER_PARAMETERS[key] ?? [];
  if (pattern && !pattern.test(value)) return { words: `an invalid value of ${key}`, way: `use ${values}` };
  if (TLS_SWITCHES.includes(key) && !isBoolean.test(value))
    return { words: `an invalid value of ${key}`, way: "use true or false" };
  return KNOWN_PARAMETERS.includes(key)
    ? undefined
    : unknownParameter(key, KNOWN_PARAMETERS, IGNORED_PARAMETERS);
}

/** Mode of TLS by the driver's switches; undefined if the URL leaves it to the target's keys. */
function tlsModeOf(values: ReadonlyMap<string, string>): TlsKeys["sslmode"] {
  const isOn = (key: string): boolean => values.get(key) === "true";
  const stated = values.get("tls") ?? values.get("ssl");
  if (stated === "false") return "disable";
  if (isOn("tlsInsecure") || isOn("tlsAllowInvalidCertificates")) return "require";
  if (isOn("tlsAllowInvalidHostnames")) return "verify-ca";
  return stated === "true" ? "verify-full" : undefined;
}

function readParameters(search: string): Parameters | Refusal {
  const values = new Map(new URLSearchParams(search));
  for (const [key, value] of values) {
    const refusal = parameterRefusal(key, value);
    if (refusal) return refusal;
  }
  const [sslmode, ca, pair] = [tlsModeOf(values), ...TLS_FILES.map((key) => values.get(key))];
  return {
    tls: {
      ...(sslmode !== undefined && { sslmode }),
      ...(ca !== undefined && { ca }),
      ...(pair !== undefined && { cert: pair, key: pair }),
    },
    driver: Object.fromEntries([...values].filter(([key]) => Object.hasOwn(DRIVER_PARAMETERS, key))),
  };
}

function isReadable(text: string): boolean {
  if (!URL.canParse(text) || text.includes("#")) return false;
  const { username, password, pathname, search } = new URL(text);
  try {
    decodeURIComponent(username + password + pathname);
  } catch {
    return false;
  }
  return !search.includes("@");
}

function refusal(text: string): string | undefined {
  if (text.startsWith(`${SRV_SCHEME}://`))
    return `names servers by DNS (${SRV_SCHEME}), which train-sim does not look up; write one server as ${EXAMPLE}, with replicaSet=NAME for a replica set`;
  const [place = ""] = text.slice(text.indexOf("://") + 3).split(/[/?#]/);
  if (place.slice(place.lastIndexOf("@") + 1).includes(","))
    return "names several hosts; name one, and replicaSet=NAME, by which the driver finds the others";
  if (!isReadable(text)) return "cannot be read; in a password write % @ / : # ? as %25 %40 %2F %3A %23 %3F";
  const { hostname, search } = new URL(text);
  if (!/^([\w.-]+|\[[\da-f:.]+\])$/i.test(hostname)) return `names no host (example: ${EXAMPLE})`;
  const parameters = readParameters(search);
  return "words" in parameters ? `has ${parameters.words}; ${parameters.way}` : undefined;
}

/** The URL's parameters; the URL must be valid. */
function parametersOf(url: string): Parameters {
  const parameters = readParameters(new URL(url).search);
  return "words" in parameters ? { tls: {}, driver: {} } : parameters;
}

const read: UrlReader["read"] = ({ url, region, weight }, tlsKeys = {}, env = process.env): Endpoint => {
  const problem = refusal(url);
  if (problem !== undefined) throw new UsageError(`the connection URL ${problem}`);
  const { hostname, port, username, password, pathname } = new URL(url);
  const { tls: urlTls, driver } = parametersOf(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const user = decodeURIComponent(username);
  const secret = decodeURIComponent(password) || (user === "" ? "" : env["PGPASSWORD"]);
  const tls = readTls(`${SCHEME}://${hostname}`, { ...tlsKeys, ...urlTls });
  return {
    scheme: SCHEME,
    host,
    port: port === "" ? DEFAULT_PORT : Number(port),
    database: decodeURIComponent(pathname.slice(1)) || DEFAULT_DATABASE,
    user,
    ...(secret && { password: secret }),
    ...(tls && { tls }),
    ...(Object.keys(driver).length > 0 && { parameters: driver }),
    ...(region !== undefined && { region }),
    ...(weight !== undefined && { weight }),
  };
};

/** Parameters of the driver that mean the same as these keys of a target. */
function parametersOfKeys({ sslmode, ca, cert }: TlsKeys): [string, string][] {
  const modes = {
    disable: { tls: "false" },
    require: { tls: "true", tlsAllowInvalidCertificates: "true" },
    "verify-ca": { tls: "true", tlsAllowInvalidHostnames: "true" },
    "verify-full": { tls: "true" },
  };
  return Object.entries({
    ...(sslmode !== undefined && modes[sslmode]),
    ...(ca !== undefined && { tlsCAFile: ca }),
    ...(cert !== undefined && { tlsCertificateKeyFile: cert }),
  });
}

export const urls: UrlReader = {
  schemes: [SCHEME, SRV_SCHEME],
  example: EXAMPLE,
  refusal,
  read,
  tlsKeysOf: (url) => parametersOf(url).tls,
  addTlsParameters(url, keys) {
    const stated = new URL(url).searchParams;
    const added = parametersOfKeys(keys).filter(([key]) => !stated.has(key));
    if (added.length === 0) return url;
    const text = added.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
    return `${url}${url.includes("?") ? "&" : "?"}${text}`;
  },
  changeFilePaths: (url, change) =>
    url.replace(
      /([?&](?:tlsCAFile|tlsCertificateKeyFile)=)([^&#]*)/g,
      (_, key: string, file: string) =>
        `${key}${encodeURIComponent(change(decodeURIComponent(file))).replaceAll("%2F", "/")}`,
    ),
  complete: (url) => url,
  ignoredVariables: () => [],
};
