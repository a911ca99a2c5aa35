// Explanations of failed connections that databases share.
import type { Endpoint } from "./endpoint.js";

export interface FailureExplanation {
  readonly seen: string;
  /** Way out. Default: the remedy of the error code. */
  readonly hint?: string;
}

/** Explanations by patterns, which are matched in order against `code: message`. */
export type FailureExplanations = readonly (readonly [RegExp, (endpoint: Endpoint) => FailureExplanation])[];

/** Failures of TLS. The driver mysql2 replaces their codes with HANDSHAKE_SSL_ERROR. */
export const TLS_EXPLANATIONS: FailureExplanations = [
  [
    /ERR_TLS_CERT_ALTNAME_INVALID|does not match certificate's altnames/,
    ({ host }) => ({
      seen: `the server's certificate is not for host "${host}"`,
      hint: "Connect by a name that is in the certificate, or use sslmode: verify-ca.",
    }),
  ],
  [
    /CERT_|SELF_SIGNED_CERT|UNABLE_TO_(VERIFY|GET)|HOSTNAME_MISMATCH|HANDSHAKE_SSL_ERROR:.*certificate/,
    () => ({
      seen: "the server's certificate cannot be trusted",
      hint: "Give the certificate of its CA as ca, or use sslmode: require to encrypt without proof.",
    }),
  ],
  [
    /ERR_OSSL|ERR_SSL_|HANDSHAKE_SSL_ERROR|PEM|wrong version number/,
    () => ({
      seen: "TLS could not be set up",
      hint: "Check that ca, cert and key are PEM files that belong together.",
    }),
  ],
];
