import { isHeadline, isLargerBetter, titleOf } from "../../metrics/metric-lists.js";
import {
  ZERO_IN_RATIOS_NOTE,
  firstOf,
  intervalText,
  pValueText,
  ratioText,
  shortNumber,
  trialsText,
} from "../../foundation/text/numbers.js";
import { counted } from "../../foundation/units.js";
import type {
  ComparisonDocument,
  RunComparison,
  RunFinding,
  TreatmentMetric,
} from "../../analysis/comparison/run-comparison.js";
import type { StallFinding } from "../../analysis/comparison/stalls.js";
import { BLOCKS_MIN, SIGNIFICANCE_LEVEL } from "../../analysis/statistics/limits.js";
import {
  REPORT_WIDTH_MAX,
  plainMarks,
  printable,
  shorten,
  wrap,
  paragraph,
  columnsOf,
  renderTable,
  type TerminalMarks,
} from "../../foundation/text/text-table.js";

const LABEL_WIDTH_MAX = 32;

function verdictWord(finding: RunFinding): string {
  if (finding.isRegression) return "REGRESSION";
  return finding.verdict;
}

/** Table of an operation's headline metrics, and of other metrics that are a regression. */
function table(findings: readonly RunFinding[], operation: string, marks: TerminalMarks): string[] {
  const rows = findings
    .filter((each) => each.operation === operation && (isHeadline(each.metric) || each.isRegression))
    .sort((a, b) => (a.treatment === b.treatment ? 0 : a.treatment < b.treatment ? -1 : 1))
    .map((each) => [
      shorten(each.treatment, LABEL_WIDTH_MAX),
      titleOf(each.metric, each.unit),
      shortNumber(each.baselineMean),
      shortNumber(each.mean),
      ratioText(each.ratio),
      intervalText(each.ciLow, each.ciHigh) || "-",
      String(each.trials),
      verdictWord(each),
    ]);
  const numbers = ["baseline", "here", "ratio", "95 % CI", "trials"];
  const columns = columnsOf([operation, "metric"], numbers, ["verdict"]);
  const [titles = "", rule = "", ...lines] = renderTable(columns, rows);
  return [
    marks.bold(titles),
    rule,
    ...lines.map((line) => (line.includes("REGRESSION") ? marks.bad(line) : line)),
    "",
  ];
}

const percentText = (share: number): string => `${Number((share * 100).toFixed(3))} %`;

function regressionLine(finding: RunFinding, maxRegression: number): string {
  const { treatment, operation, metric, unit, ratio, familyLow, familyHigh, pWorse } = finding;
  const direction = isLargerBetter(metric) ? "lower" : "higher";
  const interval = `95 % CI ${intervalText(familyLow, familyHigh)} over all metrics`;
  const p = pWorse === null ? "" : `, p ${pValueText(pWorse)} for at most ${percentText(maxRegression)}`;
  return `REGRESSION: ${treatment} ${operation} ${titleOf(metric, unit)} is ${direction}: ${ratioText(ratio)} (${interval}${p})`;
}

function oddsText({ oddsLow, oddsHigh, familyP }: StallFinding): string {
  if (oddsLow === null || familyP === null) return `inconclusive, needs ${BLOCKS_MIN} trials on either side`;
  const upper = oddsHigh === null ? "inf" : shortNumber(oddsHigh);
  const word = oddsLow > 1 ? "more often" : oddsHigh !== null && oddsHigh < 1 ? "less often" : "inconclusive";
  return `${word} (odds ratio [${shortNumber(oddsLow)}, ${upper}], p ${pValueText(familyP)} over all treatments)`;
}

const LISTED_TRIALS_MAX = 5;

function stallLine(finding: StallFinding): string {
  const { treatment, operations, trials, ofTrials, baselineTrials, ofBaselineTrials } = finding;
  const here =
    trials.length === 0
      ? ""
      : ` (${trialsText(trials.slice(0, LISTED_TRIALS_MAX))}${trials.length > LISTED_TRIALS_MAX ? ", ..." : ""})`;
  const where = `${treatment} ${firstOf(operations, LISTED_TRIALS_MAX)}`;
  return `${finding.isRegression ? "REGRESSION" : "stalls"}: ${where}: ${trials.length} of ${counted(ofTrials, "trial")} stalled${here}, ${baselineTrials.length} of ${ofBaselineTrials} in the baseline: ${oddsText(finding)}`;
}

/** Metrics by treatment and operation, such as `text add: mean(ms) p99(ms); text read: events/s`. */
function metricsText(metrics: readonly TreatmentMetric[]): string {
  const names = new Map<string, string[]>();
  for (const { treatment, operation, metric, unit } of metrics) {
    const key = `${treatment} ${operation}`;
    names.set(key, [...(names.get(key) ?? []), titleOf(metric, unit)]);
  }
  return [...names].map(([key, own]) => `${key}: ${own.join(" ")}`).join("; ");
}

/** Largest share of slow trials that is compatible, at 95 % confidence, with `trials` trials of which none is slow. */
function slowShareUpperBound(trials: number): number {
  return 1 - SIGNIFICANCE_LEVEL ** (1 / trials);
}

