// The end of a trial's load: producers have stopped, and consumers and archivers empty the queue, for so long at
// most. The queue is watched from the control connection, because an empty poll of one client says little while
// others hold locks.
import { monotonicMs } from "../foundation/clock.js";
import type { AdminClient } from "../database/admin.js";
import { readQueueDepth } from "../database/audit-queries.js";
import { dialectOf } from "../database/dialects/registry.js";
import type { TreatmentSettings } from "../scenario/settings.js";
import type { Interruption } from "./interruption.js";

const POLL_MS = 100;

export interface Drained {
  /** Nothing was left for the treatment's consumers and archivers before time ran out. */
  readonly isDrained: boolean;
  /** Until then, from `sinceMs`, to a tenth of a second; undefined also where the treatment has nobody who drains. */
  readonly seconds?: number;
}

/** Watches the queue until it is empty or time is up. `sinceMs` is when the load was told to end (monotonic). */
export async function drainQueue(
  admin: AdminClient,
  settings: TreatmentSettings,
  interruption: Interruption,
  sinceMs: number,
): Promise<Drained> {
  const dialect = dialectOf(settings.dialect);
  const deadlineMs = monotonicMs() + settings.trial.drainMaxMs;
  const { consumers, archivers, cycle } = settings.actors;
  for (;;) {
    const depth = await readQueueDepth(admin, settings.namespace, dialect);
    const workable = (consumers ?? cycle) ? depth.pending + depth.processing : 0;
    const terminal = (archivers ?? cycle) ? depth.complete + depth.failed : 0;
    if (workable + terminal === 0) {
      const hasDrainers = (consumers ?? archivers ?? cycle) !== undefined;
      return { isDrained: true, ...(hasDrainers && { seconds: (monotonicMs() - sinceMs) / 1000 }) };
    }
    if (monotonicMs() >= deadlineMs || interruption.isRequested()) return { isDrained: false };
    await interruption.sleep(POLL_MS);
  }
}
