// Two machines in one: the server on the first processor, the programs of a bench on the others (Linux, taskset).
import { execFileSync } from "node:child_process";
import { cpus } from "node:os";

/**
 * Pins the server to the first processor and this process to the others. Processes that either of them starts later inherit
 * this.
 */
export function keepApart(serverPid) {
  const on = (processors, pid) => execFileSync("taskset", ["-a", "-c", "-p", processors, String(pid)]);
  const children = execFileSync("pgrep", ["-P", String(serverPid)], { encoding: "utf8" });
  for (const pid of [serverPid, ...children.trim().split("\n")]) on("0", pid);
  on(`1-${cpus().length - 1}`, process.pid);
}
