// Refuses, before anything starts, a scenario whose faults this machine cannot inject.
import { UsageError } from "../../foundation/errors.js";
import { kindOf, type FaultKindName } from "../../faults/registry.js";
import type { Treatment } from "../../scenario/settings.js";

/** Why this machine cannot do one of these faults; undefined where it can do all. */
export async function faultObstacle(
  kinds: readonly FaultKindName[],
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  for (const kind of new Set(kinds)) {
    const reason = await kindOf(kind).machineObstacle?.(platform);
    if (reason !== undefined) return `${kind} ${reason}`;
  }
  return undefined;
}

/** Rejects with a UsageError where a treatment has a fault that this machine cannot do. */
export async function requireFaults(treatments: readonly Treatment[]): Promise<void> {
  const reason = await faultObstacle(
    treatments.flatMap(({ settings }) => settings.faults.map(({ kind }) => kind)),
  );
  if (reason === undefined) return;
  throw new UsageError(`faults: ${reason}`, "Run train-sim as root on Linux, or take the fault out.");
}
