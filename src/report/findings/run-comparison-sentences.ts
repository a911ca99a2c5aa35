// The sentences and rows of a comparison of runs, which its text, its Markdown and its JUnit XML share.
import type {
  ComparisonDocument,
  RunComparison,
  RunFinding,
  TreatmentMetric,
} from "../../analysis/comparison/run-comparison.js";
import type { StallFinding } from "../../analysis/comparison/stalls.js";
import { BLOCKS_MIN } from "../../analysis/statistics/limits.js";
import {
  firstOf,
  intervalText,
  pValueText,
  ratioText,
  shortNumber,
  trialsText,
} from "../../foundation/text/numbers.js";
import { counted } from "../../foundation/units.js";
import { isHeadline, isLargerBetter, titleOf } from "../../metrics/metric-lists.js";

function verdictWord(finding: RunFinding): string {
  if (finding.isRegression) return "REGRESSION";
  return finding.verdict;
}

export const COMPARISON_TITLES = [
  "treatment",
  "metric",
  "baseline",
  "here",
  "ratio",
  "95 % CI",
  "trials",
  "verdict",
];

/** Cells of a metric below `COMPARISON_TITLES`. */
export function comparisonCells(each: RunFinding): string[] {
  return [
    each.treatment,
    titleOf(each.metric, each.unit),
    shortNumber(each.baselineMean),
    shortNumber(each.mean),
    ratioText(each.ratio),
    intervalText(each.ciLow, each.ciHigh) || "-",
    String(each.trials),
    verdictWord(each),
  ];
}

/** Findings for a table: headline metrics, and other metrics that are a regression, by operation and treatment. */
export function shownFindings(findings: readonly RunFinding[]): RunFinding[] {
  const operations = [...new Set(findings.map(({ operation }) => operation))];
  return operations.flatMap((operation) =>
    findings
      .filter((each) => each.operation === operation && (isHeadline(each.metric) || each.isRegression))
      .sort((a, b) => (a.treatment === b.treatment ? 0 : a.treatment < b.treatment ? -1 : 1)),
  );
}

const percentText = (share: number): string => `${Number((share * 100).toFixed(3))} %`;

export function regressionText(finding: RunFinding, maxRegression: number): string {
  const { treatment, operation, metric, unit, ratio, ciLow, ciHigh, familyLow, familyHigh, pWorse } = finding;
  const direction = isLargerBetter(metric) ? "lower" : "higher";
  const interval =
    familyLow === null
      ? `95 % CI ${intervalText(ciLow, ciHigh)}`
      : `95 % CI ${intervalText(familyLow, familyHigh)} over all metrics`;
  const p =
    pWorse === null
      ? ""
      : `, p ${pValueText(pWorse)} if truly at most ${percentText(maxRegression)}`;
  return `REGRESSION: ${treatment} ${operation} ${titleOf(metric, unit)} is ${direction}: ${ratioText(ratio)} (${interval}${p})`;
}

function oddsText({ oddsLow, oddsHigh, familyP }: StallFinding): string {
  if (oddsLow === null || familyP === null) return `inconclusive, needs ${BLOCKS_MIN} trials on either side`;
  const upper = oddsHigh === null ? "inf" : shortNumber(oddsHigh);
  const word = oddsLow > 1 ? "more often" : oddsHigh !== null && oddsHigh < 1 ? "less often" : "inconclusive";
  return `${word} (odds ratio [${shortNumber(oddsLow)}, ${upper}], p ${pValueText(familyP)} over all treatments)`;
}

const LISTED_TRIALS_MAX = 5;

export function stallText(finding: StallFinding): string {
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

/** Notes on a run, and the names of treatments and metrics that only one side has. */
export function comparisonNotes(run: RunComparison): string[] {
  const listed = (where: string, names: string): string[] => (names === "" ? [] : [`${where}: ${names}`]);
  return [
    ...run.notes.map((words) => `note: ${words}`),
    ...listed("only in the baseline", run.onlyInBaseline.join(", ")),
    ...listed("only here", run.onlyHere.join(", ")),
    ...listed("measured only in the baseline", metricsText(run.metricsOnlyInBaseline)),
    ...listed("measured only here", metricsText(run.metricsOnlyHere)),
  ];
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

/** Sentence on two revisions between which nothing changed that a trial would show. */
export function unchangedText({ baseline }: Pick<ComparisonDocument, "baseline">): string {
  return `Nothing was run: the scenario and its files mean the same as at ${baseline}.`;
}

export const NOT_JUDGED =
  "Not judged for the reasons above: a change need not be the program's. Judge it all the same with --allow-differences.";