function indistinguishableLines({ findings }: RunComparison): string[] {
  const indistinguishable = findings.filter(({ verdict }) => verdict === "indistinguishable");
  if (indistinguishable.length === 0) return [];
  const trials = Math.min(...indistinguishable.map((each) => each.trials));
  const share = `${Math.ceil(100 * slowShareUpperBound(trials))} %`;
  return wrap(
    `~: the means are the same within 5 %, and no single trial is far from them. With ${counted(trials, "trial")}, up to ${share} of trials may be slower and not show.`,
    REPORT_WIDTH_MAX,
  );
}

/** Sentence that judges one run against the baseline. */
export function conclusionOf(run: RunComparison, maxRegression: number): string {
  const { findings, stalls, differences } = run;
  const bound = percentText(maxRegression);
  const metrics = counted(findings.length, "metric");
  const untestedFindings = findings.filter(({ pWorse }) => pWorse === null);
  const regressionCount = findings.filter(({ isRegression }) => isRegression).length;
  const stalled = stalls.filter(({ isRegression }) => isRegression).length;
  const fewest = Math.min(...findings.map(({ trials }) => trials));
  if (untestedFindings.length === findings.length && stalled === 0)
    return findings.length === 0
      ? "Nothing can be concluded: no metric was measured on both sides."
      : `Nothing can be concluded from ${counted(fewest, "trial")}: ${BLOCKS_MIN} of each treatment in either run are needed.`;
  const untestedText =
    untestedFindings.length > 0
      ? ` (${untestedFindings.length} of ${metrics} ${untestedFindings.length === 1 ? "has" : "have"} too few trials)`
      : "";
  const caveat =
    differences.length > 0
      ? `; judged in spite of ${counted(differences.length, "reason")} against it, listed above`
      : "";
  const open = findings.filter(({ verdict }) => verdict === "inconclusive").length;
  const parts = [
    ...(regressionCount > 0
      ? [
          `${regressionCount} of ${metrics} ${regressionCount === 1 ? "is" : "are"} worse by more than ${bound}`,
        ]
      : []),
    ...(stalled > 0
      ? [`${counted(stalled, "treatment")} ${stalled === 1 ? "stalls" : "stall"} more often`]
      : []),
  ];
  if (parts.length === 0)
    parts.push(
      `No metric is shown to be worse by more than ${bound}${open > 0 ? `, and ${open} of ${metrics} ${open === 1 ? "is" : "are"} inconclusive` : ""}`,
    );
  return `${parts.join(", and ")}${caveat}${untestedText}.`;
}

const NOT_JUDGED =
  "Not judged for the reasons above: a change need not be the program's. Judge it all the same with --allow-differences.";

function renderRun(run: RunComparison, document: ComparisonDocument, marks: TerminalMarks): string[] {
  const { findings, stalls, isJudged } = run;
  const operations = [...new Set(findings.map(({ operation }) => operation))];
  const markedParagraph = (text: string, mark: (line: string) => string): string[] =>
    paragraph(text).map(mark);
  const bulletsOf = (what: string, names: string): string[] =>
    names === "" ? [] : markedParagraph(`${what}: ${names}`, marks.dim);
  const isRegression = (each: { readonly isRegression: boolean }): boolean => each.isRegression;
  return [
    marks.bold(printable(`${run.directory} against ${document.baseline}`)),
    ...run.differences.flatMap((words) => markedParagraph(`caveat: ${words}`, marks.bad)),
    ...run.notes.flatMap((words) => markedParagraph(`note: ${words}`, marks.dim)),
    ...bulletsOf("only in the baseline", run.onlyInBaseline.join(", ")),
    ...bulletsOf("only here", run.onlyHere.join(", ")),
    ...bulletsOf("measured only in the baseline", metricsText(run.metricsOnlyInBaseline)),
    ...bulletsOf("measured only here", metricsText(run.metricsOnlyHere)),
    ...findings
      .filter(isRegression)
      .flatMap((each) => markedParagraph(regressionLine(each, document.maxRegression), marks.bad)),
    ...stalls.flatMap((each) => markedParagraph(stallLine(each), each.isRegression ? marks.bad : marks.dim)),
    "",
    ...operations.flatMap((operation) => table(findings, operation, marks)),
    ...indistinguishableLines(run),
    ...wrap(isJudged ? conclusionOf(run, document.maxRegression) : NOT_JUDGED, REPORT_WIDTH_MAX),
    "",
  ];
}

const READING_NOTE =
  "Response times and rates: geometric means over complete trials. Runs differ by more than their trials (another day, " +
  "another start of the server): compare several runs before relying on a small difference.";

/** Text of a comparison of runs, with a line break at its end; without colours unless marks are given. */
export function renderRunComparison(document: ComparisonDocument, marks: TerminalMarks = plainMarks): string {
  const lines = document.runs.flatMap((run) => renderRun(run, document, marks));
  const hasZero = document.runs.some(({ findings }) => findings.some(({ zeroAs }) => zeroAs !== undefined));
  const reading = [READING_NOTE, ...(hasZero ? [ZERO_IN_RATIOS_NOTE] : [])].join(" ");
  return `${[...lines, ...wrap(reading, REPORT_WIDTH_MAX)].join("\n")}\n`;
}
