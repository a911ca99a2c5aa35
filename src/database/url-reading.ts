import type { Endpoint, EndpointUrl } from "./endpoint.js";
import type { TlsKeys } from "./tls.js";

export interface Urls {
  /** Schemes that URLs begin with; endpoints have the first. */
  readonly schemes: readonly string[];
  readonly example: string;
  /** The reason, to follow "this connection URL", why URLs of this form are always refused, if they are. */
  refusal(url: string): string | undefined;
  /** Reads a URL; `tls` and the environment give the TLS and password that the URL leaves out. Throws a UsageError. */
  read(url: EndpointUrl, tls?: TlsKeys, environment?: NodeJS.ProcessEnv): Endpoint;
  tlsOf(url: string): TlsKeys;
  withTls(url: string, keys: TlsKeys): string;
  withFiles(url: string, change: (file: string) => string): string;
  /** The URL, completed from the environment; a pooler's URL gets the user alone. Throws a UsageError. */
  complete(url: string, environment: NodeJS.ProcessEnv, stated: "pooler" | ReadonlySet<string>): string;
  ignoredVariables(environment: NodeJS.ProcessEnv): string[];
}
