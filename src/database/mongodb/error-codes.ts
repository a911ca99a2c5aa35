// The one table from MongoDB's error codes and the driver's errors to a failure's treatment. Sources: the server's
// error_codes.yml, the driver's error.ts. An error that is not in the table is fatal, and so is shown.
import { codeOf, TargetError } from "../../foundation/errors.js";
import type { Failure, FailureKind } from "../contract.js";
import { InDoubtError, StatementError, UnexpectedRowsError } from "../errors.js";
import { NETWORK_FAILURE_CODES } from "../network-failures.js";

/** Names of the server's codes with their treatment. */
const SERVER_ERRORS: ReadonlyMap<number, readonly [name: string, kind: FailureKind]> = new Map([
  // Failures after which the session goes on: the operation has changed nothing.
  [24, ["LockTimeout", "retry"]],
  [46, ["LockBusy", "retry"]],
  [50, ["MaxTimeMSExpired", "retry"]],
  [112, ["WriteConflict", "retry"]],
  [202, ["NetworkInterfaceExceededTimeLimit", "retry"]],
  [262, ["ExceededTimeLimit", "retry"]],
  [11601, ["Interrupted", "retry"]], // killOp
  // Failures for lack of a resource that the server may have again.
  [14031, ["OutOfDiskSpace", "retry"]],
  [146, ["ExceededMemoryLimit", "retry"]],
  // Failures of the write concern: the server has applied the write and does not know how durable it is.
  [64, ["WriteConcernTimeout", "in-doubt"]],
  [79, ["UnknownReplWriteConcern", "fatal"]],
  [100, ["UnsatisfiableWriteConcern", "fatal"]],
  // Failures of a server that goes away, or that is no primary: a new connection may find the new one.
  [6, ["HostUnreachable", "reconnect"]],
  [7, ["HostNotFound", "reconnect"]],
  [89, ["NetworkTimeout", "reconnect"]],
  [91, ["ShutdownInProgress", "reconnect"]],
  [189, ["PrimarySteppedDown", "reconnect"]],
  [9001, ["SocketException", "reconnect"]],
  [10058, ["LegacyNotPrimary", "reconnect"]],
  [10107, ["NotWritablePrimary", "reconnect"]],
  [11600, ["InterruptedAtShutdown", "reconnect"]],
  [11602, ["InterruptedDueToReplStateChange", "reconnect"]],
  [13435, ["NotPrimaryNoSecondaryOk", "reconnect"]],
  [13436, ["NotPrimaryOrSecondary", "reconnect"]],
  // Failures that repeat.
  [13, ["Unauthorized", "fatal"]],
  [18, ["AuthenticationFailed", "fatal"]],
  [59, ["CommandNotFound", "fatal"]],
  [238, ["NotImplemented", "fatal"]],
  [11000, ["DuplicateKey", "fatal"]],
] satisfies [number, [string, FailureKind]][]);

/** The driver's errors after which a new connection may succeed, by name. */
const LOST_CONNECTION_ERRORS: ReadonlySet<string> = new Set([
  "MongoNetworkError",
  "MongoNetworkTimeoutError",
  "MongoServerSelectionError",
  "MongoPoolClearedError",
  "PoolClearedOnNetworkError",
  "MongoPoolClosedError",
  "MongoServerClosedError",
  "MongoTopologyClosedError",
  "MongoClientClosedError",
  "MongoNotConnectedError",
  "MongoExpiredSessionError",
]);

const NETWORK_CODES: ReadonlySet<string> = new Set(NETWORK_FAILURE_CODES);

/** Errors of a call for which no connection was there, so that it reached no server. */
const UNSENT_ERRORS: ReadonlySet<string> = new Set([
  "MongoServerSelectionError",
  "MongoPoolClearedError",
  "MongoPoolClosedError",
  "MongoTopologyClosedError",
  "MongoNotConnectedError",
]);

/** Codes by which a server refuses an operation before it begins. */
const REFUSED_BEFORE: ReadonlySet<number> = new Set([10058, 10107, 13435, 13436]);

export const DUPLICATE_KEY = "DuplicateKey";
const CONFLICTS: ReadonlySet<string> = new Set(["WriteConflict", "LockTimeout", "LockBusy"]);
export const isConflict = (code: string): boolean => CONFLICTS.has(code);

/** The error below train-sim's own wrappers. */
export function causeOf(error: unknown): unknown {
  const isWrapper = error instanceof StatementError || error instanceof TargetError;
  return (isWrapper || error instanceof InDoubtError) && error.cause !== undefined
    ? causeOf(error.cause)
    : error;
}

export const isDriverError = (error: unknown): error is Error =>
  error instanceof Error && (/^Mongo/.test(error.name) || LOST_CONNECTION_ERRORS.has(error.name));

/** The server's code of an error; undefined for an error of the driver or the system. */
export function serverCodeOf(error: unknown): number | undefined {
  if (!isDriverError(error) || !("code" in error)) return undefined;
  return typeof error.code === "number" ? error.code : undefined;
}

/** Code of a failure of the network: the system's if the driver passes it on, else the name of the driver's error. */
function networkCodeOf(error: Error): string {
  return codeOf(error.cause) ?? codeOf((error.cause as Error | undefined)?.cause) ?? error.name;
}

export function classifyFailure(error: unknown): Failure {
  if (error instanceof InDoubtError)
    return { kind: "in-doubt", sqlstate: classifyFailure(error.cause).sqlstate };
  if (error instanceof UnexpectedRowsError) return { kind: "final", sqlstate: "unexpected-rows" };
  const cause = causeOf(error);
  const code = serverCodeOf(cause);
  if (code !== undefined) {
    const [name, kind] = SERVER_ERRORS.get(code) ?? [codeNameOf(cause) ?? String(code), "fatal" as const];
    return { kind, sqlstate: name };
  }
  if (!(cause instanceof Error)) return { kind: "fatal", sqlstate: typeof cause };
  const systemCode = codeOf(cause);
  // A failed write to the socket arrives as the system's error.
  if (systemCode !== undefined && NETWORK_CODES.has(systemCode))
    return { kind: "reconnect", sqlstate: systemCode };
  if (!LOST_CONNECTION_ERRORS.has(cause.name)) return { kind: "fatal", sqlstate: systemCode ?? cause.name };
  return { kind: isRefusedTls(cause) ? "fatal" : "reconnect", sqlstate: networkCodeOf(cause) };
}

function codeNameOf(error: unknown): string | undefined {
  const { codeName } = error as { readonly codeName?: unknown };
  return typeof codeName === "string" ? codeName : undefined;
}

/** True if the certificate of the server, or of the client, is refused, which repeats. */
function isRefusedTls(error: Error): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL/.test(networkCodeOf(error));
}

/** True if a write that failed with this error may have been done: its answer was lost, or says so. */
export function isWriteInDoubt(error: unknown): boolean {
  const { kind } = classifyFailure(error);
  if (kind === "in-doubt") return true;
  if (kind !== "reconnect") return false;
  const cause = causeOf(error);
  if (!(cause instanceof Error) || UNSENT_ERRORS.has(cause.name)) return false;
  return !REFUSED_BEFORE.has(serverCodeOf(cause) ?? 0) && !isOfHandshake(cause);
}

function isOfHandshake(error: Error): boolean {
  return (
    "hasErrorLabel" in error &&
    (error as Error & { hasErrorLabel(label: string): boolean }).hasErrorLabel("HandshakeError")
  );
}
