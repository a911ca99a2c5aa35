// How clients log in to a pooler that train-sim starts, and the certificates of both sides of it.
import { makeCertificates, type SelfMadeCertificates } from "../database/self-made-certificates.js";
import type { Auth, Endpoint, TlsSettings } from "../database/endpoint.js";
import type { PrivateDirectory } from "../foundation/process/private-directory.js";
import type { Login } from "./keys.js";

export interface LoginSettings {
  readonly login?: Login | undefined;
  readonly auth?: Auth | undefined;
}

export function isLoginByCertificate({ login, auth }: LoginSettings): boolean {
  return (login ?? (auth === "cert" ? "certificate" : "password")) === "certificate";
}

export interface ClientTls {
  readonly certificates: SelfMadeCertificates;
  /** TLS settings of clients; they include a certificate if clients log in by it. */
  readonly tls: TlsSettings;
}

/** Certificates of a pooler for clients over TLS; undefined if clients use none. */
export async function clientTlsOf(
  product: string,
  settings: LoginSettings,
  upstream: Endpoint,
): Promise<ClientTls | undefined> {
  const byCertificate = isLoginByCertificate(settings);
  // Only the embedded target states how clients log in. If it accepts TLS, so does its pooler.
  if (!byCertificate && (settings.auth === undefined || !upstream.tls)) return undefined;
  const certificates = await makeCertificates(product, upstream.user);
  return { certificates, tls: { ...certificates.client, ...(byCertificate && certificates.login) } };
}

/** Paths of the certificates with which a pooler connects to its server. */
export interface UpstreamTlsFiles {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

export async function writeUpstreamTls(
  directory: PrivateDirectory,
  { tls: { ca, cert, key } = {} }: { readonly tls?: Partial<TlsSettings> },
): Promise<UpstreamTlsFiles> {
  return {
    ...(ca !== undefined && { caFile: await directory.write("ca.crt", ca) }),
    ...(cert !== undefined && { certFile: await directory.write("client.crt", cert) }),
    ...(key !== undefined && { keyFile: await directory.write("client.key", key) }),
  };
}
