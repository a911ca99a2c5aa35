// `train-sim compare`: reads directories only. Ends with 99 if something surely became worse, else with 112 if a run is not judged.
import { resolve } from "node:path";
import type { Command } from "commander";
import { ExitCode, UsageError } from "../foundation/errors.js";
import { escapeControlCharacters } from "../foundation/shown.js";
import { counted } from "../foundation/units.js";
import {
  compareRuns,
  type ComparisonDocument,
  type StoredRun,
} from "../analysis/comparison/run-comparison.js";
import { historyOf } from "../analysis/history/run-history.js";
import type { Experiment } from "../scenario/settings.js";
import { renderHistory } from "../report/terminal/run-history-text.js";
import { renderRunComparison } from "../report/terminal/run-comparison-text.js";
import { runsAsCsv } from "../report/terminal/run-csv.js";
import { suitesOfComparison } from "../report/junit/comparison-suites.js";
import { renderComparisonMarkdown } from "../report/markdown/comparison-markdown.js";
import { readResult } from "../results/reader.js";
import { readRevisions } from "../results/revisions.js";
import { writeNamedFile } from "../foundation/storage.js";
import { judgedRevisions, measureRevisions, planRevisions } from "./compare-revisions.js";
import { appendValue, maxRegressionOption, share, wholeNumber } from "./option-values.js";
import { planAs } from "./plan.js";
import { exitCodeOf } from "./regression-exit.js";
import { extentText } from "./validate.js";
import { addReportOptions, writeReports, type ReportFileOptions } from "./written-reports.js";

interface CompareOptions extends ReportFileOptions {
  readonly baseline?: string;
  readonly maxRegression: number;
  readonly allowDifferences?: true;
  readonly csv?: string;
  readonly history?: true;
  readonly baseRef?: string;
  readonly headRef?: string;
  readonly set: readonly string[];
  readonly trials?: number;
  readonly out?: string;
  readonly quiet?: true;
  readonly plan?: true;
  readonly json?: true;
}

export function register(program: Command): void {
  const command = program
    .command("compare")
    .description(
      "Compare result directories with a baseline; exit code 99 if one is worse, 112 if one is not judged",
    )
    .argument(
      "<dir...>",
      "result directories; the first is the baseline unless --baseline names one. With --base-ref: a scenario. " +
        "One result of --base-ref is judged again",
    )
    .option("--baseline <dir>", "result directory to compare the others with")
    .addOption(maxRegressionOption(share))
    .option("--allow-differences", "judge runs of other settings or machines, and disturbed ones, too")
    .option("--csv <file>", "also write one row a run, oldest first, for change-point tools (Apache Otava)")
    .option("--history", "find the runs at which a series of runs changed, oldest first by their start")
    .option(
      "--base-ref <revision>",
      "run a scenario with its files and migrations where this branch began and as they are now, and compare them",
    )
    .option("--head-ref <revision>", "with --base-ref: a commit in place of the working tree")
    .option("--trials <n>", "with --base-ref: trials of each revision", wholeNumber)
    .option(
      "--set <path=value>",
      "with --base-ref: override one scenario path at both revisions; may be repeated",
      appendValue,
      [],
    )
    .option("--out <dir>", 'with --base-ref: directory for the result directory (default: "results")')
    .option("--quiet", "with --base-ref: no progress")
    .option("--plan", "with --base-ref: print the plan, and run nothing")
    .option("--json", "print the comparison as JSON on standard output");
  addReportOptions(command).action(compare);
}

async function compare(directories: readonly string[], options: CompareOptions): Promise<void> {
  if (options.baseRef !== undefined) return revisions(directories, options.baseRef, options);
  requireBaseRef(options);
  if (options.history) return history(directories, options);
  const [baseline, ...others] = await readRuns(directories, options.baseline);
  if (!baseline || others.length === 0) return oneDirectory(baseline, options);
  const document = compareRuns(baseline, others, options.maxRegression, options.allowDifferences);
  if (options.csv !== undefined) await writeCsv([baseline, ...others], options.csv);
  await report(document, options);
}

