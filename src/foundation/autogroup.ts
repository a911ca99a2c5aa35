// Detects Linux's autogroup, under which a nice level counts among the processes of one session only.
import { existsSync } from "node:fs";
import path from "node:path";
import { readOrNothing } from "./machine-usage.js";

/**
 * True if a line of `/proc/self/cgroup` names a control group for processors. `groups` is the directory of all control
 * groups.
 */
function isInCpuGroup(line: string, groups: string): boolean {
  const [, controllers = "", group = "/"] = line.split(":");
  if (controllers !== "") return controllers.split(",").includes("cpu") && group !== "/";
  // The root group has no `cpu.weight`. A container sees its own group as the root.
  const parentGroups = group.split("/").map((_, i, parts) => parts.slice(0, i + 1).join("/"));
  return parentGroups.some((each) => existsSync(path.join(groups, each, "cpu.weight")));
}

/** True if nice levels do not count between sessions on this machine; `root` is the directory that holds proc and sys. */
export function sharesBySession(root = "/"): boolean {
  const read = (name: string): string => readOrNothing(path.join(root, name)).trim();
  if (read("proc/sys/kernel/sched_autogroup_enabled") !== "1") return false;
  const lines = read("proc/self/cgroup").split("\n");
  return !lines.some((line) => isInCpuGroup(line, path.join(root, "sys/fs/cgroup")));
}
