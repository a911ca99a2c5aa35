// A look at the database that no latency and no counter contains, between two transactions of a client.
import { monotonicMs } from "../../../foundation/clock.js";
import type { TimeAccount } from "../../../clients/time-account.js";
import type { ConnectionSource, Session } from "../../../database/session.js";

/**
 * Runs a query of the program's own on a connection of the load. Never rejects and does not retry; resolves to undefined if
 * the query failed.
 */
export type UntimedQuery = <T>(
  client: number,
  look: (session: Session) => Promise<T>,
) => Promise<T | undefined>;

export function createUntimedQuery(
  source: Pick<ConnectionSource, "acquire">,
  time: Pick<TimeAccount, "book">,
): UntimedQuery {
  return async (client, look) => {
    const fromMs = monotonicMs();
    try {
      const lease = await source.acquire(client);
      let isSuspect = true;
      try {
        const seen = await look(lease.connection);
        isSuspect = false;
        return seen;
      } finally {
        await lease.release(isSuspect);
      }
    } catch {
      return undefined;
    } finally {
      time.book(client, "preparing", fromMs, monotonicMs());
    }
  };
}
