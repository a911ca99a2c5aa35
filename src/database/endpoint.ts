// Addresses of databases and poolers, as plain values that can cross a thread boundary. Print them with `describeEndpoint`
// only: they hold passwords.

import { withoutPasswords } from "../foundation/secrets.js";

/** TLS settings of an endpoint, libpq's names and meanings; certificates as PEM text, already read from files. */
export interface TlsSettings {
  readonly mode: "require" | "verify-ca" | "verify-full";
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Name that a certificate must be for, where it is not the host: behind a proxy. */
  readonly serverName?: string;
}

/** An entry of `urls`: its address, and its share of the clients. */
export interface EndpointUrl {
  readonly url: string;
  /** The user's name for a place, by which results are split. */
  readonly region?: string;
  /** Above 0; only the ratio to other weights counts. Default: 1. */
  readonly weight?: number;
}

/** A command that prints a password. */
export interface PasswordCommand {
  /** Program and arguments; no shell is between, unless it is the program. */
  readonly words: readonly string[];
  /** Milliseconds for which its output is used again. */
  readonly everyMs: number;
}

export interface Endpoint {
  /** Scheme of its URLs, which names the database. */
  readonly scheme: string;
  /** Host name, address, or the absolute path of a directory that holds a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password?: string;
  /** The command that prints the password, if there is none. */
  readonly passwordCommand?: PasswordCommand;
  readonly tls?: TlsSettings;
  readonly region?: string;
  /** Whether a server that takes no writes, as a standby, is refused: `target_session_attrs=read-write`. */
  readonly takesWrites?: boolean;
  /** Other servers for train-sim's own sessions if this one is away or takes no writes. */
  readonly others?: readonly Endpoint[];
  /** `EndpointUrl.weight`. */
  readonly weight?: number;
  /** The schema, quoted, where unqualified names are found in every session; the server's own when left out. */
  readonly searchPath?: string;
}

/** Log-in of clients to servers and poolers that train-sim starts, by PostgreSQL's names. */
export const AUTHS = ["scram-sha-256", "trust"] as const;

export type Auth = (typeof AUTHS)[number];

/** Whether results are split by these endpoints: there are several, or one has a region. */
export function isSplit(endpoints: readonly Endpoint[]): boolean {
  return endpoints.length > 1 || endpoints.some(({ region }) => region !== undefined);
}

/** The endpoint changed, and with it each other server that its sessions may go to. */
export function changedEverywhere(
  { others, ...endpoint }: Endpoint,
  change: (server: Endpoint) => Endpoint,
): Endpoint {
  return {
    ...change(endpoint),
    ...(others && { others: others.map((each) => changedEverywhere(each, change)) }),
  };
}

export function withSearchPath(endpoint: Endpoint, searchPath: string): Endpoint {
  return changedEverywhere(endpoint, (server) => ({ ...server, searchPath }));
}

/** The search path for an endpoint in front of that endpoint. */
export function searchPathOf({ searchPath }: Endpoint): Pick<Endpoint, "searchPath"> {
  return searchPath === undefined ? {} : { searchPath };
}

/** `host:port`, as results name an endpoint. */
export function addressOf({ host, port }: Pick<Endpoint, "host" | "port">): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** `postgresql://user@host:port/database`, never with the password. */
export function describeEndpoint({ scheme, user, host, port, database }: Endpoint): string {
  return `${scheme}://${user}@${host}:${port}/${database}`;
}

/** The URLs for people, without passwords; unequal weights are named. */
export function urlsText(urls: readonly EndpointUrl[]): string {
  const isWeighted = urls.some(({ weight }) => weight !== urls[0]?.weight);
  return urls
    .map(({ url, region, weight }) => {
      const more = [...(region === undefined ? [] : [region]), ...(isWeighted ? [`weight ${weight}`] : [])];
      return `${withoutPasswords(url)}${more.length > 0 ? ` (${more.join(", ")})` : ""}`;
    })
    .join(", ");
}
