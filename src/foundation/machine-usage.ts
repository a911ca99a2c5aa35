// CPU time of the whole machine and of train-sim with its servers and poolers, from /proc; no readings elsewhere. Only processors
// that this process may use count.
import { readdirSync, readFileSync } from "node:fs";

/** Processor time of this machine since its start, in clock ticks. */
export interface MachineUsage {
  readonly totalTicks: number;
  /** Ticks of programs in user and kernel mode, without interrupts. */
  readonly busyTicks: number;
  readonly stealTicks: number;
  /** Ticks in which processors were idle while storage was awaited. */
  readonly ioWaitTicks: number;
  /** Ticks of this process, the server and their descendants, ended ones included. */
  readonly ownTicks: number;
}

export function parseCpuList(text: string): number[] {
  return text
    .trim()
    .split(",")
    .flatMap((part) => {
      const [first = Number.NaN, last = first] = part.split("-").map(Number);
      return Number.isNaN(first) ? [] : Array.from({ length: last - first + 1 }, (_, i) => first + i);
    });
}

export function parseCpuTimes(stat: string, allowed: ReadonlySet<number>): Omit<MachineUsage, "ownTicks"> {
  const sums = { totalTicks: 0, busyTicks: 0, stealTicks: 0, ioWaitTicks: 0 };
  for (const [, cpu, rest = ""] of stat.matchAll(/^cpu(\d+) (.*)$/gm)) {
    if (!allowed.has(Number(cpu))) continue;
    // Guest time, the field that follows, is already a part of user time.
    const [user = 0, nice = 0, system = 0, idle = 0, ioWait = 0, irq = 0, softIrq = 0, steal = 0] = rest
      .trim()
      .split(/\s+/)
      .map(Number);
    sums.totalTicks += user + nice + system + idle + ioWait + irq + softIrq + steal;
    sums.busyTicks += user + nice + system;
    sums.stealTicks += steal;
    sums.ioWaitTicks += ioWait;
  }
  return sums;
}

export interface ProcessTicks {
  readonly pid: number;
  readonly parent: number;
  /** Ticks of the process and of its ended children that it has waited for. */
  readonly ticks: number;
  /** Part of `ticks` that belongs to ended children. */
  readonly reapedTicks: number;
  readonly isKernelThread: boolean;
}

/** Flag PF_KTHREAD in /proc/<pid>/stat, which marks a kernel thread. */
const KERNEL_THREAD_FLAG = 0x0020_0000;

/** Number of fields to read: from the process's state to the time of waited-for children. */
const STAT_FIELDS_READ = 15;

/** Parses a line of `/proc/<pid>/stat`; the name in it may contain spaces and brackets. */
export function parseProcessStat(stat: string): ProcessTicks | undefined {
  const match = /^(\d+) \(.*\) (.*)$/s.exec(stat.trim());
  if (!match) return undefined;
  const fields = (match[2] ?? "").split(" ", STAT_FIELDS_READ).map(Number);
  const [, parent = Number.NaN, , , , , flags = 0] = fields;
  const [user = Number.NaN, system = 0, reapedUser = 0, reapedSystem = 0] = fields.slice(11);
  const reapedTicks = reapedUser + reapedSystem;
  const ticks = user + system + reapedTicks;
  if (Number.isNaN(parent + ticks)) return undefined;
  return {
    pid: Number(match[1]),
    parent,
    ticks,
    reapedTicks,
    isKernelThread: (flags & KERNEL_THREAD_FLAG) !== 0,
  };
}

export function treeOf(processes: readonly ProcessTicks[], roots: readonly number[]): ProcessTicks[] {
  const children = new Map<number, ProcessTicks[]>();
  for (const each of processes) {
    const siblings = children.get(each.parent);
    if (siblings) siblings.push(each);
    else children.set(each.parent, [each]);
  }
  const reached = new Set(processes.filter(({ pid }) => roots.includes(pid)));
  for (const { pid } of reached) for (const child of children.get(pid) ?? []) reached.add(child);
  return [...reached];
}

/** Ticks of the root processes and all their descendants. */
export function ticksOfTree(processes: readonly ProcessTicks[], ...roots: readonly number[]): number {
  return treeOf(processes, roots).reduce((sum, { ticks }) => sum + ticks, 0);
}

