// The session that holds a run's claim to a namespace. A refusal is a UsageError that names the process in the way.
import { codeOf } from "../../../foundation/errors.js";
import {
  APPLICATION_NAME,
  UNCLAIMED_NAMESPACE,
  type ClaimEvents,
  type NamespaceClaim,
} from "../../contract.js";
import type { Endpoint } from "../../endpoint.js";
import { HeldClaim, namespaceInUseError } from "../../held-claim.js";
import { connectAdmin, type AdminClient } from "../admin.js";
import type { Dialect } from "../dialects/dialect.js";
import { LOCK_NOT_AVAILABLE_SQLSTATE } from "../lock-timeout.js";
import { CONNECT_TIMEOUT_MS } from "../pg-config.js";
import { namespaceState } from "./namespace.js";

/** First key of the advisory locks of claims (four bytes); the second key is made from the namespace's name. */
const CLAIM_LOCK_SQL = "hashtext('train-sim claim')";
/** Longest wait for the lock of a claim: the server may need this time to notice that its holder has just been killed. */
const CLAIM_LOCK_TIMEOUT = "2s";
/** Takes the claim's lock in a transaction that stays open. Rejects with a UsageError while another session has the lock. */
async function lockClaim(session: AdminClient, namespace: string): Promise<void> {
  // A snapshot of READ COMMITTED lasts for one statement, so the open transaction keeps no old rows from being removed.
  await session.query("BEGIN ISOLATION LEVEL READ COMMITTED");
  await session.query(`SET LOCAL lock_timeout = '${CLAIM_LOCK_TIMEOUT}'`);
  try {
    await session.query(`SELECT pg_advisory_xact_lock(${CLAIM_LOCK_SQL}, hashtext($1))`, [namespace]);
  } catch (error) {
    if (codeOf(error) !== LOCK_NOT_AVAILABLE_SQLSTATE) throw error;
    await session.query("ROLLBACK");
    throw namespaceInUseError(
      namespace,
      await claimHolderPid(session, namespace).catch(() => undefined),
      error,
    );
  }
  // A statement with parameters keeps its snapshot until the next statement: this one ends it.
  await session.query("SET LOCAL lock_timeout = 0");
}

/** Reads in the claim's open transaction, and then gives up the locks and the snapshot of the read. */
async function readWithoutLocks<T>(session: AdminClient, read: () => Promise<T>): Promise<T> {
  await session.query("SAVEPOINT aside");
  const answer = await read();
  await session.query("ROLLBACK TO SAVEPOINT aside; RELEASE SAVEPOINT aside");
  return answer;
}

/** Server process id of a session whose name contains that run; undefined if there is none. */
async function runSessionPid(session: AdminClient, run: string): Promise<number | undefined> {
  const [row] = await session.query(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE $1 LIMIT 1",
    [`${APPLICATION_NAME}/%/${run}`],
  );
  return row && Number(row["pid"]);
}

/** True if the namespace is claimed, or if that run has a session. */
export async function isRunActive(session: AdminClient, namespace: string, run: string): Promise<boolean> {
  return [await claimHolderPid(session, namespace), await runSessionPid(session, run)].some(
    (pid) => pid !== undefined,
  );
}

/** Server process id of the session that holds the namespace's claim; undefined if no session holds it. */
async function claimHolderPid(session: AdminClient, namespace: string): Promise<number | undefined> {
  const key = (hash: string): string => `(${hash}::bigint & 4294967295)::oid`;
  const [row] = await session.query(
    `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
      AND classid = ${key(CLAIM_LOCK_SQL)} AND objid = ${key("hashtext($1)")}
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [namespace],
  );
  return row && Number(row["pid"]);
}

/**
 * Claims a namespace by an advisory lock in an open transaction, which no transaction pooler can lose. Rejects with a
 * UsageError while another run has claimed it or works in it, and like `connectAdmin`.
 */
export async function claimNamespace(
  endpoint: Endpoint,
  namespace: string,
  dialect: Dialect,
  events: ClaimEvents = {},
): Promise<NamespaceClaim> {
  if (!dialect.supportsTransactionalDdl) return UNCLAIMED_NAMESPACE;
  const claim = new HeldClaim(namespace, events, {
    connect: (options) => connectAdmin(endpoint, options),
    lock: (session) => lockClaim(session, namespace),
    state: (session) => readWithoutLocks(session, () => namespaceState(session, namespace, dialect)),
    sessionOf: (session, run) => readWithoutLocks(session, () => runSessionPid(session, run)),
    unlock: (session) => session.query("COMMIT"),
  });
  await claim.take(CONNECT_TIMEOUT_MS);
  return claim;
}
