// `standby-stop`: SIGSTOP to standbys. Commits of an asynchronous primary exist nowhere else; a synchronous one stalls.
import * as z from "zod";
import { systemClock } from "../foundation/clock.js";
import { counted } from "../foundation/units.js";
import { defineFault, faultDuration } from "./fault.js";
import { procObstacle } from "./healthy.js";
import { pauseProcesses } from "../foundation/process/stand-still.js";
import { standbyObstacle, replicationOf } from "./standby.js";

const POLL_MS = 20;

export const standbyStop = defineFault({
  name: "standby-stop",
  description: "standbys stand still",
  keys: {
    for: faultDuration,
    standbys: z.int().min(1).max(8).optional().meta({
      description: "How many of the running standbys stand still; all if left out.",
    }),
  },
  affectedPart: "standby",
  resolve: ({ standbys }): { readonly standbys: number | undefined } => ({ standbys }),
  obstacle: ({ standbys = 1 }, surroundings) => {
    const { target } = surroundings;
    const count = target.kind === "embedded" ? (target.standbys?.count ?? 0) : 0;
    if (count >= standbys) return undefined;
    return (
      standbyObstacle(surroundings) ??
      `stops ${counted(standbys, "standby", "standbys")}, and there are ${count}`
    );
  },
  machineObstacle: procObstacle,
  async inject({ target, signal }, { standbys }) {
    const replication = replicationOf(target);
    // A standby that another fault stopped may still be starting.
    while (replication.standbyControls.length === 0 && !signal.aborted)
      await systemClock.sleep(POLL_MS, signal);
    const controls = replication.standbyControls.slice(0, standbys);
    const processPause = await pauseProcesses(controls.flatMap((control) => control.processes().slice(0, 1)));
    return {
      words: `stopped ${counted(controls.length, "standby", "standbys")}`,
      clear: () => processPause.end(),
    };
  },
});
