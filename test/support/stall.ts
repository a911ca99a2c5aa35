// Makes a database server stand still like a frozen disk or a paused machine, and lets it go on. It touches only servers
// that a process of the test started.
import { execFileSync } from "node:child_process";
import { systemClock } from "../../src/foundation/clock.js";

/** Ids of all postgres processes below `pid`. */
export function serversBelow(pid: number): number[] {
  const lines = execFileSync("ps", ["-eo", "pid=,ppid=,comm="], { encoding: "utf8" }).trim().split("\n");
  const processes = lines.map((line) => {
    const [own, parent, ...name] = line.trim().split(/\s+/);
    return { pid: Number(own), parent: Number(parent), name: name.join(" ") };
  });
  const below = new Set([pid]);
  for (let size = 0; size !== below.size;) {
    size = below.size;
    for (const each of processes) if (below.has(each.parent)) below.add(each.pid);
  }
  return processes.filter((each) => below.has(each.pid) && each.name === "postgres").map((each) => each.pid);
}

/** Suspends all processes of a server for `ms` milliseconds, while time goes on. */
export async function stall(pids: readonly number[], ms: number): Promise<void> {
  try {
    signalAll(pids, "SIGSTOP");
    await systemClock.sleep(ms);
  } finally {
    signalAll(pids, "SIGCONT");
  }
}

function signalAll(pids: readonly number[], signal: "SIGSTOP" | "SIGCONT"): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // ESRCH: the process, such as a worker of autovacuum, has ended since it was listed.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}
