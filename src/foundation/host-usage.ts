// Counters of CPU time by program (database, poolers, train-sim, others) and of disk traffic, from /proc. Two readings make a
// difference. Disk counters are the machine's: a process's writes reach the disk later, and ended backends have no /proc entry.
import { readdirSync } from "node:fs";
import { machineUsage, readOrNothing, ticksOfTree, type ProcessTicks } from "./machine-usage.js";
import { processCpuSeconds } from "./process-usage.js";

/** What /proc counts in: USER_HZ, 100 on every platform that Node runs on. */
const TICK_MS = 10;
/** The unit of /proc/diskstats, whatever the disk's own. */
const SECTOR_BYTES = 512;

/** Milliseconds of CPU and bytes; what cannot be told is left out. */
export interface HostUsage {
  /** Of this process and of agents on this machine. */
  readonly clientCpuMs?: number;
  /** Postmaster and backends, ended ones included. */
  readonly serverCpuMs?: number;
  readonly poolerCpuMs?: number;
  /** Programs that are neither train-sim nor started by it, nor the server. */
  readonly otherCpuMs?: number;
  readonly diskReadBytes?: number;
  readonly diskWriteBytes?: number;
  /** CPU time of each of the backends that were asked for and are there. */
  readonly backendMs?: ReadonlyMap<number, number>;
}

export interface HostProcesses {
  /** The postmaster, where it is on this machine; disks are read only then. */
  readonly serverPid?: number;
  readonly poolerPids: readonly number[];
  /** Agents on this machine. Once one has ended, their CPU time and that of other programs are not known any more. */
  readonly agentPids?: readonly number[];
  /** Backends whose time is wanted one by one, by the ids that they have on this machine. */
  readonly backendPids?: readonly number[];
}

/** Memory, files and stacks of other devices: they would count twice, or are no disk. */
const NO_DISK = /^(loop|ram|zram|dm-|md|drbd|bcache|sr|fd)\d*/;

/** Sums over whole disks of /proc/diskstats; `blockDevices` are the names in /sys/block, which has no partitions. */
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

/** What this machine's disks moved since it started; undefined where none is shown. */
export function diskUsage(): ReturnType<typeof parseDiskStats> {
  return parseDiskStats(readOrNothing("/proc/diskstats"), blockDevices());
}

/** CPU of processes and their descendants; undefined without any, or where one of them has ended. */
function treesMs(processes: readonly ProcessTicks[], roots: readonly number[]): number | undefined {
  if (roots.length === 0 || !roots.every((root) => processes.some(({ pid }) => pid === root)))
    return undefined;
  return roots.reduce((sum, root) => sum + ticksOfTree(processes, root), 0) * TICK_MS;
}

/** Reads the state of every process but the kernel's threads: 0.4 ms of CPU time with 30 of them. */
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
  // Without their child processes: poolers are counted separately.
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
