// The end of a trial's load: those who fill have stopped, and those who can empty what they left, for so long at most. It is
// watched from the control connection, because an empty poll of one client says little while others hold locks.
import { setTimeout as sleep } from "node:timers/promises";
import { monotonicMs } from "../../foundation/clock.js";
import type { AdminSession } from "../../database/contract.js";
import { workloadOf } from "../../workloads/registry.js";
import type { TreatmentSettings } from "../../scenario/settings.js";

const POLL_MS = 100;

/**
 * Resolves once nothing is left for the treatment's clients, with the seconds since `sinceMs` (monotonic)
 * when the load was told to end; undefined when time ran out, or it is not wanted any more.
 */
export async function drainQueue(
  admin: AdminSession,
  settings: TreatmentSettings,
  isWanted: () => boolean,
  sinceMs: number,
): Promise<number | undefined> {
  const { draining } = workloadOf(settings);
  const deadlineMs = monotonicMs() + settings.trial.drainMaxMs;
  for (;;) {
    if (!draining || (await draining.isDone(admin, settings))) return (monotonicMs() - sinceMs) / 1000;
    if (monotonicMs() >= deadlineMs || !isWanted()) return undefined;
    await sleep(POLL_MS);
  }
}
