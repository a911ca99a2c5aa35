import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sharesBySession } from "./autogroup.js";

let root = "";
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "train-sim-autogroup-"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function place(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
}

const SWITCH = "proc/sys/kernel/sched_autogroup_enabled";
const GROUPS = "proc/self/cgroup";
const ON = { [SWITCH]: "1\n" };

test.each([
  ["in no group", { ...ON, [GROUPS]: "0::/\n" }, true],
  ["in a group without one for processors", { ...ON, [GROUPS]: "0::/user.slice/session-1.scope\n" }, true],
  ["in another group of version 1", { ...ON, [GROUPS]: "4:memory:/app\n1:cpu,cpuacct:/\n0::/\n" }, true],
  ["in a group of version 1", { ...ON, [GROUPS]: "4:memory:/\n1:cpu,cpuacct:/app\n0::/\n" }, false],
  [
    "below a group of version 2",
    { ...ON, [GROUPS]: "0::/a.slice/b\n", "sys/fs/cgroup/a.slice/cpu.weight": "100" },
    false,
  ],
  ["in a container", { ...ON, [GROUPS]: "0::/\n", "sys/fs/cgroup/cpu.weight": "100" }, false],
  ["switched off", { [SWITCH]: "0\n", [GROUPS]: "0::/\n" }, false],
  ["on a system without", {}, false],
])("sessions share the processors: %s", (_, files, shares) => {
  place(files);
  expect(sharesBySession(root)).toBe(shares);
});
