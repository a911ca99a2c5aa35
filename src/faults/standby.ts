import type { RunningTarget, Replication } from "../targets/running-target.js";
import type { FaultContext } from "./fault.js";

export function noStandby({ target }: FaultContext): string | undefined {
  if (target.kind === "embedded" && target.standbys) return undefined;
  return "needs standbys, and there are none: see key target.standbys";
}

/** Replication of the target. Scenarios with faults that need it are refused for other targets. */
export function replicationOf({ replication }: RunningTarget): Replication {
  if (!replication) throw new Error("the target has no standbys");
  return replication;
}
