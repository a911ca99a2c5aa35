// The part of a database's contract that reads connection URLs.
import type { Endpoint, EndpointUrl } from "./endpoint.js";
import type { TlsKeys } from "./tls.js";

/** Connection URLs of a database. No message repeats a URL, for it may hold a password. */
export interface Urls {
  /** Schemes that URLs begin with; endpoints have the first. */
  readonly schemes: readonly string[];
  /** An example of a URL. */
  readonly example: string;
  /**
   * The reason, to follow "this connection URL", why URLs of this form are always refused; undefined if they may be
   * accepted.
   */
  refusal(url: string): string | undefined;
  /** Reads a URL; `tls` and the environment give the TLS and password that the URL leaves out. Throws a UsageError. */
  read(url: EndpointUrl, tls?: TlsKeys, environment?: NodeJS.ProcessEnv): Endpoint;
  /** TLS that the parameters of a valid URL state. */
  tlsOf(url: string): TlsKeys;
  /** The URL with parameters for those TLS keys that it does not state itself. */
  withTls(url: string, keys: TlsKeys): string;
  /** The URL with another path for each file that its parameters name; all other text is unchanged. */
  withFiles(url: string, change: (file: string) => string): string;
  /**
   * The URL, completed from the environment. `stated` names the TLS keys that the target has; the URL of a pooler gets the
   * user alone. Throws a UsageError for a variable whose value no URL can have.
   */
  complete(url: string, environment: NodeJS.ProcessEnv, stated: "pooler" | ReadonlySet<string>): string;
  /** Environment variables that have no effect here, each as a sentence with the reason. */
  ignoredVariables(environment: NodeJS.ProcessEnv): string[];
}
