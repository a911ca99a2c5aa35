// A failed connection as one message for people, without the password: the place, the observation, the way out.
import { codeOf, messageOf, TargetError } from "../../foundation/errors.js";
import { TLS_EXPLANATIONS, type FailureExplanations } from "../connect-explanations.js";
import { describeEndpoint, type Endpoint } from "../endpoint.js";
import { remedyOf } from "./remedies.js";
import { classifyFailure } from "./sqlstates.js";

const FAILURE_EXPLANATIONS: FailureExplanations = [
  [
    /client password must be/,
    () => ({
      seen: "the server asks for a password and none was given",
      hint: "Put the password into the URL, or set PGPASSWORD.",
    }),
  ],
  [
    /^28P01:|password authentication failed|SASL authentication failed|auth failed/,
    ({ user, passwordCommand }) => ({
      seen: `the password for user "${user}" was refused`,
      hint: passwordCommand
        ? "Check the user in the URL, and what target.passwordCommand prints."
        : "Check the user and the password in the URL or in PGPASSWORD.",
    }),
  ],
  [
    /unable to accept connection, access denied/i,
    ({ user }) => ({
      seen: `Aurora DSQL refused role "${user}" with this token`,
      hint: "Check that the token is fresh, for this cluster and region, and for the role: admin takes generate-db-connect-admin-auth-token, others generate-db-connect-auth-token.",
    }),
  ],
  [
    /no encryption|SSL off|connection is insecure|SSL required/,
    ({ tls }) => ({
      seen: tls ? "the server refused this connection" : "the server takes TLS connections only",
      hint: "Set sslmode: require (or verify-full with a ca), or allow this client in the server's pg_hba.conf.",
    }),
  ],
  [
    /valid client certificate|certificate authentication failed|tlsv13 alert certificate required|alert handshake failure/i,
    ({ user }) => ({
      seen: `the server wants a client certificate that it accepts for user "${user}"`,
      hint: "Give cert and key (PEM files) whose common name is the user.",
    }),
  ],
  [
    /^28000:/,
    ({ user, database }) => ({
      seen: `user "${user}" may not log in to database "${database}" from here`,
      hint: "Check the role and the server's pg_hba.conf.",
    }),
  ],
  [
    /^3D000:|no such database/,
    ({ database }) => ({
      seen: `there is no database "${database}"`,
      hint: "Create it, or name another one in the URL.",
    }),
  ],
  [
    /^42501:/,
    ({ user, database }) => ({
      seen: `user "${user}" may not connect to database "${database}"`,
      hint: "GRANT CONNECT ON DATABASE to that role, or use another one.",
    }),
  ],
  [/^53300:|max_client_conn/, () => ({ seen: "it has no connection left" })],
  [
    /client_login_timeout|query_wait_timeout|server_login_retry|cannot connect to server|server conn crashed/,
    () => ({
      seen: "the pooler there cannot reach the database behind it",
      hint: "Check that the database runs and lets the pooler's user in, and read the pooler's log.",
    }),
  ],
  [/^57P0[123]:/, () => ({ seen: "it is starting up or shutting down", hint: "Try again in a moment." })],
  [/^25006:/, () => ({ seen: "it takes no writes" })],
  [/unsupported startup parameter/, () => ({ seen: "the pooler there refuses a parameter of the session" })],
  [
    /does not support SSL connections/,
    () => ({
      seen: "the server has no TLS",
      hint: "Leave sslmode out (or set it to disable), or turn TLS on in the server.",
    }),
  ],
  ...TLS_EXPLANATIONS,
  [
    /ECONNREFUSED|^ENOENT:/,
    () => ({ seen: "nothing listens there", hint: "Check host and port, and that the server is running." }),
  ],
  [/ENOTFOUND|EAI_AGAIN/, () => ({ seen: "the host name is not known", hint: "Check the host in the URL." })],
  [
    /timeout expired|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/,
    () => ({ seen: "it did not answer", hint: "Check host, port, firewall and VPN." }),
  ],
  [
    /Connection terminated/,
    () => ({
      seen: "it hung up during the login",
      hint: "Check that a PostgreSQL server or a pooler listens there, and read its log.",
    }),
  ],
];

/** SQLSTATE read_only_sql_transaction, with which a server that takes no writes answers. */
export const READ_ONLY_SQLSTATE = "25006";

export function isStandbyError(failure: unknown): boolean {
  return failure instanceof Error && codeOf(failure.cause) === READ_ONLY_SQLSTATE;
}

export function isUnavailableError(failure: unknown): boolean {
  return classifyFailure(failure).kind === "reconnect";
}

/** The error to show when a connection to `endpoint` could not be opened. */
export function connectFailure(endpoint: Endpoint, error: unknown): TargetError {
  // The command that prints the password failed before any connection was tried, and its message says how.
  if (error instanceof TargetError) return error;
  const message = messageOf(error);
  const code = codeOf(error) ?? "";
  const line = `${code}: ${message}`;
  const explanation = FAILURE_EXPLANATIONS.find(([pattern]) => pattern.test(line))?.[1](endpoint);
  const seen = explanation?.seen ?? "the connection failed";
  return new TargetError(
    `cannot connect to ${describeEndpoint(endpoint)}: ${seen} (${code === "" ? message : `${code}: ${message}`})`,
    explanation?.hint ?? remedyOf(error) ?? "Read the server's log.",
    { cause: error },
  );
}
