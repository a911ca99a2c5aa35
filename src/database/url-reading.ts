import type { Endpoint, EndpointUrl } from "./endpoint.js";
import type { TlsKeys } from "./tls.js";

export interface UrlReader {
  /** Schemes with which URLs of the database may begin. */
  readonly schemes: readonly string[];
  readonly example: string;
  /** Reason why a URL of this form is always refused, as text after "this connection URL"; undefined if it can be read. */
  refusal(url: string): string | undefined;
  /** Reads a URL. `tls` and the environment state the TLS and the password that the URL leaves out. Throws a UsageError. */
  read(url: EndpointUrl, tls?: TlsKeys, environment?: NodeJS.ProcessEnv): Endpoint;
  tlsKeysOf(url: string): TlsKeys;
  addTlsParameters(url: string, keys: TlsKeys): string;
  changeFilePaths(url: string, change: (file: string) => string): string;
  /** The URL with missing parts from the environment; a pooler's URL gets the user alone. Throws a UsageError. */
  complete(
    url: string,
    environment: NodeJS.ProcessEnv,
    poolerOrStatedKeys: "pooler" | ReadonlySet<string>,
  ): string;
  ignoredVariables(environment: NodeJS.ProcessEnv): string[];
}
