// A stranger changes tables while a trial runs.
import type { AdminClient } from "../../src/database/postgres/admin.js";
import { systemClock } from "../../src/foundation/clock.js";

/** Repeats the statement until it has changed a row. Fails if the run ends first. */
export async function untilDone(
  stranger: AdminClient,
  statement: string,
  ended: Promise<unknown>,
): Promise<void> {
  const over = new AbortController();
  void ended.finally(() => over.abort());
  for (;;) {
    // The query fails until the tables have been made.
    const rows = await stranger.query(statement).catch(() => []);
    if (rows.length > 0) return;
    if (over.signal.aborted) throw new Error("the run was over before the stranger had done anything");
    await systemClock.sleep(5);
  }
}
