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
import { shellWord } from "../../foundation/shown.js";
import { counted } from "../../foundation/units.js";
import { isHeadline, isLargerBetter, titleOf } from "../../metrics/metric-lists.js";

function verdictWord(finding: RunFinding): string {
  if (finding.isRegression) return "REGRESSION";
  return finding.verdict;
}

/** Direction of a difference that is at least exploratory; undefined otherwise. */
function changeOf({ verdict, metric, ratio }: RunFinding): "better" | "worse" | undefined {
  if (verdict !== "finding" && verdict !== "exploratory") return undefined;
  return isLargerBetter(metric) === ratio > 1 ? "better" : "worse";
}

type Form = Pick<ComparisonDocument, "isInterleaved">;

/** Names of the two sides: revisions are a base and a head, runs a baseline and the run itself. */
const sideNames = ({ isInterleaved }: Form): readonly [baseline: string, compared: string] =>
  isInterleaved ? ["base", "head"] : ["baseline", "here"];

export const COMPARISON_TEXT_TITLES = ["operation", "treatment", "metric"];
export const COMPARISON_NOTE_TITLES = ["change", "verdict"];
export function comparisonNumberTitles(document: Form): string[] {
  return [...sideNames(document), "ratio", "95 % CI", "trials"];
}

/** Cells of a metric below the titles of texts, numbers and notes. */
export function comparisonCells(each: RunFinding): string[] {
  return [
    each.operation,
    each.treatment,
    titleOf(each.metric, each.unit),
    shortNumber(each.baselineMean),
    shortNumber(each.mean),
    ratioText(each.ratio),
    intervalText(each.ciLow, each.ciHigh) || "-",
    String(each.trials),
    changeOf(each) ?? "-",
    verdictWord(each),
  ];
}

/** Name of the compared run and of its baseline. */
export function comparisonTitle({ directory }: RunComparison, document: ComparisonDocument): string {
  return document.isInterleaved
    ? `head ${directory} against base ${document.baseline}`
    : `${directory} against ${document.baseline}`;
}

/** Both values of a metric, their ratio and the verdict. */
export function valuesText(each: RunFinding, document: Form): string {
  const [baseline, compared] = sideNames(document);
  const interval = intervalText(each.ciLow, each.ciHigh);
  const change = changeOf(each);
  return [
    `${baseline} ${shortNumber(each.baselineMean)}, ${compared} ${shortNumber(each.mean)}`,
    `ratio ${ratioText(each.ratio)}${interval && `, 95 % CI ${interval}`}`,
    counted(each.trials, "trial"),
    `${change ? `${change}, ` : ""}${each.verdict}`,
  ].join("; ");
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
  const p = pWorse === null ? "" : `, p ${pValueText(pWorse)} if truly at most ${percentText(maxRegression)}`;
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
export function comparisonNotes(run: RunComparison, document: Form): string[] {
  const [inBaseline, here] = document.isInterleaved ? ["at base", "at head"] : ["in the baseline", "here"];
  const listed = (where: string, names: string): string[] => (names === "" ? [] : [`${where}: ${names}`]);
  return [
    ...run.notes.map((words) => `note: ${words}`),
    ...listed(`only ${inBaseline}`, run.onlyInBaseline.join(", ")),
    ...listed(`only ${here}`, run.onlyHere.join(", ")),
    ...listed(`measured only ${inBaseline}`, metricsText(run.metricsOnlyInBaseline)),
    ...listed(`measured only ${here}`, metricsText(run.metricsOnlyHere)),
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
  const isFound = parts.length > 0;
  if (!isFound) parts.push(`No metric is shown to be worse by more than ${bound}`);
  const changes = findings.filter(({ verdict, isRegression }) => verdict === "finding" && !isRegression);
  for (const change of ["better", "worse"] as const) {
    const count = changes.filter((each) => changeOf(each) === change).length;
    if (count === 0) continue;
    const less = change === "worse" ? ", perhaps by less" : "";
    parts.push(`${count} of ${metrics} ${count === 1 ? "is" : "are"} shown to be ${change}${less}`);
  }
  if (!isFound && open > 0) parts.push(`${open} of ${metrics} ${open === 1 ? "is" : "are"} inconclusive`);
  const last = parts.at(-1) ?? "";
  const sentence = parts.length > 1 ? `${parts.slice(0, -1).join(", ")}, and ${last}` : last;
  return `${sentence}${caveat}${untestedText}.`;
}

/** Sentences on two revisions between which nothing changed that a trial would show. */
export function unchangedText({ baseline, caveats = [] }: ComparisonDocument): string[] {
  return [
    `Nothing was run: the scenario and its files mean the same as at ${baseline}.`,
    ...caveats.map((words) => `caveat: ${words}`),
  ];
}

/** Sentence on a run that is not judged. A command that judges it without measuring again follows if there is one. */
export function notJudgedText(run: RunComparison): string {
  const remedy = run.results === undefined ? "with --allow-differences." : "without measuring again:";
  return `Not judged for the reasons above: a change need not be the program's. Judge it all the same ${remedy}`;
}

export function judgeAgainCommand(
  { results }: RunComparison,
  { maxRegression }: ComparisonDocument,
): string | undefined {
  if (results === undefined) return undefined;
  const bound = percentText(maxRegression).replace(" ", "");
  return `npx train-sim compare ${shellWord(results)} --allow-differences --max-regression ${bound}`;
}

interface RevisionLimits {
  readonly baseRef: string;
  readonly headRef: string;
  /** The commit that `baseRef` names; undefined if it is the base itself. */
  readonly unreadTip: string | undefined;
  readonly isHeadInBase: boolean;
  /** Number of thresholds that are not judged. */
  readonly thresholds: number;
}

/** Caveats of a comparison of revisions: a base that is not the tip of its branch, and thresholds that are not judged. */
export function revisionCaveats(
  base: string,
  { baseRef, headRef, unreadTip, isHeadInBase, thresholds }: RevisionLimits,
): string[] {
  return [
    ...(unreadTip === undefined
      ? []
      : [
          `the base is ${base}, the merge base of ${baseRef} and ${headRef}; the tip of ${baseRef}, ${unreadTip}, was not read${isHeadInBase ? `; ${baseRef} has all commits of ${headRef}: to measure its tip, swap --base-ref and --head-ref` : ""}`,
        ]),
    ...(thresholds > 0
      ? [
          `${counted(thresholds, "threshold")} of the scenario ${thresholds === 1 ? "is" : "are"} not judged by --base-ref: train-sim run judges ${thresholds === 1 ? "it" : "them"}`,
        ]
      : []),
  ];
}
