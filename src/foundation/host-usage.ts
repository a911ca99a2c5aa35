// Counters of CPU time by program (database, poolers, train-sim, others) and of disk traffic, from /proc. Two readings make a
// difference. Disk counters are the machine's: a process's writes reach the disk later, and ended backends have no /proc entry.
import { readdirSync } from "node:fs";
import { machineUsage, readOrNothing, ticksOfTree, treeOf, type ProcessTicks } from "./machine-usage.js";
import { processCpuSeconds } from "./process-usage.js";

/** Milliseconds of a tick, the resolution of /proc: USER_HZ is 100 on every platform of Node. */
const TICK_MS = 10;
/** Bytes of a sector in /proc/diskstats, the same for every disk. */
const SECTOR_BYTES = 512;

/** Context switches of a process: to wait for something, and to leave the processor to another. */
export interface ContextSwitches {
  readonly voluntary: number;
  readonly involuntary: number;
}

/** Usage of this machine: milliseconds of CPU, and bytes. Unknown values are left out. */
export interface HostUsage {
  /** CPU time of this process and of the agents on this machine. */
  readonly clientCpuMs?: number;
  /** CPU time of the postmaster and its backends, ended ones included. */
  readonly serverCpuMs?: number;
  readonly poolerCpuMs?: number;
  /** CPU time of all programs other than train-sim, its children and the server. */
  readonly otherCpuMs?: number;
  readonly diskReadBytes?: number;
  readonly diskWriteBytes?: number;
  /** Time that all requests to the disks have taken together, in their queues and in service. */
  readonly diskRequestMs?: number;
  /** Context switches of each running process of the server, by process id. */
  readonly serverSwitches?: ReadonlyMap<number, ContextSwitches>;
  /** CPU milliseconds of each backend asked for that still runs, by process id. */
  readonly backendMs?: ReadonlyMap<number, number>;
  /** CPU milliseconds of each program asked for that still runs, its descendants included, by process id. */
  readonly programMs?: ReadonlyMap<number, number>;
}

export interface HostProcesses {
  /** Process id of the postmaster, if it runs on this machine; disks are read only if it is given. */
  readonly serverPid?: number;
  readonly poolerPids: readonly number[];
  /**
   * Process ids of agents on this machine. If an agent has ended, the CPU time of agents and of other programs is unknown.
   */
  readonly agentPids?: readonly number[];
  /** Process ids, on this machine, of backends whose CPU time is reported one by one. */
  readonly backendPids?: readonly number[];
  /** Process ids of programs that do the workload's work, whose CPU time is reported one by one. */
  readonly programPids?: readonly number[];
}

/** Matches block devices that are no disks, or whose traffic other devices count already. */
const NON_DISK_DEVICE = /^(loop|ram|zram|dm-|md|drbd|bcache|sr|fd)\d*/;

/**
 * Bytes and request times of whole disks, from /proc/diskstats; `blockDevices` are the names in /sys/block, which lists no
 * partitions.
 */
export function parseDiskStats(
  diskstats: string,
  blockDevices: readonly string[],
): { readBytes: number; writeBytes: number; requestMs: number } | undefined {
  const disks = new Set(blockDevices.filter((name) => !NON_DISK_DEVICE.test(name)));
  const rows = diskstats
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , name]) => name !== undefined && disks.has(name));
  if (rows.length === 0) return undefined;
  const sum = (column: number): number => rows.reduce((all, row) => all + Number(row[column] ?? 0), 0);
  return { readBytes: sum(5) * SECTOR_BYTES, writeBytes: sum(9) * SECTOR_BYTES, requestMs: sum(13) };
}

/** Context switches from the text of /proc/<pid>/status; undefined if it has none. */
export function parseSwitches(status: string): ContextSwitches | undefined {
  const [voluntary, involuntary] = ["voluntary", "nonvoluntary"].map(
    (kind) => new RegExp(`^${kind}_ctxt_switches:\\s*(\\d+)`, "m").exec(status)?.[1],
  );
  if (voluntary === undefined || involuntary === undefined) return undefined;
  return { voluntary: Number(voluntary), involuntary: Number(involuntary) };
}

/** Context switches of a process and its descendants, by process id. */
function switchesOfTree(processes: readonly ProcessTicks[], root: number): Map<number, ContextSwitches> {
  const readings = treeOf(processes, [root]).map(
    ({ pid }) => [pid, parseSwitches(readOrNothing(`/proc/${pid}/status`))] as const,
  );
  return new Map(readings.flatMap(([pid, switches]) => (switches ? [[pid, switches]] : [])));
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

/** CPU milliseconds of the roots and their descendants; undefined without roots, or if a root has ended. */
function treesCpuMs(processes: readonly ProcessTicks[], roots: readonly number[]): number | undefined {
  if (roots.length === 0 || !roots.every((root) => processes.some(({ pid }) => pid === root)))
    return undefined;
  return roots.reduce((sum, root) => sum + ticksOfTree(processes, root), 0) * TICK_MS;
}

/**
 * Reads the usage of all processes except the kernel's threads. Takes 0.4 ms of CPU time for 30 processes, and 16 us more
 * for each process of the server.
 */
export function hostUsage({
  serverPid,
  poolerPids,
  agentPids = [],
  backendPids = [],
  programPids = [],
}: HostProcesses): HostUsage {
  const ownCpuMs = processCpuSeconds() * 1000;
  const machine = machineUsage([...(serverPid === undefined ? [] : [serverPid]), ...agentPids]);
  if (!machine) return { clientCpuMs: ownCpuMs };
  const agents = machine.processes.filter(({ pid }) => agentPids.includes(pid));
  const areAllAgentsRunning = agents.length === agentPids.length;
  // Child processes of agents are left out: they are poolers, which are counted separately.
  const agentsTicks = agents.reduce((sum, { ticks, reapedTicks }) => sum + ticks - reapedTicks, 0);
  const serverCpuMs = treesCpuMs(machine.processes, serverPid === undefined ? [] : [serverPid]);
  const poolerCpuMs = treesCpuMs(machine.processes, poolerPids);
  const disks = serverPid === undefined ? undefined : diskUsage();
  const serverSwitches = serverPid === undefined ? undefined : switchesOfTree(machine.processes, serverPid);
  const backends = machine.processes.filter(
    ({ pid, parent }) => parent === serverPid && backendPids.includes(pid),
  );
  const areBackendsSeen = backends.length > 0 || backendPids.length === 0;
  const programs = machine.processes.filter(({ pid }) => programPids.includes(pid));
  return {
    ...(areAllAgentsRunning && {
      clientCpuMs: ownCpuMs + agentsTicks * TICK_MS,
      otherCpuMs: (machine.busyTicks - machine.ownTicks) * TICK_MS,
    }),
    ...(areBackendsSeen && { backendMs: new Map(backends.map(({ pid, ticks }) => [pid, ticks * TICK_MS])) }),
    ...(programs.length > 0 && {
      programMs: new Map(programs.map(({ pid }) => [pid, ticksOfTree(machine.processes, pid) * TICK_MS])),
    }),
    ...(serverCpuMs !== undefined && { serverCpuMs }),
    ...(poolerCpuMs !== undefined && { poolerCpuMs }),
    ...(disks && {
      diskReadBytes: disks.readBytes,
      diskWriteBytes: disks.writeBytes,
      diskRequestMs: disks.requestMs,
    }),
    ...(serverSwitches && serverSwitches.size > 0 && { serverSwitches }),
  };
}
