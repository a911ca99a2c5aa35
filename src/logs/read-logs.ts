// One file after the other, of which only sums are kept. An empty file is told of; it is an error if none holds a line of a log.
import { UsageError } from "../foundation/errors.js";
import { readLines, type LogFile } from "../results/log-reader.js";
import { LogFold } from "./log-fold.js";
import type { LogFilter } from "./log-filter.js";
import { LogNames } from "./names.js";
import { LOG_REPORT_VERSION, type FileReport, type LogReport, type TrialLogReport } from "./log-report.js";

/** `slowestMost` is how many of the slowest transactions of each trial are kept. */
export async function readLogs(
  files: readonly LogFile[],
  filter: LogFilter,
  slowestMost: number,
): Promise<LogReport> {
  const read: FileReport[] = [];
  const trials: TrialLogReport[] = [];
  const names = new LogNames();
  for (const { path, trial, operations } of files) {
    if (trial !== undefined && filter.trials && !filter.trials.includes(trial)) continue;
    const fold = new LogFold(path, filter, slowestMost, names, operations);
    for await (const { lines, rest } of readLines(path)) {
      for (const line of lines) fold.add(line);
      if (rest !== undefined) fold.add(rest, true);
    }
    read.push(fold.file);
    trials.push(...fold.reports());
  }
  requireLog(read, filter);
  names.require(filter);
  return { version: LOG_REPORT_VERSION, files: read, trials };
}

function requireLog(files: readonly FileReport[], { trials }: LogFilter): void {
  if (files.some(({ understood }) => understood > 0)) return;
  const [first] = files;
  if (!first) {
    throw new UsageError(
      `there is no trial ${(trials ?? []).join(", ")}`,
      "Trials are numbered as their directories are, from 1.",
    );
  }
  const what = files.length === 1 ? first.path : `${first.path} and ${files.length - 1} more`;
  const isEmpty = files.every(({ lines, blank }) => lines === blank);
  throw new UsageError(
    isEmpty ? `${what}: nothing was logged` : `${what}: not a line of it is from a train-sim log`,
    isEmpty
      ? "The scenario's log.level may be silent."
      : `Line ${first.examples[0]?.line ?? 1}: ${first.examples[0]?.reason ?? "it is blank"}.`,
  );
}
