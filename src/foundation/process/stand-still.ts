// Stops processes with all their children (parent first, so that no new child is missed) and lets them go on. Linux only.
import { TargetError } from "../errors.js";
import { processTree } from "../machine-usage.js";
import { send } from "./server-process.js";

export interface ProcessPause {
  readonly processCounts: number;
  end(): Promise<void>;
}

/** Stops processes and their descendants until they are resumed. Rejects if no process exists. */
export async function pauseProcesses(roots: readonly number[]): Promise<ProcessPause> {
  const stopped = roots.flatMap((root) => {
    send(root, "SIGSTOP");
    const [, ...children] = processTree(root);
    for (const child of children) send(child, "SIGSTOP");
    return processTree(root).length > 0 ? [root, ...children] : [];
  });
  if (stopped.length === 0) throw new TargetError("there is no process to stop: it has ended");
  return {
    processCounts: stopped.length,
    async end() {
      for (const pid of stopped.toReversed()) send(pid, "SIGCONT");
    },
  };
}
