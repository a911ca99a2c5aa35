// The session that holds a run's claim to a namespace. A refusal is a UsageError that names the process in the way.
import { monotonicMs, systemClock } from "../../../foundation/clock.js";
import { codeOf, UsageError } from "../../../foundation/errors.js";
import type { AdminClient } from "../admin.js";
import { LOCK_NOT_AVAILABLE } from "../lock-timeout.js";
import { OTHER_NAMESPACE } from "./namespace-name.js";
import { APPLICATION } from "../../contract.js";

/** First key of the advisory locks of claims, four bytes; the second key is the namespace's. */
const CLAIM = "hashtext('train-sim claim')";
/** Limit for the server to notice that a session was killed just now. */
const PATIENCE = "2s";
/** Time in which the run of a schema's mark must show itself, or it counts as gone: some of its tries. */
const GRACE_MS = 3000;
const LOOK_EVERY_MS = 100;
/** Looks in a row that find a session of it: one of a run that was just killed is gone by then. */
const SIGHTINGS = 10;

/** Takes the lock in a transaction that stays open. Rejects with a UsageError while another session has it. */
export async function lockClaim(session: AdminClient, namespace: string): Promise<void> {
  // Read committed: a snapshot is a statement's own, and no row is kept for it longer.
  await session.query("BEGIN ISOLATION LEVEL READ COMMITTED");
  await session.query(`SET LOCAL lock_timeout = '${PATIENCE}'`);
  try {
    await session.query(`SELECT pg_advisory_xact_lock(${CLAIM}, hashtext($1))`, [namespace]);
  } catch (error) {
    if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw error;
    await session.query("ROLLBACK");
    throw inUse(namespace, await holderOf(session, namespace).catch(() => undefined), error);
  }
  // A statement with parameters keeps its snapshot until the next one comes.
  await session.query("SET LOCAL lock_timeout = 0");
}

/** Reads within the claim's transaction, and keeps no lock and no snapshot of it. */
export async function aside<T>(session: AdminClient, read: () => Promise<T>): Promise<T> {
  await session.query("SAVEPOINT aside");
  const answer = await read();
  await session.query("ROLLBACK TO SAVEPOINT aside; RELEASE SAVEPOINT aside");
  return answer;
}

/**
 * Rejects with a UsageError while that run shows itself by a session, that of its claim or of its watch: it may have lost the
 * lock for a moment only.
 */
export async function requireGone(session: AdminClient, namespace: string, run: string): Promise<void> {
  const untilMs = monotonicMs() + GRACE_MS;
  let sightings = 0;
  do {
    const pid = await aside(session, () => sessionOf(session, run));
    sightings = pid === undefined ? 0 : sightings + 1;
    if (sightings >= SIGHTINGS) throw inUse(namespace, pid);
    await systemClock.sleep(LOOK_EVERY_MS);
  } while (monotonicMs() < untilMs || sightings > 0);
}

/** Process id, on the server, of a session that is called by that run's name; undefined where there is none. */
async function sessionOf(session: AdminClient, run: string): Promise<number | undefined> {
  const [row] = await session.query(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE $1 LIMIT 1",
    [`${APPLICATION}/%/${run}`],
  );
  return row && Number(row["pid"]);
}

/** Whether the namespace is claimed, or that run shows itself by a session. */
export async function isAtWork(session: AdminClient, namespace: string, run: string): Promise<boolean> {
  return [await holderOf(session, namespace), await sessionOf(session, run)].some((pid) => pid !== undefined);
}

function inUse(namespace: string, pid: number | undefined, cause?: unknown): UsageError {
  const holder = pid === undefined ? "" : ` (process ${pid} of the server)`;
  return new UsageError(
    `schema "${namespace}" is in use by another train-sim${holder}`,
    `Wait for it to end. ${OTHER_NAMESPACE}`,
    { cause },
  );
}

/** Process id, on the server, of the session that holds the claim; undefined where it has gone meanwhile. */
async function holderOf(session: AdminClient, namespace: string): Promise<number | undefined> {
  const key = (hash: string): string => `(${hash}::bigint & 4294967295)::oid`;
  const [row] = await session.query(
    `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
      AND classid = ${key(CLAIM)} AND objid = ${key("hashtext($1)")}
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [namespace],
  );
  return row && Number(row["pid"]);
}
