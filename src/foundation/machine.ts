// Properties of this machine that bear on a measurement: cores, memory, load, limits of files and ports. Read once a run.
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, platform, release, totalmem } from "node:os";
import * as z from "zod";

export interface MachineFacts {
  readonly platform: string;
  readonly cpuModel: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly nodeVersion: string;
  /**
   * Number of runnable processes, averaged over the last minute before the reading; 0 if the platform does not report it.
   */
  readonly loadAverage1m: number;
}

export function machineFacts(): MachineFacts {
  return {
    platform: `${platform()} ${release()} ${process.arch}`,
    cpuModel: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    nodeVersion: process.version,
    loadAverage1m: loadavg()[0] ?? 0,
  };
}

const CLOCK_SOURCE = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

/** Name of Linux's clock source; undefined on other platforms. */
export function clockSource(file = CLOCK_SOURCE): string | undefined {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return undefined;
  }
}

/** Clock sources that a program can read without a system call. */
const QUICK_CLOCK_SOURCES = ["tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page"];

export function isQuickClockSource(source: string): boolean {
  return QUICK_CLOCK_SOURCES.includes(source);
}

const DiagnosticReport = z.object({
  userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.string()]) }) }).optional(),
});

/** Maximum number of open files of this process and its children (the hard limit); Infinity if none is stated. */
export function openFilesLimit(): number {
  const report = process.report as unknown as { excludeNetwork?: boolean } & NodeJS.ProcessReport;
  report.excludeNetwork = true; // else it looks names up
  const parsed = DiagnosticReport.safeParse(report.getReport());
  const softLimit = parsed.success ? parsed.data.userLimits?.open_files.soft : undefined;
  return typeof softLimit === "number" ? softLimit : Number.POSITIVE_INFINITY;
}

export interface ConnectionLimits {
  readonly openFiles: number;
  /** Number of local ports from which connections to one address and port can be made. */
  readonly localPorts: number;
}

export function connectionLimits(): ConnectionLimits {
  return { openFiles: openFilesLimit(), localPorts: localPortsLimit() };
}

function localPortsLimit(): number {
  try {
    const text = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8");
    const [first = Number.NaN, last = Number.NaN] = text.trim().split(/\s+/).map(Number);
    return last >= first ? last - first + 1 : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
