// Who is at work in a namespace: a run claims it for as long as it is on the server, so that no other run, and no
// `schema drop`, takes its tables away under the load, which the audit could only call lost events. A claim is an advisory
// lock in a transaction that stays open on a connection of its own: it ends with the process, however that ends, keeps
// nothing from being vacuumed, and no transaction pooler in between can lose it.
import { withinMs } from "../foundation/deadline.js";
import { codeOf, UsageError } from "../foundation/errors.js";
import type { Endpoint } from "../scenario/endpoint.js";
import { connectAdmin, type AdminClient } from "./admin.js";
import type { Dialect } from "./dialects/dialect.js";
import { LOCK_NOT_AVAILABLE } from "./lock-timeout.js";
import { CLAIM_PURPOSE } from "./pg-config.js";

/** Of whoever claims; the second key is the namespace's. Keys are four bytes each. */
const CLAIM = "hashtext('train-sim claim')";
/** For the session of one that was just killed to be noticed by the server. */
const PATIENCE = "2s";
/** For an answer of a server that may be gone without a word. */
const ANSWER_MS = 2000;

export interface NamespaceClaim {
  /** Whether it is held still; a server that was restarted has forgotten it. */
  isHeld(): Promise<boolean>;
  /** Never rejects. */
  release(): Promise<void>;
}

/** What a server has where nobody can claim: dialects without transactional DDL have no advisory locks either. */
const UNCLAIMED: NamespaceClaim = { isHeld: () => Promise.resolve(true), release: () => Promise.resolve() };

async function hold(session: AdminClient, namespace: string): Promise<void> {
  // Read committed: a snapshot is a statement's own, and no row is kept for it longer.
  await session.query("BEGIN ISOLATION LEVEL READ COMMITTED");
  await session.query(`SELECT set_config(name, '0', true) FROM pg_settings
    WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout', 'statement_timeout')`);
  await session.query(`SET LOCAL lock_timeout = '${PATIENCE}'`);
  await session.query(`SELECT pg_advisory_xact_lock(${CLAIM}, hashtext($1))`, [namespace]);
  // A statement with parameters keeps its snapshot until the next one comes.
  await session.query("SET LOCAL lock_timeout = 0");
}

/** As ` (process 4711 of the server)`; nothing where it has gone meanwhile. */
async function holderOf(session: AdminClient, namespace: string): Promise<string> {
  const key = (hash: string): string => `(${hash}::bigint & 4294967295)::oid`;
  await session.query("ROLLBACK");
  const [row] = await session.query(
    `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
      AND classid = ${key(CLAIM)} AND objid = ${key("hashtext($1)")}
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [namespace],
  );
  return row ? ` (process ${String(row["pid"])} of the server)` : "";
}

/** Rejects with a UsageError while somebody else has claimed it, and as `connectAdmin` does. */
export async function claimNamespace(
  endpoint: Endpoint,
  namespace: string,
  dialect: Dialect,
): Promise<NamespaceClaim> {
  if (!dialect.supportsTransactionalDdl) return UNCLAIMED;
  const session = await connectAdmin(endpoint, { purpose: CLAIM_PURPOSE });
  try {
    await hold(session, namespace);
  } catch (error) {
    const isTaken = codeOf(error) === LOCK_NOT_AVAILABLE;
    const holder = isTaken ? await holderOf(session, namespace).catch(() => "") : "";
    await session.close();
    if (!isTaken) throw error;
    throw new UsageError(
      `schema "${namespace}" is in use by another train-sim${holder}`,
      "Wait for it to end, or choose another name with `namespace:` (or --namespace).",
      { cause: error },
    );
  }
  return {
    isHeld: () =>
      withinMs(session.query("SELECT"), ANSWER_MS).then(
        () => true,
        () => false,
      ),
    async release() {
      // Before the session ends, of which the server hears later.
      await withinMs(session.query("COMMIT"), ANSWER_MS).catch(() => undefined);
      await session.close();
    },
  };
}
