// The way out of errors, by the names of the server's codes.
import { messageOf, TargetError, TrainSimError, TrialError } from "../../foundation/errors.js";
import type { Obstacle } from "../contract.js";
import { causeOf, classifyFailure, isDriverError } from "./error-codes.js";

const CHECK_SERVER = "Check that the server is still running, and read its log.";
const NO_PRIMARY =
  "Name the primary in the URL, or add replicaSet=NAME, by which the driver finds the primary.";
const TOO_FEW_SERVERS = "Lower w in the URL, or start the servers of the replica set.";

const REMEDIES: Readonly<Record<string, string>> = {
  AuthenticationFailed: "Check user, password and authSource in the URL.",
  Unauthorized: "Give the user the role readWrite on the namespace's database, and clusterMonitor.",
  MaxTimeMSExpired: "Raise defaultMaxTimeMS of the server; 0 is no limit.",
  DuplicateKey: "If the error is expected, update with upsert in place of an insert.",
  OutOfDiskSpace: "Free space on the server's disk.",
  UnsatisfiableWriteConcern: TOO_FEW_SERVERS,
  UnknownReplWriteConcern: TOO_FEW_SERVERS,
  WriteConcernTimeout: "Raise wtimeoutMS in the URL, or look for the server that lags behind.",
  NotWritablePrimary: NO_PRIMARY,
  NotPrimaryNoSecondaryOk: NO_PRIMARY,
  NotPrimaryOrSecondary: NO_PRIMARY,
  PrimarySteppedDown: NO_PRIMARY,
  ShutdownInProgress: CHECK_SERVER,
  InterruptedAtShutdown: CHECK_SERVER,
};

export const remedyOf = (error: unknown): string | undefined => REMEDIES[classifyFailure(error).sqlstate];

/** The error of a server or of the driver in words for users; undefined for any other error. */
export function explain(error: unknown): TrainSimError | undefined {
  if (error instanceof TrainSimError || !isDriverError(causeOf(error))) return undefined;
  const { kind, sqlstate } = classifyFailure(error);
  const isLost = kind === "reconnect";
  const seen = isLost ? "the connection to the server was lost" : "the server refused an operation";
  const Kind = isLost ? TargetError : TrialError;
  return new Kind(`${seen}: ${messageOf(error)} (${sqlstate})`, remedyOf(error) ?? CHECK_SERVER, {
    cause: error,
  });
}

export function obstacleOf(error: unknown): Obstacle {
  if (error instanceof TrainSimError)
    return {
      kind: error instanceof TargetError ? "unreachable" : "unfit",
      words: error.message,
      remedy: error.hint,
    };
  return {
    kind: "evidence",
    words: `the server was not checked: ${messageOf(error)}`,
    remedy: remedyOf(error) ?? "",
  };
}