export function readOrNothing(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // a process that has just ended, or no Linux
  }
}

/** Ids of kernel threads in the last listing. A small machine runs mostly kernel threads, and each is read only once. */
let kernelThreads: ReadonlySet<string> = new Set();

function readProcess(pid: number | string): ProcessTicks | undefined {
  return parseProcessStat(readOrNothing(`/proc/${pid}/stat`));
}

interface ProcessListing {
  readonly processes: readonly ProcessTicks[];
  /** True if a listed process had ended before it was read. */
  readonly hasMissedProcess: boolean;
}

function readProcesses(): ProcessListing {
  const processes: ProcessTicks[] = [];
  const threads = new Set<string>();
  let hasMissedProcess = false;
  const processNames = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  for (const pid of processNames.sort((a, b) => Number(a) - Number(b))) {
    const process = kernelThreads.has(pid) ? "kernel thread" : readProcess(pid);
    if (process === undefined) hasMissedProcess = true;
    else if (process === "kernel thread" || process.isKernelThread) threads.add(pid);
    else processes.push(process);
  }
  kernelThreads = threads;
  return { processes, hasMissedProcess };
}

/** Maximum number of attempts at a complete reading. The last attempt counts even if processes end during it. */
const READINGS_MAX = 4;

/**
 * All processes, with the trees of `roots` read consistently: the time of a child must count once, either with its parent's
 * or alone.
 */
function readConsistentProcesses(roots: readonly number[]): readonly ProcessTicks[] {
  for (let reading = 1; ; reading++) {
    const { processes, hasMissedProcess } = readProcesses();
    const parents = new Set(processes.map(({ parent }) => parent));
    const processesToVerify = treeOf(processes, roots).filter(
      ({ pid, parent, reapedTicks }) =>
        hasMissedProcess || reapedTicks > 0 || parents.has(pid) || pid < parent,
    );
    const isWhole = processesToVerify.every(
      ({ pid, reapedTicks }) => readProcess(pid)?.reapedTicks === reapedTicks,
    );
    if (isWhole || reading === READINGS_MAX) return processes;
  }
}

/** Process ids of `root` and its descendants, parents first; empty if the root has ended. Throws without /proc. */
export function processTree(root: number): number[] {
  const { processes } = readProcesses();
  const below = (pid: number): number[] => [
    pid,
    ...processes.filter(({ parent }) => parent === pid).flatMap((child) => below(child.pid)),
  ];
  return processes.some(({ pid }) => pid === root) ? below(root) : [];
}

/** True if a process runs. A zombie, which stays in /proc until its parent waits for it, does not count. */
export function isAlive(pid: number): boolean {
  const [, state] = /\) (\S)/.exec(readOrNothing(`/proc/${pid}/stat`)) ?? [];
  return state !== undefined && state !== "Z";
}

export type MachineReading = MachineUsage & { readonly processes: readonly ProcessTicks[] };

/**
 * Reads the machine's processor time; undefined if the platform does not report it. `servers` and their descendants count
 * as train-sim's.
 */
export function machineUsage(servers: readonly number[] = []): MachineReading | undefined {
  const stat = readOrNothing("/proc/stat");
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readOrNothing("/proc/self/status"))?.[1];
  if (stat === "" || list === undefined) return undefined;
  const roots = [process.pid, ...servers];
  const processes = readConsistentProcesses(roots);
  const ownTicks = ticksOfTree(processes, ...roots);
  return { ...parseCpuTimes(stat, new Set(parseCpuList(list))), ownTicks, processes };
}

/** Shares of processor time between two readings; undefined if no time passed between them. */
export function usageBetween(
  before: MachineUsage,
  after: MachineUsage,
): { stealRatio: number; otherCpuRatio: number; ioWaitRatio: number } | undefined {
  const total = after.totalTicks - before.totalTicks;
  if (total <= 0) return undefined;
  const others = after.busyTicks - before.busyTicks - (after.ownTicks - before.ownTicks);
  const ratio = (ticks: number): number => Math.min(1, Math.max(0, ticks / total));
  return {
    stealRatio: ratio(after.stealTicks - before.stealTicks),
    otherCpuRatio: ratio(others),
    ioWaitRatio: ratio(after.ioWaitTicks - before.ioWaitTicks),
  };
}
