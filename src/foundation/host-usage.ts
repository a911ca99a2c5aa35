// Counters of CPU time by program (database, poolers, train-sim, others) and of disk traffic, from /proc. Two readings make a
// difference. Disk counters are the machine's: a process's writes reach the disk later, and ended backends have no /proc entry.
import { readdirSync } from "node:fs";
import { machineUsage, readOrNothing, ticksOfTree, type ProcessTicks } from "./machine-usage.js";
import { processCpuSeconds } from "./process-usage.js";

/** Resolution of /proc: USER_HZ, which is 100 on every platform of Node. */
const TICK_MS = 10;
/** Unit of /proc/diskstats for every disk. */
const SECTOR_BYTES = 512;

/** Milliseconds of CPU and bytes. Unknown values are omitted. */
export interface HostUsage {
  /** This process and agents on this machine. */
  readonly clientCpuMs?: number;
  /** Postmaster and backends, including ended ones. */
  readonly serverCpuMs?: number;
  readonly poolerCpuMs?: number;
  /** All programs other than train-sim, its children and the server. */
  readonly otherCpuMs?: number;
  readonly diskReadBytes?: number;
  readonly diskWriteBytes?: number;
  /** CPU milliseconds of each requested backend that runs. */
  readonly backendMs?: ReadonlyMap<number, number>;
}

export interface HostProcesses {
  /** Postmaster on this machine; disks are read only if it is given. */
  readonly serverPid?: number;
  readonly poolerPids: readonly number[];
  /** Agents on this machine. When one has ended, their CPU time and that of other programs are unknown. */
  readonly agentPids?: readonly number[];
  /** Backends to report one by one, by their ids on this machine. */
  readonly backendPids?: readonly number[];
}

/** Block devices that are no disk, or whose traffic other devices count already. */
const NO_DISK = /^(loop|ram|zram|dm-|md|drbd|bcache|sr|fd)\d*/;

/** Sums of /proc/diskstats over whole disks; `blockDevices` are the names in /sys/block, which lists no partitions. */
export function parseDiskStats(
  diskstats: string,
  blockDevices: readonly string[],
): { readBytes: number; writeBytes: number } | undefined {
  const disks = new Set(blockDevices.filter((name) => !NO_DISK.test(name)));
  const rows = diskstats
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , name]) => name !== undefined && disks.has(name));
  if (rows.length === 0) return undefined;
  const bytes = (column: number): number =>
    rows.reduce((sum, row) => sum + Number(row[column] ?? 0) * SECTOR_BYTES, 0);
  return { readBytes: bytes(5), writeBytes: bytes(9) };
}

function blockDevices(): string[] {
  try {
    return readdirSync("/sys/block");
  } catch {
    return []; // no Linux, or a sandbox
  }
}

export function diskUsage(): ReturnType<typeof parseDiskStats> {
  return parseDiskStats(readOrNothing("/proc/diskstats"), blockDevices());
}

/** CPU milliseconds of processes and their descendants; undefined without roots, or if a root has ended. */
function treesMs(processes: readonly ProcessTicks[], roots: readonly number[]): number | undefined {
  if (roots.length === 0 || !roots.every((root) => processes.some(({ pid }) => pid === root)))
    return undefined;
  return roots.reduce((sum, root) => sum + ticksOfTree(processes, root), 0) * TICK_MS;
}

/** Reads all processes except the kernel's threads. Takes 0.4 ms of CPU time for 30 processes. */
export function hostUsage({
  serverPid,
  poolerPids,
  agentPids = [],
  backendPids = [],
}: HostProcesses): HostUsage {
  const ownCpuMs = processCpuSeconds() * 1000;
  const machine = machineUsage([...(serverPid === undefined ? [] : [serverPid]), ...agentPids]);
  if (!machine) return { clientCpuMs: ownCpuMs };
  const agents = machine.processes.filter(({ pid }) => agentPids.includes(pid));
  const areAgentsThere = agents.length === agentPids.length;
  // Agents without their child processes: poolers are counted separately.
  const agentsTicks = agents.reduce((sum, { ticks, reapedTicks }) => sum + ticks - reapedTicks, 0);
  const serverCpuMs = treesMs(machine.processes, serverPid === undefined ? [] : [serverPid]);
  const poolerCpuMs = treesMs(machine.processes, poolerPids);
  const disks = serverPid === undefined ? undefined : diskUsage();
  const backends = machine.processes.filter(
    ({ pid, parent }) => parent === serverPid && backendPids.includes(pid),
  );
  const areSeen = backends.length > 0 || backendPids.length === 0;
  return {
    ...(areAgentsThere && {
      clientCpuMs: ownCpuMs + agentsTicks * TICK_MS,
      otherCpuMs: (machine.busyTicks - machine.ownTicks) * TICK_MS,
    }),
    ...(areSeen && { backendMs: new Map(backends.map(({ pid, ticks }) => [pid, ticks * TICK_MS])) }),
    ...(serverCpuMs !== undefined && { serverCpuMs }),
    ...(poolerCpuMs !== undefined && { poolerCpuMs }),
    ...(disks && { diskReadBytes: disks.readBytes, diskWriteBytes: disks.writeBytes }),
  };
}
