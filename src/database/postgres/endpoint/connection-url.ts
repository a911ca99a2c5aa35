// What a connection URL may say behind its question mark, and which ways of TLS go together. One set of checks for the
// scenario, where they find what is certain to be refused before anything is started, and for `target/url.ts`, which
// connects by it. Pure: no file is read. No message repeats a URL, for it may hold a password.
import { nearest } from "../../../syntax/nearest.js";
import { statedTlsMode, type TlsKeys } from "./tls-mode.js";

export const SSL_MODES = ["disable", "require", "verify-ca", "verify-full"] as const;

/** Parameters of a URL that have a meaning here, libpq's names, and the keys of a target that mean the same. */
export const TLS_PARAMETERS = {
  sslmode: "sslmode",
  sslrootcert: "ca",
  sslcert: "cert",
  sslkey: "key",
} as const;
const FILE_PARAMETERS = ["sslrootcert", "sslcert", "sslkey"];
const OTHER_PARAMETERS = ["host", "port", "user", "password"];
const SESSION_ATTRIBUTES = "target_session_attrs";

export interface TlsFiles {
  readonly sslmode?: (typeof SSL_MODES)[number];
  /** Paths of PEM files. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Why something cannot be and the way out, each without a capital and a full stop. */
export interface Refusal {
  readonly words: string;
  readonly way: string;
}

/** The way out as a sentence of its own, for an error's hint. */
export function hintOf({ way }: Refusal): string {
  const sentence = `${way.slice(0, 1).toUpperCase()}${way.slice(1)}`;
  return sentence.endsWith("?") ? sentence : `${sentence}.`;
}

/** What the parameters say. */
export interface UrlParameters {
  /** Those about the address and the log-in. */
  readonly own: URLSearchParams;
  readonly tls: TlsFiles;
  /** Whether a server that takes no writes is refused. */
  readonly takesWrites: boolean;
}

const GSSAPI = "GSSAPI is not supported; remove it";
const TLS_VERSIONS = "the version of TLS is negotiated; remove it";
const PROTOCOL = "version 3.0 of the protocol is spoken; remove it";
export const AS_ROLE_SETTING = "set what it sets with ALTER ROLE ... SET, so that every session has it";

/** libpq's other parameters, which have no meaning here; the way out of each. */
export const IGNORED_PARAMETERS: Readonly<Record<string, string>> = {
  application_name: "train-sim names its sessions itself; remove it",
  channel_binding: "SCRAM binds no channel here; remove it",
  client_encoding: "text is sent as UTF-8; remove it",
  connect_timeout: "an attempt to connect has 15 s; remove it",
  dbname: "write the database behind the host, as postgresql://user@host/database",
  gssdelegation: GSSAPI,
  gssencmode: GSSAPI,
  gsslib: GSSAPI,
  hostaddr: "write the address as the host",
  keepalives: "keep-alives are always on; remove it",
  krbsrvname: GSSAPI,
  load_balance_hosts: "clients are spread over target.urls by weight; list each host there",
  max_protocol_version: PROTOCOL,
  min_protocol_version: PROTOCOL,
  options: AS_ROLE_SETTING,
  passfile: "set PGPASSFILE",
  require_auth: "the server chooses; remove it",
  requirepeer: "the owner of a socket is not checked; remove it",
  requiressl: "write sslmode=require",
  service: "services are not read; write host, port and database into the URL",
  ssl_max_protocol_version: TLS_VERSIONS,
  ssl_min_protocol_version: TLS_VERSIONS,
  sslcertmode: "the certificate that is named is sent; remove it",
  sslcompression: "TLS compresses nothing; remove it",
  sslcrl: "revocation lists are not read; remove it",
  sslcrldir: "revocation lists are not read; remove it",
  sslnegotiation: "TLS is asked for by PostgreSQL's own request; remove it",
  sslpassword: "give a key without a password as sslkey",
  sslsni: "the server's name is always sent; remove it",
  tcp_user_timeout: "the system's own is used; remove it",
};

function unknownParameter(key: string): Refusal {
  const way = Object.hasOwn(IGNORED_PARAMETERS, key) ? IGNORED_PARAMETERS[key] : undefined;
  if (way !== undefined) return { words: `the parameter ${key}, which is not supported`, way };
  const names = [...Object.keys(TLS_PARAMETERS), ...OTHER_PARAMETERS, SESSION_ATTRIBUTES];
  // What resembles no parameter may be a piece of a password.
  const near = nearest(key, names);
  if (near === undefined) return { words: "an unknown parameter", way: `known ones are ${names.join(", ")}` };
  return { words: `the unknown parameter ${key}`, way: `did you mean ${near}?` };
}

/** @param query what stands behind the question mark */
export function readParameters(query: string): UrlParameters | Refusal {
  const own = new URLSearchParams();
  const tls: Record<string, string> = {};
  let attributes = "any";
  for (const [key, value] of new URLSearchParams(query)) {
    if (Object.hasOwn(TLS_PARAMETERS, key)) tls[TLS_PARAMETERS[key as keyof typeof TLS_PARAMETERS]] = value;
    else if (OTHER_PARAMETERS.includes(key)) own.append(key, value);
    else if (key === SESSION_ATTRIBUTES) attributes = value;
    else return unknownParameter(key);
  }
  if (!["any", "read-write"].includes(attributes))
    return {
      words: `${SESSION_ATTRIBUTES}=${attributes}, which is not supported`,
      way: "use read-write, for the server of several that takes writes, or any",
    };
  if (tls["ca"] === "system")
    return {
      words: "sslrootcert=system, which is not supported",
      way: "use sslmode=verify-full without it, which trusts the certificates that come with Node.js",
    };
  const mode = tls["sslmode"];
  if (mode === undefined || SSL_MODES.some((known) => known === mode))
    return { own, tls, takesWrites: attributes === "read-write" };
  return {
    words: `sslmode=${mode}, which is not supported`,
    way: `use one of ${SSL_MODES.join(", ")}: a measurement must know whether its connections are encrypted`,
  };
}

export function isPort(text: string): boolean {
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port < 65_536;
}

/** What of a URL that can be parsed will never be connected to; undefined where nothing is. */
export function urlRefusal(url: URL): Refusal | undefined {
  const parameters = readParameters(url.search.slice(1));
  if ("words" in parameters) return parameters;
  const port = parameters.own.getAll("port").at(-1) || url.port;
  if (port === "" || isPort(port)) return undefined;
  return { words: "a port that is none", way: "ports are 1 to 65535" };
}

/** Keys of TLS that cannot be together, and which those are. */
export interface TlsRefusal extends Refusal {
  readonly about: readonly (keyof TlsFiles)[];
}

/** What is wrong with TLS as a URL and its target say it together; undefined where nothing is. */
export function tlsRefusal(keys: TlsKeys): TlsRefusal | undefined {
  const { ca, cert, key } = keys;
  const mode = statedTlsMode(keys);
  if (mode === "disable") {
    if ([ca, cert, key].every((file) => file === undefined)) return undefined;
    const words = "sslmode is disable, yet TLS files are given";
    return { about: ["ca", "cert", "key"], words, way: "leave out one of the two" };
  }
  if ((cert === undefined) !== (key === undefined)) {
    const absent = cert === undefined ? "cert" : "key";
    const words = `a client certificate needs both cert and key, and ${absent} is missing`;
    return { about: ["cert", "key"], words, way: "name both files" };
  }
  if (mode !== "verify-ca" || ca !== undefined) return undefined;
  const words = "sslmode verify-ca needs the CA to verify against";
  const way = "name its PEM file: sslrootcert in the URL, or target.ca for the URLs of the target";
  return { about: ["sslmode"], words, way };
}

/** The URL with another path for each file that its parameters name; any other text, and the rest of it, as it is. */
export function withFiles(url: string, change: (file: string) => string): string {
  const query = /^postgres(?:ql)?:\/\/[^?#]*\?([^#@]*)$/.exec(url)?.[1];
  if (query === undefined) return url;
  const pairs = query.split("&").map((pair) => {
    const [[key = "", file = ""] = []] = new URLSearchParams(pair);
    if (!FILE_PARAMETERS.includes(key) || ["", "system"].includes(file) || change(file) === file) return pair;
    return `${key}=${encodeURIComponent(change(file)).replaceAll("%2F", "/")}`;
  });
  return `${url.slice(0, url.length - query.length)}${pairs.join("&")}`;
}
