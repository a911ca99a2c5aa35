// The end of a trial's load: producers have stopped, and consumers and archivers empty the queue, for so long at
// most. The queue is watched from the control connection, because an empty poll of one client says little while
// others hold locks.
import { setTimeout as sleep } from "node:timers/promises";
import { monotonicMs } from "../../foundation/clock.js";
import type { AdminClient } from "../../database/admin.js";
import { readQueueLeft } from "../../workloads/train-events/sql/audit-queries.js";
import { dialectOf } from "../../database/dialects/registry.js";
import type { TreatmentSettings } from "../../scenario/settings.js";

const POLL_MS = 100;

/**
 * Resolves once nothing is left for the treatment's consumers and archivers, with the seconds since `sinceMs` (monotonic)
 * when the load was told to end; undefined when time ran out, or it is not wanted any more.
 */
export async function drainQueue(
  admin: AdminClient,
  settings: TreatmentSettings,
  isWanted: () => boolean,
  sinceMs: number,
): Promise<number | undefined> {
  const dialect = dialectOf(settings.dialect);
  const deadlineMs = monotonicMs() + settings.trial.drainMaxMs;
  const { consumers, archivers, cycle } = settings.actors;
  for (;;) {
    const left = await readQueueLeft(admin, settings.namespace, dialect);
    const isWorkable = left.workable && (consumers ?? cycle) !== undefined;
    const isTerminal = left.terminal && (archivers ?? cycle) !== undefined;
    if (!isWorkable && !isTerminal) return (monotonicMs() - sinceMs) / 1000;
    if (monotonicMs() >= deadlineMs || !isWanted()) return undefined;
    await sleep(POLL_MS);
  }
}
