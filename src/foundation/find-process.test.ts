// Processes found by the ids that they have inside a namespace, as in a container.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { wallClockMs } from "./clock.js";
import { findProcess } from "./find-process.js";

describe.runIf(process.platform === "linux")("a process of this machine", () => {
  const beganSeconds = wallClockMs() / 1000 - process.uptime();

  it("is found by its id and start time", () => {
    expect(findProcess(process.pid, beganSeconds)).toEqual({ pid: process.pid, parent: process.ppid });
  });

  it("is not found by its id with another start time", () => {
    expect(findProcess(process.pid, beganSeconds - 3600)).toBeUndefined();
  });

  it.runIf(process.getuid?.() === 0)("is found by its id within a container's namespace", async () => {
    const script =
      "const p = process; p.stdout.write(p.pid + ' ' + (Date.now() / 1000 - p.uptime())); setInterval(() => 0, 1000)";
    const inside = spawn("unshare", ["--pid", "--fork", "--kill-child", process.execPath, "-e", script]);
    try {
      const [output] = (await once(inside.stdout, "data")) as [Buffer];
      const [pid = 0, began = 0] = output.toString().split(" ").map(Number);
      expect(pid).toBe(1);
      expect(findProcess(pid, began)).toMatchObject({ parent: inside.pid });
    } finally {
      inside.kill("SIGKILL");
    }
  });
});
