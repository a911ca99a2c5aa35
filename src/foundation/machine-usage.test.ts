// Sample texts of /proc, and a busy loop in another process that a real reading must show.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { isFull } from "../../test/support/lanes.js";
import {
  machineUsage,
  parseCpuList,
  parseCpuTimes,
  parseProcessStat,
  ticksOfTree,
  usageBetween,
} from "./machine-usage.js";

const STAT = `cpu  30 0 30 300 0 9 9 20 0 0
cpu0 10 1 10 100 5 3 3 8 0 0
cpu1 20 0 20 200 0 6 6 12 0 0
intr 123`;

describe("usage of the machine", () => {
  it("counts only processors that the process may use, and interrupts as time of no process", () => {
    expect(parseCpuTimes(STAT, new Set([0]))).toEqual({
      totalTicks: 140,
      busyTicks: 21,
      stealTicks: 8,
      ioWaitTicks: 5,
    });
    expect(parseCpuTimes(STAT, new Set([0, 1]))).toEqual({
      totalTicks: 404,
      busyTicks: 61,
      stealTicks: 20,
      ioWaitTicks: 5,
    });
  });

  it("reads lists of processors", () => {
    expect(parseCpuList("0-2,5\n")).toEqual([0, 1, 2, 5]);
    expect(parseCpuList("7")).toEqual([7]);
  });

  it("reads a process with spaces and parentheses in its name", () => {
    const line = `42 (a (b) c) S 7 ${new Array(9).fill(0).join(" ")} 10 20 3 4 20 0 1`;
    expect(parseProcessStat(line)).toEqual({
      pid: 42,
      parent: 7,
      ticks: 37,
      reapedTicks: 7,
      isKernelThread: false,
    });
    expect(parseProcessStat("")).toBeUndefined();
  });

  it("recognises a kernel thread by its flags", () => {
    const line = "14 (ksoftirqd/0) S 2 0 0 0 -1 69238848 0 0 0 0 0 5 0 0 20 0 1";
    expect(parseProcessStat(line)).toEqual({
      pid: 14,
      parent: 2,
      ticks: 5,
      reapedTicks: 0,
      isKernelThread: true,
    });
  });

  it("counts descendants as own processes, each once, and no other process", () => {
    const tree = [
      { pid: 10, parent: 1, ticks: 1 },
      { pid: 11, parent: 10, ticks: 2 },
      { pid: 12, parent: 11, ticks: 4 },
      { pid: 13, parent: 1, ticks: 100 },
    ].map((each) => ({ ...each, reapedTicks: 0, isKernelThread: false }));
    expect(ticksOfTree(tree, 10)).toBe(7);
    expect(ticksOfTree(tree, 10, 12, 13), "each once").toBe(107);
  });

  it("returns time of other processes and stolen time as shares", () => {
    const before = { totalTicks: 0, busyTicks: 0, stealTicks: 0, ioWaitTicks: 0, ownTicks: 0 };
    const after = { totalTicks: 1000, busyTicks: 600, stealTicks: 50, ioWaitTicks: 100, ownTicks: 400 };
    expect(usageBetween(before, after)).toEqual({ stealRatio: 0.05, otherCpuRatio: 0.2, ioWaitRatio: 0.1 });
    expect(usageBetween(before, before)).toBeUndefined();
  });

  it.runIf(process.platform === "linux")("counts a busy child as own time", async () => {
    const before = machineUsage();
    const child = spawn(process.execPath, ["-e", "for (let i = 0, x = 0; i < 2e8; i++) x += i % 7"]);
    await once(child, "exit");
    const after = machineUsage();
    if (!before || !after) throw new Error("Linux tells");
    expect(after.ownTicks - before.ownTicks).toBeGreaterThan(10);
    expect(after.busyTicks - before.busyTicks).toBeGreaterThan(10);
  });

  it.runIf(process.platform === "linux").each([
    ["a child", "(WORK)"],
    ["a parent's first child", "(WORK; (WORK); :)"],
  ])("counts all time of %s that ends during the reading", async (_, child) => {
    const children = isFull ? 40 : 15;
    const work = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done";
    const script = `for n in $(seq ${children}); do ${child.replaceAll("WORK", work)}; done`;
    const shell = spawn("sh", ["-c", script]);
    const ended = once(shell, "exit");
    const seen = [0];
    while (shell.exitCode === null) {
      const { processes } = machineUsage() ?? { processes: [] };
      const isThere = processes.some(({ pid }) => pid === shell.pid);
      if (isThere) seen.push(ticksOfTree(processes, shell.pid ?? 0));
      await new Promise(setImmediate);
    }
    await ended;
    expect(seen.length).toBeGreaterThan(children);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });
});
