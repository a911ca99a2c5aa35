// Addresses of databases and poolers, which cross threads. They hold passwords: print them with `describeEndpoint` only.

import { withoutPasswords } from "../foundation/secrets.js";

/** TLS settings of an endpoint with libpq's names and meanings; certificates as PEM text, already read from files. */
export interface TlsSettings {
  readonly mode: "require" | "verify-ca" | "verify-full";
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Name that the certificate must have if it differs from the host's, as behind a proxy. */
  readonly serverName?: string;
}

/** An entry of `urls`: its address, and its share of the clients. */
export interface EndpointUrl {
  readonly url: string;
  readonly region?: string;
  /** Weight above 0; only the ratio to other weights counts. Default: 1. */
  readonly weight?: number;
}

export interface PasswordCommand {
  /** Program and arguments. No shell is started, unless the program is one. */
  readonly words: readonly string[];
  /** Milliseconds for which an output of the command serves further connections. */
  readonly reuseMs: number;
}

export interface Endpoint {
  readonly scheme: string;
  /** Host name, address, or the absolute path of a directory that holds a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  /** Empty for a session without a log-in, which some databases allow. */
  readonly user: string;
  readonly password?: string;
  /** Command that prints the password; used if `password` is left out. */
  readonly passwordCommand?: PasswordCommand;
  readonly tls?: TlsSettings;
  readonly region?: string;
  /** True if a server that takes no writes, such as a standby, must be refused: `target_session_attrs=read-write`. */
  readonly takesWrites?: boolean;
  /** Other servers for train-sim's control sessions if this server is away or takes no writes. */
  readonly alternatives?: readonly Endpoint[];
  /** Weight from `EndpointUrl.weight`. */
  readonly weight?: number;
  /** Parameters of the URL that only the database's driver reads, such as a write concern. None is a secret. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Quoted schema in which every session looks unqualified names up. Default: the server's search path. */
  readonly searchPath?: string;
}

/** Log-in methods of clients to servers and poolers that train-sim starts, with PostgreSQL's names. */
export const AUTH_METHODS = ["scram-sha-256", "trust", "cert"] as const;

export type Auth = (typeof AUTH_METHODS)[number];

/** True if results are split by endpoint: there are several endpoints, or one has a region. */
export function isSplitByEndpoint(endpoints: readonly Endpoint[]): boolean {
  return endpoints.length > 1 || endpoints.some(({ region }) => region !== undefined);
}

/** The endpoint with changes, which also apply to its alternatives. */
export function changeWithAlternatives(
  { alternatives, ...endpoint }: Endpoint,
  change: (server: Endpoint) => Endpoint,
): Endpoint {
  return {
    ...change(endpoint),
    ...(alternatives && { alternatives: alternatives.map((each) => changeWithAlternatives(each, change)) }),
  };
}

export function withSearchPath(endpoint: Endpoint, searchPath: string): Endpoint {
  return changeWithAlternatives(endpoint, (server) => ({ ...server, searchPath }));
}

/** The search path of an endpoint, to be kept by an endpoint in front of it such as a pooler's. */
export function searchPathOf({ searchPath }: Endpoint): Pick<Endpoint, "searchPath"> {
  return searchPath === undefined ? {} : { searchPath };
}

/** `host:port`, the name of an endpoint in results. */
export function addressOf({ host, port }: Pick<Endpoint, "host" | "port">): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** `postgresql://user@host:port/database`, never with the password. */
export function describeEndpoint({ scheme, user, host, port, database }: Endpoint): string {
  return `${scheme}://${user === "" ? "" : `${user}@`}${host}:${port}/${database}`;
}

/** The URLs for display, without passwords; weights are included if they differ. */
export function urlsText(urls: readonly EndpointUrl[]): string {
  const areWeightsDifferent = urls.some(({ weight }) => weight !== urls[0]?.weight);
  return urls
    .map(({ url, region, weight }) => {
      const more = [
        ...(region === undefined ? [] : [region]),
        ...(areWeightsDifferent ? [`weight ${weight}`] : []),
      ];
      return `${withoutPasswords(url)}${more.length > 0 ? ` (${more.join(", ")})` : ""}`;
    })
    .join(", ");
}
