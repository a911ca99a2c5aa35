// Processors of a process, on Linux: an embedded server with separate processors leaves the others to the clients.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { TargetError } from "../../foundation/errors.js";
import { passwordlessEnvironment } from "../../foundation/process/run-command.js";

export function parseIdList(list: string): number[] {
  return list.split(",").flatMap((part) => {
    const [first = 0, last = first] = part.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

export function processorsOf(pid: number | "self"): number[] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return parseIdList(/^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? "").filter(Number.isInteger);
  } catch {
    return [];
  }
}

function pinProcess(processors: readonly number[], pid: number): void {
  execFileSync("taskset", ["-a", "-p", "-c", processors.join(","), String(pid)], {
    env: passwordlessEnvironment(),
    stdio: "pipe",
  });
}

/** Division of this machine's processors between the server and all other processes of the run. */
export interface Partition {
  /** Confines the server to its processors. Call it before the server has children, which inherit this. */
  confine(serverPid: number): void;
  /** Gives this program all of its processors back. */
  end(): void;
}

/**
 * Reserves the first `count` of this program's processors and keeps this program off them. Throws a TargetError if it
 * cannot.
 */
export function reserveProcessors(count: number): Partition {
  const all = processorsOf("self");
  if (all.length === 0)
    throw new TargetError(
      "target.processors: this system does not say which processors a process may use",
      "It needs Linux; elsewhere leave it out, or use target.nice.",
    );
  if (count >= all.length)
    throw new TargetError(
      `target.processors: ${count} of ${all.length} processors leave none for the clients`,
      "Give the server fewer, or leave target.processors out.",
    );
  const keep = (processors: readonly number[], pid: number): void => {
    try {
      pinProcess(processors, pid);
    } catch (error) {
      throw new TargetError("target.processors needs the program taskset, of util-linux", "", {
        cause: error,
      });
    }
  };
  keep(all.slice(count), process.pid);
  return { confine: (pid) => keep(all.slice(0, count), pid), end: () => keep(all, process.pid) };
}
