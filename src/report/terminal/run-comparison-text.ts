// A comparison of runs as text: warnings first, then regressions, then a table for each operation with the medians of
// both sides, the ratio with its interval, and the verdict. With too few trials it says that nothing can be concluded.
import { isHeadline, isLargerBetter, titleOf } from "../../metrics/metric-lists.js";
import { outlyingText } from "../../analysis/comparison/outlying-trials.js";
import {
  intervalText,
  NONE_IN_RATIOS,
  pText,
  ratioText,
  shortNumber,
} from "../../foundation/text/numbers.js";
import {
  conclusionOf,
  type ComparisonDocument,
  type RunComparison,
  type RunFinding,
  type TreatmentMetric,
} from "../../analysis/comparison/run-comparison.js";
import {
  plainMarks,
  printable,
  renderTable,
  shorten,
  wrap,
  WIDTH_MAX,
  type Column,
  type Marks,
} from "../../foundation/text/text-table.js";

const LABEL_WIDTH_MAX = 32;

function interval({ ciLow, ciHigh }: RunFinding): string {
  return intervalText(ciLow, ciHigh) || "-";
}

function verdictWord(finding: RunFinding): string {
  if (finding.isRegression) return "REGRESSION";
  return finding.verdict === "indistinguishable" ? "~" : finding.verdict;
}

/** The headline metrics, and any other that is a regression. */
function table(findings: readonly RunFinding[], operation: string, marks: Marks): string[] {
  const rows = findings
    .filter((each) => each.operation === operation && (isHeadline(each.metric) || each.isRegression))
    .sort((a, b) => (a.treatment === b.treatment ? 0 : a.treatment < b.treatment ? -1 : 1))
    .map((each) => [
      shorten(each.treatment, LABEL_WIDTH_MAX),
      titleOf(each.metric, each.unit),
      shortNumber(each.baselineMedian),
      shortNumber(each.median),
      ratioText(each.ratio),
      interval(each),
      String(each.blocks),
      verdictWord(each),
    ]);
  const columns = [operation, "metric", "baseline", "here", "ratio", "95 % CI", "trials", "verdict"].map(
    (title, i): Column => ({ title, align: i < 2 || i === 7 ? "left" : "right" }),
  );
  const [titles = "", rule = "", ...lines] = renderTable(columns, rows);
  return [
    marks.bold(titles),
    rule,
    ...lines.map((line) => (line.includes("REGRESSION") ? marks.bad(line) : line)),
    "",
  ];
}

function regressionLine(finding: RunFinding): string {
  const { treatment, operation, metric, unit, ratio, pWorse, stalledTrials } = finding;
  if (stalledTrials.length > 0)
    return `REGRESSION: ${treatment} ${operation}: ${outlyingText(stalledTrials, unit)}; no trial of the baseline stalled`;
  const direction = isLargerBetter(metric) ? "lower" : "higher";
  return `REGRESSION: ${treatment} ${operation} ${titleOf(metric, unit)} is ${direction}: ${ratioText(ratio)} (95 % CI ${interval(finding)}, p ${pWorse === null ? "?" : pText(pWorse)} over all metrics)`;
}

/** `text add: mean(ms) p99(ms); text read: events/s`. */
function metricsText(metrics: readonly TreatmentMetric[]): string {
  const names = new Map<string, string[]>();
  for (const { treatment, operation, metric, unit } of metrics) {
    const key = `${treatment} ${operation}`;
    names.set(key, [...(names.get(key) ?? []), titleOf(metric, unit)]);
  }
  return [...names].map(([key, own]) => `${key}: ${own.join(" ")}`).join("; ");
}

function renderRun(run: RunComparison, document: ComparisonDocument, marks: Marks): string[] {
  const operations = [...new Set(run.findings.map(({ operation }) => operation))];
  const bulleted = (text: string, mark: (line: string) => string): string[] =>
    wrap(printable(text), WIDTH_MAX).map(mark);
  const named = (what: string, names: string): string[] =>
    names === "" ? [] : bulleted(`${what}: ${names}`, marks.dim);
  return [
    marks.bold(printable(`${run.directory} against ${document.baseline}`)),
    ...run.warnings.flatMap((words) => bulleted(`warning: ${words}`, marks.bad)),
    ...named("only in the baseline", run.onlyInBaseline.join(", ")),
    ...named("only here", run.onlyHere.join(", ")),
    ...named("measured only in the baseline", metricsText(run.metricsOnlyInBaseline)),
    ...named("measured only here", metricsText(run.metricsOnlyHere)),
    ...run.findings
      .filter(({ isRegression }) => isRegression)
      .flatMap((each) => bulleted(regressionLine(each), marks.bad)),
    "",
    ...operations.flatMap((operation) => table(run.findings, operation, marks)),
    ...wrap(conclusionOf(run, document.maxRegression), WIDTH_MAX),
    "",
  ];
}

/** Ends with a line break; plain text unless marks are given. */
export function renderRunComparison(document: ComparisonDocument, marks: Marks = plainMarks): string {
  const lines = document.runs.flatMap((run) => renderRun(run, document, marks));
  const hasStall = document.runs.some(({ findings }) => findings.some(({ hasZero }) => hasZero));
  const mind =
    "Response times, medians over complete trials. Runs differ by more than their trials (another day, another start " +
    "of the server): compare several runs before relying on a small difference.";
  const stall = hasStall ? ` ${NONE_IN_RATIOS}` : "";
  return `${[...lines, ...wrap(mind + stall, WIDTH_MAX)].join("\n")}\n`;
}
