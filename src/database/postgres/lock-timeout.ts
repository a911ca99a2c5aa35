// Without a limit, a forgotten session of another user would delay train-sim's control work without a message.
import { codeOf, messageOf, TargetError } from "../../foundation/errors.js";
import type { SqlClient } from "./admin.js";
import type { Dialect } from "./dialects/dialect.js";

/** Longest wait for one lock by default, as a value of PostgreSQL's `lock_timeout`. */
export const LOCK_TIMEOUT = "15s";

/** SQLSTATE of a statement that waited for a lock for longer than `lock_timeout`. */
export const LOCK_NOT_AVAILABLE_SQLSTATE = "55P03";

export interface LockWait {
  readonly client: SqlClient;
  readonly dialect: Dialect;
  /** Consequence of a wait that was too long, such as "statistics of schema x not refreshed". */
  readonly failure: string;
  /** Longest wait for one lock, with its unit, such as `15s`. */
  readonly lockTimeout?: string | undefined;
}

/**
 * Runs `work` with a limit on waits for locks; call it outside of a transaction, and let `work` leave none open. Rejects
 * with a TargetError if another session's lock (a VACUUM by hand, a CREATE INDEX, a LOCK TABLE) outlasts the limit.
 */
export async function withinLockTimeout<T>(wait: LockWait, work: () => Promise<T>): Promise<T> {
  const { client, dialect, failure, lockTimeout = LOCK_TIMEOUT } = wait;
  if (!dialect.supportsLockTimeout) return work();
  await client.query(`SET lock_timeout = '${lockTimeout}'`);
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) !== LOCK_NOT_AVAILABLE_SQLSTATE) throw error;
    throw new TargetError(
      `${failure}: another session held a lock on its tables for ${lockTimeout} (${messageOf(error)})`,
      "Look at pg_locks and pg_stat_activity; end that session, or wait for it.",
      { cause: error },
    );
  } finally {
    // An error here means a lost connection; the error of `work` says more.
    await client.query("SET lock_timeout = 0").catch(() => undefined);
  }
}
