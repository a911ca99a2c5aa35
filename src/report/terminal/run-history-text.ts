import { RUNS_MIN } from "../../analysis/history/level-test.js";
import type {
  HistoryChange,
  HistoryDocument,
  HistoryRegression,
  LevelChange,
} from "../../analysis/history/run-history.js";
import { intervalText, pValueText, ratioText, shortNumber } from "../../foundation/text/numbers.js";
import {
  plainMarks,
  printable,
  shorten,
  paragraph,
  columnsOf,
  renderTable,
  type TerminalMarks,
} from "../../foundation/text/text-table.js";
import { counted } from "../../foundation/units.js";
import { isLargerBetter, titleOf } from "../../metrics/metric-lists.js";

const LABEL_WIDTH_MAX = 32;
const NUMBER_TITLES = ["before", "after", "ratio", "95 % CI", "p"];
const CHANGE_COLUMNS = columnsOf(["treatment", "operation", "metric"], NUMBER_TITLES, [""]);

function verdictWord({ metric, ratio, isWorse }: LevelChange): string {
  if (isWorse) return "WORSE";
  return ratio > 1 === isLargerBetter(metric) ? "better" : "within the bound";
}

function changeLines(change: HistoryChange, marks: TerminalMarks): string[] {
  const rows = change.metrics.map((each) => [
    shorten(each.treatment, LABEL_WIDTH_MAX),
    each.operation,
    titleOf(each.metric, each.unit),
    shortNumber(each.before),
    shortNumber(each.after),
    ratioText(each.ratio),
    intervalText(each.ciLow, each.ciHigh) || "-",
    pValueText(each.pValue),
    verdictWord(each),
  ]);
  const [titles = "", rule = "", ...lines] = renderTable(CHANGE_COLUMNS, rows);
  const levels = `${counted(change.runsBefore, "run")} at the level before, ${change.runsAfter} at the new one`;
  const surroundings =
    change.differences.length > 0
      ? change.differences
      : ["machine, versions, settings and scenario are those of the run before"];
  return [
    marks.bold(printable(`Change at run ${change.run}, ${change.directory} (${levels})`)),
    ...surroundings.flatMap((words) => paragraph(words).map(marks.dim)),
    titles,
    rule,
    ...lines.map((line) => (line.includes("WORSE") ? marks.bad(line) : line)),
    "",
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/**
 * Sentence on the noise floor: the median and the largest scatter of a metric. Empty with fewer than `RUNS_MIN` runs, whose
 * scatter would be chance.
 */
function scatterSentences({ runs, scatter }: HistoryDocument): string[] {
  if (runs.length < RUNS_MIN) return [];
  const ascending = scatter.toSorted((a, b) => a.share - b.share);
  const [middle, most] = [ascending[Math.floor(ascending.length / 2)], ascending.at(-1)];
  if (!middle || !most) return [];
  return [
    `Noise floor: runs of one level differ by ${percent(middle.share)} (standard deviation, median over metrics), at most ` +
      `by ${percent(most.share)} (${most.treatment} ${most.operation} ${titleOf(most.metric, most.unit)}).`,
  ];
}

function lastingRegressionLine(regression: HistoryRegression): string {
  const { treatment, operation, metric, unit, sinceRun, sinceDirectory, ratio, ciLow, ciHigh } = regression;
  const size = `${ratioText(ratio)}, 95 % CI ${intervalText(ciLow, ciHigh)}`;
  return `- ${treatment} ${operation} ${titleOf(metric, unit)}: ${size}, since run ${sinceRun}, ${sinceDirectory}`;
}

/** Sentences on ranges of runs for which neither a change nor its absence is claimed. */
function undecidedSentences({ undecided }: HistoryDocument): string[] {
  return undecided.map(({ firstRun, lastRun, autocorrelation }) => {
    const runs = `Runs ${firstRun} to ${lastRun}`;
    return (
      `${runs} are inconclusive: they resemble their neighbours (autocorrelation ${autocorrelation.toFixed(2)}) or drift, ` +
      "which explains their differences as well as a change of level. More runs decide it."
    );
  });
}

function conclusionLines({
  runs,
  changes,
  lastingRegressions,
  maxRegression,
  undecided,
}: HistoryDocument): string[] {
  if (runs.length < RUNS_MIN)
    return [
      `Nothing can be concluded from ${counted(runs.length, "run")}: finding a change takes at least ${RUNS_MIN}.`,
    ];
  if (changes.length === 0)
    return undecided.length > 0
      ? ["No change of level is claimed."]
      : ["No change of level: the differences between runs are within their noise."];
  const bound = `${Number((maxRegression * 100).toFixed(3))} %`;
  if (lastingRegressions.length === 0)
    return [`The newest level of no metric is worse than an earlier level by more than ${bound}.`];
  const metrics = counted(lastingRegressions.length, "metric");
  return [
    `The newest level of ${metrics} is worse than an earlier level by more than ${bound}:`,
    ...lastingRegressions.map(lastingRegressionLine),
  ];
}

function disturbedNote(title: string, runs: HistoryDocument["runs"]): string[] {
  const disturbed = runs.filter(({ verdict }) => verdict !== "ok");
  const names = disturbed.map(({ directory, verdict }) => `${directory} (${verdict})`);
  return names.length > 0 ? [`${title}: ${names.join(", ")}`] : [];
}

/** Text of a history of runs, with a line break at its end; without colours unless marks are given. */
export function renderHistory(document: HistoryDocument, marks: TerminalMarks = plainMarks): string {
  const { runs, notJudged, leftOut, changes } = document;
  const span =
    runs.length > 0 ? `, ${runs[0]?.startedAt.slice(0, 10)} to ${runs.at(-1)?.startedAt.slice(0, 10)}` : "";
  const notes = [
    ...(leftOut.length > 0 ? [`left out, without a complete trial: ${leftOut.join(", ")}`] : []),
    ...disturbedNote("not judged (--allow-differences includes them)", notJudged),
    ...disturbedNote("in doubt", runs),
  ];
  const lines = [
    marks.bold(`${counted(runs.length, "run")}${span}`),
    ...notes.flatMap((words) => paragraph(words).map(marks.bad)),
    "",
    ...changes.flatMap((change) => changeLines(change, marks)),
    ...[
      ...scatterSentences(document),
      ...undecidedSentences(document),
      ...conclusionLines(document),
      ...(document.isNewestJudged ? [] : ["The newest run is not judged: nothing is concluded about it."]),
    ].flatMap(paragraph),
  ];
  return `${lines.join("\n")}\n`;
}
