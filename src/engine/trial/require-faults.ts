// What faults need of this machine, asked before anything is started: processes are found in /proc, and a disk that can
// be full is a mount of our own. Refuses a scenario that this machine cannot carry, with the reason, rather than
// find out in the middle of its first trial.
import { UsageError } from "../../foundation/errors.js";
import type { Fault } from "../../faults/faults.js";
import type { Treatment } from "../../scenario/settings.js";
import { smallDiskObstacle } from "../../targets/embedded/small-disk.js";

const needsProc = (fault: Fault): boolean => fault.kind === "postgres-kill" || fault.kind === "process-stop";

/** Why this machine cannot do one of these faults; undefined where it can do all. */
export async function faultObstacle(
  faults: readonly Fault[],
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  const ofProc = faults.find(needsProc);
  if (ofProc && platform !== "linux")
    return `${ofProc.kind} finds the server's processes in /proc, which ${platform} has not`;
  if (!faults.some(({ kind }) => kind === "disk-full")) return undefined;
  const obstacle = await smallDiskObstacle();
  return obstacle === undefined ? undefined : `disk-full needs a disk of its own: ${obstacle}`;
}

/** Rejects with a UsageError where a treatment has a fault that this machine cannot do. */
export async function requireFaults(treatments: readonly Treatment[]): Promise<void> {
  const reason = await faultObstacle(treatments.flatMap(({ settings }) => settings.faults));
  if (reason === undefined) return;
  throw new UsageError(`faults: ${reason}`, "Run train-sim as root on Linux, or take the fault out.");
}
