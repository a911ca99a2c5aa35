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
  ["in no cgroup, yes", { ...ON, [GROUPS]: "0::/\n" }, true],
  [
    "in a cgroup without a processor controller, yes",
    { ...ON, [GROUPS]: "0::/user.slice/session-1.scope\n" },
    true,
  ],
  [
    "in a memory cgroup of version 1, yes",
    { ...ON, [GROUPS]: "4:memory:/app\n1:cpu,cpuacct:/\n0::/\n" },
    true,
  ],
  [
    "in a processor cgroup of version 1, no",
    { ...ON, [GROUPS]: "4:memory:/\n1:cpu,cpuacct:/app\n0::/\n" },
    false,
  ],
  [
    "below a processor cgroup of version 2, no",
    { ...ON, [GROUPS]: "0::/a.slice/b\n", "sys/fs/cgroup/a.slice/cpu.weight": "100" },
    false,
  ],
  ["in a container, no", { ...ON, [GROUPS]: "0::/\n", "sys/fs/cgroup/cpu.weight": "100" }, false],
  ["with autogroup switched off, no", { [SWITCH]: "0\n", [GROUPS]: "0::/\n" }, false],
  ["without autogroup, no", {}, false],
])("the kernel shares processors by session: %s", (_, files, shares) => {
  place(files);
  expect(sharesBySession(root)).toBe(shares);
});
