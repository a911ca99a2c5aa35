// Transactions that PgBouncer adds when it assigns a server connection: a reset of the session, a SET of the client's name,
// a check of the server. Its settings determine how many.
import { RESET_QUERY } from "./pgbouncer-config.js";
import type { PgBouncerPool } from "./settings.js";

const UNCOUNTED_RENAMES =
  "PgBouncer renames its server connections for some transactions, and does not count how often (application_name_add_host = 1)";

type LendingSettings = Pick<PgBouncerPool, "mode" | "reconnect" | "settings">;

/**
 * The number of transactions that PgBouncer adds to each transaction of a client, or the reason why the number is unknown.
 * @param asked settings of a running PgBouncer, as its console reports them
 */
export function ownTransactions(
  { mode, reconnect, settings }: LendingSettings,
  asked: Readonly<Record<string, string>> = {},
): number | string {
  const isConnectionKept = mode === "session" && reconnect === "never";
  if (isConnectionKept) return 0;
  const iniSettings = { ...settings, ...asked };
  const reset = iniSettings["server_reset_query"] ?? RESET_QUERY;
  const isReset = reset !== "" && (mode === "session" || iniSettings["server_reset_query_always"] === "1");
  const isConnectionChecked =
    Number(iniSettings["server_check_delay"] ?? 30) === 0 && iniSettings["server_check_query"] !== "";
  const addedPerTransaction = Number(isReset) + Number(isConnectionChecked);
  // DISCARD ALL also discards the application name, which a reconnected client, with another port in its name, sets again.
  if (isReset && /^discard\s+all\b/i.test(reset)) return addedPerTransaction + 1;
  if (iniSettings["application_name_add_host"] !== "1") return addedPerTransaction;
  return reconnect === "per-transaction" ? addedPerTransaction + 1 : UNCOUNTED_RENAMES;
}
