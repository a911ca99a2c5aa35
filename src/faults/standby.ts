import type { RunningTarget, Replication } from "../targets/running-target.js";
import type { FaultContext } from "./fault.js";

export function standbyObstacle({ target }: FaultContext): string | undefined {
  if (target.kind === "embedded" && target.standbys) return undefined;
  return "needs standbys, and there are none: see key target.standbys";
}

/** Replication of the target; throws for targets without it, for which scenarios with such faults are refused before. */
export function replicationOf({ replication }: RunningTarget): Replication {
  if (!replication) throw new Error("the target has no standbys");
  return replication;
}
