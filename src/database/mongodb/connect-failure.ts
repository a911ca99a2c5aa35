// A failed connection as one message for people, without the password: the place, the observation, the way out.
import { messageOf, TargetError, TrainSimError } from "../../foundation/errors.js";
import { describeEndpoint, type Endpoint } from "../endpoint.js";
import { classifyFailure } from "./error-codes.js";
import { remedyOf } from "./remedies.js";

/** Explanations of failed connections by patterns, which are matched in order against `code: message`. */
const EXPLANATIONS: readonly (readonly [
  RegExp,
  (endpoint: Endpoint) => { readonly seen: string; readonly hint: string },
])[] = [
  [
    /^AuthenticationFailed:|Authentication failed/i,
    ({ user }) => ({
      seen: `the log-in of user "${user}" was refused`,
      hint: "Check user and password in the URL or in PGPASSWORD, and authSource, the database of the user.",
    }),
  ],
  [
    /ERR_TLS_CERT_ALTNAME_INVALID|does not match certificate/,
    ({ host }) => ({
      seen: `the server's certificate is not for host "${host}"`,
      hint: "Connect by a name that is in the certificate, or set tlsAllowInvalidHostnames=true.",
    }),
  ],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_|self-signed certificate|unable to verify/,
    () => ({
      seen: "the server's certificate cannot be trusted",
      hint: "Name the PEM file of its CA as tlsCAFile, or encrypt without proof by tlsAllowInvalidCertificates=true.",
    }),
  ],
  [
    /ERR_SSL|wrong version number|packet length too long/i,
    () => ({ seen: "TLS could not be set up", hint: "Check that the server takes TLS, or leave tls out." }),
  ],
  [
    /ECONNREFUSED/,
    () => ({ seen: "nothing listens there", hint: "Check host and port, and that the server is running." }),
  ],
  [/ENOTFOUND|EAI_AGAIN/, () => ({ seen: "the host name is not known", hint: "Check the host in the URL." })],
  [
    /replica set|setName/i,
    () => ({
      seen: "the server is not in that replica set",
      hint: "Check replicaSet in the URL; leave it out for a single server.",
    }),
  ],
  [
    /closed|ECONNRESET|socket hang up/,
    () => ({
      seen: "it hung up during the log-in",
      hint: "Check that a MongoDB server listens there, that it takes connections without TLS if tls is left out, and read its log.",
    }),
  ],
  [
    /timed out|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/,
    () => ({ seen: "it did not answer", hint: "Check host, port, firewall and VPN." }),
  ],
];

export function connectFailure(endpoint: Endpoint, error: unknown): TrainSimError {
  if (error instanceof TrainSimError) return error;
  const message = messageOf(error);
  const line = `${classifyFailure(error).sqlstate}: ${message}`;
  const { seen, hint } = EXPLANATIONS.find(([pattern]) => pattern.test(line))?.[1](endpoint) ?? {
    seen: "the connection failed",
    hint: remedyOf(error) ?? "Read the server's log.",
  };
  return new TargetError(`cannot connect to ${describeEndpoint(endpoint)}: ${seen} (${line})`, hint, {
    cause: error,
  });
}
