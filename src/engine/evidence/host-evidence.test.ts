// Facts about this machine that are reported, and facts that are named as missing, by the kind of server and pooler.
import { describe, expect, it } from "vitest";
import type { HostProcesses, HostUsage } from "../../foundation/host-usage.js";
import { HostSource } from "./host-evidence.js";
import { DATABASE_EVIDENCE } from "../../workloads/evidence.js";
import { windowFigures } from "./window-figures.js";
import { WindowSums } from "./window-sums.js";

/** A machine that answers every question, with all times at `ms`. */
const machineAt =
  (ms: number) =>
  ({ serverPid, poolerPids }: HostProcesses): HostUsage => ({
    clientCpuMs: ms,
    otherCpuMs: ms,
    ...(serverPid !== undefined && {
      serverCpuMs: ms,
      diskReadBytes: ms,
      diskWriteBytes: 2 * ms,
      diskRequestMs: 3 * ms,
    }),
    ...(poolerPids.length > 0 && { poolerCpuMs: ms }),
  });

const INSTANCE = { shutDown: () => Promise.resolve(), start: () => Promise.resolve() };

const EMBEDDED = { kind: "embedded", serverPid: 4711 } as const;

describe("the host source", () => {
  it("states CPU seconds and disk bytes of the window", async () => {
    let ms = 1000;
    const source = new HostSource(
      EMBEDDED,
      { pids: [4712], instances: [INSTANCE] },
      {},
      (processes) => machineAt(ms)(processes),
      () => ms,
    );
    const sums = new WindowSums();
    sums.open(await source.sample(), 0);
    ms = 3500;
    const rates = sums.sample(await source.sample(), 5000);
    sums.close(await source.sample());
    expect(source.skipped).toEqual([]);
    expect(rates["host.serverCpuMs"]).toBe(500);
    expect(windowFigures(sums, DATABASE_EVIDENCE)).toEqual({
      serverCpuSeconds: 2.5,
      poolerCpuSeconds: 2.5,
      diskReadBytes: 2500,
      diskWriteBytes: 5000,
      diskQueue: { mean: 3, max: 3 },
    });
  });

  it("adds up the CPU time of programs, also after one was replaced", async () => {
    let programMs = new Map([[10, 500]]);
    const source = new HostSource(EMBEDDED, undefined, { programs: () => [10, 11] }, () => ({ programMs }));
    const { "host.programCpuMs": atFirst = 0 } = await source.sample();
    programMs = new Map([[10, 700]]);
    await source.sample();
    programMs = new Map([[11, 40]]);
    const { "host.programCpuMs": atLast = 0 } = await source.sample();
    expect(atLast - atFirst).toBe(200 + 40);
  });

  it("adds up context switches of each server process, also after another process ended", async () => {
    let voluntary: Readonly<Record<number, number>> = { 4711: 100, 4712: 10_000 };
    const source = new HostSource(EMBEDDED, undefined, {}, () => ({
      clientCpuMs: 1,
      serverSwitches: new Map(
        Object.entries(voluntary).map(([pid, each]) => [
          Number(pid),
          { voluntary: each, involuntary: 2 * each },
        ]),
      ),
    }));
    const sums = new WindowSums();
    sums.open(await source.sample(), 0);
    voluntary = { 4711: 130, 4713: 40 };
    sums.sample(await source.sample(), 1000);
    // The id of an ended process comes again.
    voluntary = { 4711: 130, 4713: 5 };
    sums.close(await source.sample());
    expect(windowFigures(sums, DATABASE_EVIDENCE)).toEqual({
      voluntarySwitches: 30 + 40 + 5,
      involuntarySwitches: 2 * (30 + 40 + 5),
    });
  });

  it.each(["container", "url"] as const)(
    "omits the server of a %s target and lists the server as skipped",
    async (kind) => {
      const source = new HostSource({ kind }, { pids: [], instances: [] }, {}, machineAt(1));
      expect(Object.keys(await source.sample()).sort()).toEqual(["host.clientCpuMs", "host.otherCpuMs"]);
      expect(source.skipped.map((skipped) => skipped.source)).toEqual([
        "CPU of the server, disks",
        "CPU of the pooler",
      ]);
    },
  );

  it("omits CPU time of poolers if a pooler runs elsewhere, and states the number of such poolers", async () => {
    const poolers = { pids: [4712], instances: [INSTANCE, INSTANCE] };
    const source = new HostSource(EMBEDDED, poolers, {}, machineAt(1));
    expect(Object.keys(await source.sample())).not.toContain("host.poolerCpuMs");
    expect(source.skipped).toEqual([{ source: "CPU of the pooler", reason: "1 of 2 run on other machines" }]);
  });

  it("lists as skipped a platform without /proc, and disks without counters", () => {
    const bare = new HostSource(EMBEDDED, undefined, {}, () => ({ clientCpuMs: 1 }));
    expect(bare.skipped.map((skipped) => skipped.source)).toEqual(["CPU and disks"]);
    const diskless = new HostSource(EMBEDDED, undefined, {}, () => ({
      clientCpuMs: 1,
      otherCpuMs: 1,
      serverCpuMs: 1,
    }));
    expect(diskless.skipped.map((skipped) => skipped.source)).toEqual(["disks"]);
  });
});
