// Transactions that Odyssey adds when a client gives its server connection back: a reset of the session and, for the next
// client, a SET of the name that the reset has removed.
import type { OdysseyPool } from "./settings.js";

/** The number of transactions that Odyssey adds to each transaction of a client. */
export function ownTransactions({
  mode,
  reconnect,
  urls,
  settings = {},
}: Pick<OdysseyPool, "mode" | "reconnect" | "urls" | "settings">): number {
  const isConnectionKept = mode === "session" && reconnect === "never";
  if (isConnectionKept) return 0;
  const isResetByDefault = mode === "session" || urls.length > 0;
  const discards = settings["pool_discard"] ?? (isResetByDefault ? "yes" : "no");
  const isReset =
    discards === "yes" || settings["pool_smart_discard"] === "yes" || "pool_discard_query" in settings;
  return isReset ? 2 : 0;
}
