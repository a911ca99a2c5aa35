// One file after the other, of which only sums are kept. No content of a file makes reading fail, and every line is
// counted.
import { UsageError } from "../foundation/errors.js";
import { type LogFile, readLines } from "../results/log-reader.js";
import type { LogFilter } from "./log-filter.js";
import { LogNames } from "./names.js";
import { type FileReport, LOG_REPORT_VERSION, type LogReport, type TrialLogReport } from "./log-report.js";
import { LINE_PROBLEMS, type LineProblem, parseLogLine } from "../results/log-lines.js";
import { TrialFold } from "./trial-fold.js";

const PROBLEM_EXAMPLES_MAX = 3;

export class LogFold {
  private readonly trials = new Map<number, TrialFold>();
  private readonly problems = Object.fromEntries(LINE_PROBLEMS.map((problem) => [problem, 0])) as Record<
    LineProblem,
    number
  >;
  private readonly examples: { line: number; problem: LineProblem; reason: string }[] = [];
  private lines = 0;
  private understood = 0;
  private blank = 0;

  constructor(
    private readonly path: string,
    private readonly filter: LogFilter,
    private readonly slowestMost: number,
    private readonly names = new LogNames(),
    private readonly operations?: readonly string[],
  ) {}

  /** `isCut` is true for text after the last end of a line. Throws only if the filter cannot be applied. */
  add(text: string, isCut = false): void {
    this.lines++;
    if (text.trim() === "") {
      this.blank++;
      return;
    }
    const parsed = parseLogLine(text);
    if ("problem" in parsed) {
      const isLineTruncated = isCut && parsed.problem === "broken";
      this.note(isLineTruncated ? "truncated" : parsed.problem, parsed.reason);
      return;
    }
    const { line } = parsed;
    const { trials } = this.filter;
    const problem =
      trials && !trials.includes(line.trial) ? undefined : this.trial(line.trial, line.treatment).add(line);
    if (problem !== undefined) this.note("malformed", problem);
    else this.understood++;
  }

  get file(): FileReport {
    const { path, lines, understood, blank, problems, examples } = this;
    return { path, lines, understood, blank, problems, examples };
  }

  /** Reports by trial number. */
  reports(): TrialLogReport[] {
    return [...this.trials.values()].sort((a, b) => a.number - b.number).map((trial) => trial.report());
  }

  private trial(number: number, treatment: string): TrialFold {
    let trial = this.trials.get(number);
    if (!trial) {
      trial = new TrialFold(
        number,
        treatment,
        this.path,
        this.filter,
        this.slowestMost,
        this.names,
        this.operations,
      );
      this.trials.set(number, trial);
    }
    return trial;
  }

  private note(problem: LineProblem, reason: string): void {
    this.problems[problem]++;
    if (this.examples.length < PROBLEM_EXAMPLES_MAX)
      this.examples.push({ line: this.lines, problem, reason });
  }
}

/** `slowestMost` is the number of slowest transactions that are kept for each trial. */
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
  names.requireKnownNames(filter);
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
  const areLogsEmpty = files.every(({ lines, blank }) => lines === blank);
  throw new UsageError(
    areLogsEmpty ? `${what}: nothing was logged` : `${what}: no line is from a train-sim log`,
    areLogsEmpty
      ? "The scenario's log.level may be silent."
      : `Line ${first.examples[0]?.line ?? 1}: ${first.examples[0]?.reason ?? "it is blank"}.`,
  );
}
