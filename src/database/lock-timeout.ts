// How long train-sim's own work on its tables waits for a lock that somebody else holds on them. Without a limit a
// forgotten session would keep a run waiting for as long as it lives, and nobody would be told.

/** PostgreSQL's `lock_timeout`, with its unit. */
export const LOCK_TIMEOUT = "15s";

/** SQLSTATE of a statement that reached it. */
export const LOCK_NOT_AVAILABLE = "55P03";