/** Judges a result of two revisions again. Throws a UsageError if the directory holds no such result. */
async function oneDirectory(run: StoredRun | undefined, options: CompareOptions): Promise<void> {
  const revisions = run && (await readRevisions(run.directory));
  if (!revisions)
    throw new UsageError(
      "one directory cannot be compared with itself",
      "Name at least two: npx train-sim compare results/before results/after. Results of --base-ref are judged alone.",
    );
  const document = judgedRevisions(run, revisions, options);
  if (options.csv !== undefined) await writeCsv([run], options.csv);
  await report(document, options);
  if (document.runs.some(({ audit }) => audit?.isViolated)) process.exitCode = ExitCode.integrityViolation;
}

async function report(document: ComparisonDocument, options: CompareOptions): Promise<void> {
  process.stdout.write(
    options.json ? `${JSON.stringify(document, null, 2)}\n` : renderRunComparison(document),
  );
  process.exitCode = exitCodeOf(
    document.regressions,
    document.runs.every(({ isJudged }) => isJudged),
  );
  await writeReports(options, {
    name: "train-sim compare",
    suites: () => suitesOfComparison(document),
    markdown: () => renderComparisonMarkdown(document),
  });
}

/** Refuses options that only a comparison of revisions has. */
function requireBaseRef({ headRef, trials, set, out, quiet, plan }: CompareOptions): void {
  const given = Object.entries({ "head-ref": headRef, trials, set: set[0], out, quiet, plan }).find(
    ([, value]) => value !== undefined,
  );
  if (given)
    throw new UsageError(`--${given[0]} belongs to --base-ref`, "Add --base-ref, or leave the option out.");
}

/** Runs and compares a scenario at two revisions. Ends with the code of the run if it is not 0. */
async function revisions(
  [scenario = "", ...others]: readonly string[],
  baseRef: string,
  options: CompareOptions,
): Promise<void> {
  const { baseline, csv, history: isHistory } = options;
  if (others.length > 0 || baseline !== undefined || csv !== undefined || isHistory)
    throw new UsageError(
      "--base-ref runs one scenario, and has no directories, --baseline, --csv and --history",
      "Write: npx train-sim compare my-scenario.yaml --base-ref main.",
    );
  const revisionOptions = { ...options, baseRef, out: options.out ?? "results" };
  const plan = planRevisions(scenario, revisionOptions);
  if (plan.experiment) process.stderr.write(`train-sim: ${measurementText(plan.experiment)}\n`);
  if (plan.experiment && options.plan) {
    process.stdout.write(planAs(options.json ? "json" : "text", plan.experiment, false));
    return;
  }
  const { document, exitCode } = await measureRevisions(plan, revisionOptions);
  await report(document, options);
  if (exitCode !== ExitCode.done) process.exitCode = exitCode;
}

function measurementText(experiment: Experiment): string {
  return `${extentText(experiment)}; start-up, new tables, preloads and audits come on top`;
}

async function history(directories: readonly string[], options: CompareOptions): Promise<void> {
  if (options.baseline !== undefined)
    throw new UsageError(
      "--history compares each run with those before it, so it has no --baseline",
      "Leave one of them out.",
    );
  if (options.junit !== undefined || options.markdown !== undefined)
    throw new UsageError("--junit and --markdown are not of a history", "Leave them out, or use --json.");
  const runs = await readRuns(directories, undefined);
  const document = historyOf(runs, options.maxRegression, options.allowDifferences);
  if (options.csv !== undefined) await writeCsv(runs, options.csv);
  process.stdout.write(options.json ? `${JSON.stringify(document, null, 2)}\n` : renderHistory(document));
  process.exitCode = exitCodeOf(document.regressions, document.isNewestJudged);
}

/** Reads the results of runs, the baseline first; a directory named twice counts once. */
async function readRuns(directories: readonly string[], baseline: string | undefined): Promise<StoredRun[]> {
  const allDirectories = baseline === undefined ? directories : [baseline, ...directories];
  const directoryByPath = new Map(allDirectories.map((directory) => [resolve(directory), directory]));
  return Promise.all(
    [...directoryByPath.values()].map(async (directory) => ({
      directory,
      result: await readResult(directory),
    })),
  );
}

async function writeCsv(runs: readonly StoredRun[], file: string): Promise<void> {
  const { csv, leftOut } = runsAsCsv(runs);
  await writeNamedFile(file, csv);
  if (leftOut.length === 0) return;
  process.stderr.write(
    `train-sim: ${file} leaves out ${counted(leftOut.length, "metric")} that some runs lack, such as ${escapeControlCharacters(leftOut[0] ?? "")}\n`,
  );
}
