// Errors of CockroachDB and Aurora DSQL for retries, commits in doubt and refused logins, for `protocol-server.ts`: real
// texts, each with its source. Nothing is made up except that keys and hosts of others were shortened.
import type { ServerError } from "./protocol-server.js";
import type { FailureKind } from "../../src/database/contract.js";

/** An error of a real server, the classification that it must get, and its name in a test's title. */
export interface KnownError extends ServerError {
  readonly title: string;
  readonly kind: FailureKind;
}

const SQL_TXN =
  '"sql txn" meta={id=e5efa617 key=/Table/231/1/0 iso=Serializable pri=0.03755661 epo=0 ts=1715787882.509992034,1 min=1715787882.440995219,0 seq=1} lock=true stat=PENDING rts=1715787882.440995219,0 wto=false gul=1715787882.940995219,0';
const RESTART = "restart transaction: TransactionRetryWithProtoRefreshError: ";

/**
 * Errors of CockroachDB. The first five are named at
 * https://www.cockroachlabs.com/docs/stable/transaction-retry-error-reference.
 */
export const COCKROACHDB_ERRORS: readonly KnownError[] = [
  {
    title: "WriteTooOldError", // zitadel/zitadel#7957, CockroachDB 23.2
    code: "40001",
    kind: "retry",
    message: `${RESTART}WriteTooOldError: write for key /Table/123/1/0 at timestamp 1715787882.440995219,0 too old; must write at or above 1715787882.509992034,1: ${SQL_TXN}`,
  },
  {
    title: "RETRY_WRITE_TOO_OLD", // spring-projects/spring-session#1494
    code: "40001",
    kind: "retry",
    message: `${RESTART}TransactionRetryError: retry txn (RETRY_WRITE_TOO_OLD): "sql txn" id=0731e2a4 key=/Table/134/1/0 rw=true pri=0.04430995 stat=PENDING epo=0 ts=1580384623.223516585,1 orig=1580384623.047721123,0 max=1580384623.047721123,0 wto=true seq=2`,
  },
  {
    title: "RETRY_SERIALIZABLE", // cockroachdb/cockroach#94741; the hint is in #65603
    code: "40001",
    kind: "retry",
    message: `${RESTART}TransactionRetryError: retry txn (RETRY_SERIALIZABLE - failed preemptive refresh due to a conflict: committed value on key /Table/123/8/2/0): ${SQL_TXN}`,
    hint: "See: https://www.cockroachlabs.com/docs/v20.2/transaction-retry-error-reference.html#retry_serializable",
  },
  {
    title: "ABORT_REASON_PUSHER_ABORTED", // cockroachdb/cockroach#156146
    code: "40001",
    kind: "retry",
    message: `${RESTART}TransactionAbortedError(ABORT_REASON_PUSHER_ABORTED): "sql txn" meta={id=e8d0e0da key=/Tenant/10/Table/3/1/104/2/1 iso=Serializable pri=0.00358880 epo=0 ts=1761354304.411456000,1 min=1761354304.396981000,0 seq=2} lock=true stat=ABORTED rts=1761354304.408985000,1 gul=1761354304.896981000,0 obs={n1@1761354304.401053000,1}`,
  },
  {
    title: "ReadWithinUncertaintyIntervalError", // MaterializeInc/materialize#20380
    code: "40001",
    kind: "retry",
    message: `${RESTART}ReadWithinUncertaintyIntervalError: read at time 1688719367.803822949,0 encountered previous write with future timestamp 1688719367.803822949,1 (local=1688719367.803746515,0) within uncertainty interval \`t <= (local=1688719367.803822949,0, global=1688719368.303822949,0)\`; observed timestamps: [{1 1688719367.803822949,0}]: ${SQL_TXN}`,
    hint: "See: https://www.cockroachlabs.com/docs/v23.1/transaction-retry-error-reference.html#readwithinuncertaintyinterval",
  },
  {
    title: "a node lost under a commit", // storj/storj#4819
    code: "40003",
    kind: "in-doubt",
    message:
      "result is ambiguous (error=rpc error: code = Unavailable desc = error reading from server: read tcp 172.28.64.75:48468->172.28.0.198:26257: read: connection timed out [exhausted])",
  },
  {
    title: "a record gone under a commit", // cockroachdb/cockroach#44504
    code: "40003",
    kind: "in-doubt",
    message: "result is ambiguous (intent missing and record aborted)",
  },
  {
    title: "a node that drains", // ErrDrainingExistingConn in cockroach's pkg/sql/pgwire/server.go
    code: "57P01",
    kind: "reconnect",
    message: "server is shutting down",
  },
];

/** Error of CockroachDB at a login: ErrDrainingNewConn in cockroach's pkg/sql/pgwire/server.go. */
export const COCKROACHDB_DRAINING: KnownError = {
  title: "a node that drains",
  code: "57P01",
  severity: "ERROR",
  kind: "reconnect",
  message: "server is not accepting clients, try another node",
};

/**
 * Conflict error of Aurora DSQL as its user guide documents it:
 * https://docs.aws.amazon.com/aurora-dsql/latest/userguide/working-with-concurrency-control.html
 */
export const DSQL_CONFLICT: KnownError = {
  title: "OC000",
  code: "40001",
  kind: "retry",
  message: "change conflicts with another transaction, please retry: (OC000)",
};

export const DSQL_SCHEMA_CHANGE: KnownError = {
  title: "OC001",
  code: "40001",
  kind: "retry",
  message: "schema has been updated by another transaction, please retry: (OC001)",
};

/** Errors of exceeded limits of Aurora DSQL, documented in CHAP_quotas.html of the same user guide. */
export const DSQL_LIMITS: readonly KnownError[] = [
  { title: "3 000 rows", code: "54000", kind: "fatal", message: "transaction row limit exceeded" },
  {
    title: "10 MiB",
    code: "54000",
    kind: "fatal",
    message: "transaction size limit 10mb exceeded",
    detail: "Current transaction size 16mb > 10mb",
  },
  { title: "5 minutes", code: "54000", kind: "fatal", message: "transaction age limit of 300s exceeded" },
];

/**
 * Errors at the login. The last two are in CHAP_quotas.html; texts and hints of the others are from reports of clusters'
 * users, with 08006 (`access denied` in several public repositories), the time in the hint in AWS's usual form.
 */
export const DSQL_REFUSALS: readonly KnownError[] = [
  {
    title: "a token that is too old",
    code: "08006",
    severity: "FATAL",
    kind: "reconnect",
    message: "unable to accept connection, access denied",
    hint: "Signature expired: 20260706T195306Z is now earlier than 20260707T071347Z (20260707T072847Z - 15 min.)",
  },
  {
    title: "a cluster that sleeps",
    code: "08006",
    severity: "FATAL",
    kind: "reconnect",
    message: "unable to accept connection, waking up cluster, please retry later",
  },
  {
    title: "a token for another action",
    code: "08006",
    severity: "FATAL",
    kind: "fatal",
    message: "unable to accept connection, access denied",
    hint: "Wrong user to action mapping. user: admin, action: DbConnect",
  },
  {
    title: "10 000 connections",
    code: "53300",
    severity: "FATAL",
    kind: "reconnect",
    message: "Unable to accept connection, too many open connections.",
  },
  {
    title: "100 logins a second",
    code: "53400",
    severity: "FATAL",
    kind: "reconnect",
    message: "Unable to accept connection, rate exceeded.",
  },
];
