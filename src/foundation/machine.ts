// What machine this is, as far as it bears on a measurement: cores, memory, platform, load, and how many files a
// process may hold open, which bounds how many clients it can carry.
// Read once a run, never on the hot path.
import { availableParallelism, cpus, loadavg, platform, release, totalmem } from "node:os";
import { z } from "zod";

export interface MachineFacts {
  readonly platform: string;
  readonly cpuModel: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly nodeVersion: string;
  /** Runnable processes averaged over the last minute when it was asked; 0 on platforms without it. */
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

const DiagnosticReport = z.object({
  userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.string()]) }) }).optional(),
});

/** The soft limit of open files of this process; Infinity where there is none or the platform tells none. */
export function openFilesLimit(): number {
  const report = process.report as unknown as { excludeNetwork?: boolean } & NodeJS.ProcessReport;
  report.excludeNetwork = true; // else it looks names up
  const parsed = DiagnosticReport.safeParse(report.getReport());
  const soft = parsed.success ? parsed.data.userLimits?.open_files.soft : undefined;
  return typeof soft === "number" ? soft : Number.POSITIVE_INFINITY;
}
