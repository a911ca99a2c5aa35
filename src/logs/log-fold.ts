// Nothing that a file holds makes it fail, and no line goes by uncounted.
import { LINE_PROBLEMS, parseLogLine, type LineProblem } from "../results/log-lines.js";
import type { LogFilter } from "./log-filter.js";
import type { FileReport, TrialLogReport } from "./log-report.js";
import { LogNames } from "./names.js";
import { TrialFold } from "./trial-fold.js";

const EXAMPLES_MAX = 3;

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

  /** `isCut` is said of what follows the last end of a line. Throws only where the filter cannot be applied. */
  add(text: string, isCut = false): void {
    this.lines++;
    if (text.trim() === "") {
      this.blank++;
      return;
    }
    const parsed = parseLogLine(text);
    if ("problem" in parsed) {
      const isTruncated = isCut && parsed.problem === "broken";
      this.note(isTruncated ? "truncated" : parsed.problem, parsed.reason);
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

  /** By number. */
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
    if (this.examples.length < EXAMPLES_MAX) this.examples.push({ line: this.lines, problem, reason });
  }
}
