// The session that holds a run's claim to a namespace. A refusal is a UsageError that names the process in the way.
import { monotonicMs, systemClock } from "../../../foundation/clock.js";
import { codeOf, UsageError } from "../../../foundation/errors.js";
import type { AdminClient } from "../admin.js";
import { LOCK_NOT_AVAILABLE_SQLSTATE } from "../lock-timeout.js";
import { OTHER_NAMESPACE_ADVICE } from "./namespace-name.js";
import { APPLICATION_NAME } from "../../contract.js";

/** First key of the advisory locks of claims (four bytes); the second key is made from the namespace's name. */
const CLAIM_LOCK_SQL = "hashtext('train-sim claim')";
/** Longest wait for the lock of a claim: the server may need this time to notice that its holder has just been killed. */
const CLAIM_LOCK_TIMEOUT = "2s";
/** Milliseconds within which the run named in a schema's mark must show a session; after that it counts as gone. */
const SESSION_GRACE_MS = 3000;
const SESSION_CHECK_INTERVAL_MS = 100;
/**
 * Number of looks in a row that must find a session of the run; the session of a run that was just killed is gone by then.
 */
const CONSECUTIVE_SIGHTINGS_MAX = 10;

/** Takes the claim's lock in a transaction that stays open. Rejects with a UsageError while another session has the lock. */
export async function lockClaim(session: AdminClient, namespace: string): Promise<void> {
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
export async function readWithoutLocks<T>(session: AdminClient, read: () => Promise<T>): Promise<T> {
  await session.query("SAVEPOINT aside");
  const answer = await read();
  await session.query("ROLLBACK TO SAVEPOINT aside; RELEASE SAVEPOINT aside");
  return answer;
}

/**
 * Waits until the run has no session. Rejects with a UsageError if the run is still there: it may have lost its lock for a
 * moment only.
 */
export async function requireRunEnded(session: AdminClient, namespace: string, run: string): Promise<void> {
  const graceEndMs = monotonicMs() + SESSION_GRACE_MS;
  let sightings = 0;
  do {
    const pid = await readWithoutLocks(session, () => runSessionPid(session, run));
    sightings = pid === undefined ? 0 : sightings + 1;
    if (sightings >= CONSECUTIVE_SIGHTINGS_MAX) throw namespaceInUseError(namespace, pid);
    await systemClock.sleep(SESSION_CHECK_INTERVAL_MS);
  } while (monotonicMs() < graceEndMs || sightings > 0);
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

function namespaceInUseError(namespace: string, pid: number | undefined, cause?: unknown): UsageError {
  const holderText = pid === undefined ? "" : ` (process ${pid} of the server)`;
  return new UsageError(
    `schema "${namespace}" is in use by another train-sim${holderText}`,
    `Wait for it to end. ${OTHER_NAMESPACE_ADVICE}`,
    { cause },
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
