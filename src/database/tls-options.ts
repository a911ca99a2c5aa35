import { isIP } from "node:net";
import { checkServerIdentity, type ConnectionOptions } from "node:tls";
import type { TlsSettings } from "./endpoint.js";

/**
 * Options for libpq's TLS modes: `require` encrypts without a check, except that a `ca` makes it `verify-ca`; `verify-ca`
 * checks the chain to the `ca` (or to Node's roots); `verify-full` also checks the name.
 */
export function tlsOptions(tls: TlsSettings): ConnectionOptions {
  const isCertificateVerified = tls.mode !== "require" || tls.ca !== undefined;
  return {
    rejectUnauthorized: isCertificateVerified,
    ...(tls.ca !== undefined && { ca: tls.ca }),
    ...(tls.cert !== undefined && { cert: tls.cert }),
    ...(tls.key !== undefined && { key: tls.key }),
    ...(tls.mode !== "verify-full" && { checkServerIdentity: () => undefined }),
    ...(tls.serverName !== undefined && serverNameOptions(tls.serverName, tls.mode === "verify-full")),
  };
}

/** TLS options behind a proxy: the certificate is checked against `serverName`, which may be an address (no SNI). */
function serverNameOptions(serverName: string, isChecked: boolean): ConnectionOptions {
  return {
    ...(isIP(serverName) === 0 && { servername: serverName }),
    ...(isChecked && {
      checkServerIdentity: (_, certificate) => checkServerIdentity(serverName, certificate),
    }),
  };
}
