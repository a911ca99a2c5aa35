// A failed connection as one message for people, without the password: the place, the observation, the way out.
import { messageOf, TargetError, TrainSimError } from "../../foundation/errors.js";
import { TLS_EXPLANATIONS, type FailureExplanations } from "../connect-explanations.js";
import { describeEndpoint, type Endpoint } from "../endpoint.js";
import { classifyFailure, failureCodeOf, READ_ONLY_SERVER } from "./error-codes.js";
import { remedyOf } from "./remedies.js";

const FAILURE_EXPLANATIONS: FailureExplanations = [
  [
    /^1045:.*using password: NO/,
    () => ({
      seen: "the server asks for a password and none was given",
      hint: "Put the password into the URL.",
    }),
  ],
  [
    /^(1045|1698):/,
    ({ user, passwordCommand, tls }) => ({
      seen: `the password for user "${user}" was refused`,
      hint: `${
        passwordCommand
          ? "Check the user in the URL, and what target.passwordCommand prints."
          : "Check the user and the password in the URL, and the host part of the account."
      }${tls ? "" : " If the account or the server requires TLS, set sslmode."}`,
    }),
  ],
  [
    /^1049:/,
    ({ database }) => ({
      seen: `there is no database "${database}"`,
      hint: "Create it, or name another one in the URL.",
    }),
  ],
  [
    /^1044:/,
    ({ user, database }) => ({
      seen: `user "${user}" may not use database "${database}"`,
      hint: "GRANT the user rights on that database, or use another one.",
    }),
  ],
  [
    /^(1130|1129):/,
    () => ({
      seen: "the server refuses connections from this machine",
      hint: "Create the account for this host; after many failed logins, run FLUSH HOSTS there.",
    }),
  ],
  [
    /^(3159|1524):|insecure transport/,
    () => ({
      seen: "the server takes TLS connections only",
      hint: "Set sslmode: require, or verify-full with a ca.",
    }),
  ],
  [
    /HANDSHAKE_NO_SSL_SUPPORT/,
    () => ({
      seen: "the server has no TLS",
      hint: "Leave sslmode out (or set it to disable), or turn TLS on in the server.",
    }),
  ],
  ...TLS_EXPLANATIONS,
  [/^(1040|1203|1226):/, () => ({ seen: "it has no connection left" })],
  [
    /ECONNREFUSED|^ENOENT:/,
    () => ({ seen: "nothing listens there", hint: "Check host and port, and that the server is running." }),
  ],
  [/ENOTFOUND|EAI_AGAIN/, () => ({ seen: "the host name is not known", hint: "Check the host in the URL." })],
  [
    /ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/,
    () => ({ seen: "it did not answer", hint: "Check host, port, firewall and VPN." }),
  ],
  [
    /PROTOCOL_CONNECTION_LOST|ECONNRESET/,
    () => ({
      seen: "it hung up during the login",
      hint: "Check that a MySQL or MariaDB server listens there, and read its log.",
    }),
  ],
];

export const isReadOnlyError = (failure: unknown): boolean =>
  failure instanceof Error && failureCodeOf(failure.cause) === READ_ONLY_SERVER;

export const isUnavailableError = (failure: unknown): boolean =>
  classifyFailure(failure).kind === "reconnect";

/** The error to show when a connection to `endpoint` could not be opened. */
export function connectFailure(endpoint: Endpoint, error: unknown): TrainSimError {
  // The driver is missing, or the command that prints the password failed: the message says how.
  if (error instanceof TrainSimError) return error;
  const code = failureCodeOf(error);
  const line = code === undefined ? messageOf(error) : `${code}: ${messageOf(error)}`;
  const explanation = FAILURE_EXPLANATIONS.find(([pattern]) => pattern.test(line))?.[1](endpoint);
  return new TargetError(
    `cannot connect to ${describeEndpoint(endpoint)}: ${explanation?.seen ?? "the connection failed"} (${line})`,
    explanation?.hint ?? remedyOf(error) ?? "Read the server's log.",
    { cause: error },
  );
}
