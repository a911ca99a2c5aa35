// Sentences about a history of runs, for the terminal and for the page.
import { RUNS_MIN } from "../../analysis/history/level-test.js";
import type {
  HistoryChange,
  HistoryDocument,
  HistoryRegression,
  LevelChange,
} from "../../analysis/history/run-history.js";
import { intervalText, pValueText, ratioText, shortNumber } from "../../foundation/text/numbers.js";
import { counted } from "../../foundation/units.js";
import { isLargerBetter, titleOf } from "../../metrics/metric-lists.js";

export interface Conclusion {
  readonly words: string;
  /** Metrics that the words introduce. */
  readonly items: readonly string[];
  readonly tone?: "bad" | "warn";
}

function plain(words: string): Conclusion {
  return { words, items: [] };
}

/** Columns of a change: texts, then numbers, then the verdict, whose column has no title. */
export const CHANGE_TEXT_TITLES = ["treatment", "operation", "metric"];
export const CHANGE_NUMBER_TITLES = ["before", "after", "ratio", "95 % CI", "p"];

function verdictWord({ metric, ratio, isWorse }: LevelChange): string {
  if (isWorse) return "WORSE";
  return ratio > 1 === isLargerBetter(metric) ? "better" : "within the bound";
}

export function changeCells(change: LevelChange): [treatment: string, ...cells: string[]] {
  return [
    change.treatment,
    change.operation,
    titleOf(change.metric, change.unit),
    shortNumber(change.before),
    shortNumber(change.after),
    ratioText(change.ratio),
    intervalText(change.ciLow, change.ciHigh) || "-",
    pValueText(change.pValue),
    verdictWord(change),
  ];
}

export function changeHeading({ run, directory, runsBefore, runsAfter }: HistoryChange): string {
  const levels = `${counted(runsBefore, "run")} at the level before, ${runsAfter} at the new one`;
  return `Change at run ${run}, ${directory} (${levels})`;
}

/** Everything else that changed with the run. */
export function changeSurroundings({ differences }: HistoryChange): readonly string[] {
  return differences.length > 0
    ? differences
    : ["machine, versions, settings and scenario are those of the run before"];
}

export function historyHeading({ runs }: HistoryDocument): string {
  const span =
    runs.length > 0 ? `, ${runs[0]?.startedAt.slice(0, 10)} to ${runs.at(-1)?.startedAt.slice(0, 10)}` : "";
  return `${counted(runs.length, "run")}${span}`;
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

function lastingRegressionText(regression: HistoryRegression): string {
  const { treatment, operation, metric, unit, sinceRun, sinceDirectory, ratio, ciLow, ciHigh } = regression;
  const size = `${ratioText(ratio)}, 95 % CI ${intervalText(ciLow, ciHigh)}`;
  return `${treatment} ${operation} ${titleOf(metric, unit)}: ${size}, since run ${sinceRun}, ${sinceDirectory}`;
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

function levelConclusion({
  runs,
  changes,
  lastingRegressions,
  maxRegression,
  undecided,
}: HistoryDocument): Conclusion {
  if (runs.length < RUNS_MIN)
    return plain(
      `Nothing can be concluded from ${counted(runs.length, "run")}: finding a change takes at least ${RUNS_MIN}.`,
    );
  if (changes.length === 0)
    return plain(
      undecided.length > 0
        ? "No change of level is claimed."
        : "No change of level: the differences between runs are within their noise.",
    );
  const bound = `${Number((maxRegression * 100).toFixed(3))} %`;
  if (lastingRegressions.length === 0)
    return plain(`The newest level of no metric is worse than an earlier level by more than ${bound}.`);
  const metrics = counted(lastingRegressions.length, "metric");
  return {
    words: `The newest level of ${metrics} is worse than an earlier level by more than ${bound}:`,
    items: lastingRegressions.map(lastingRegressionText),
    tone: "bad",
  };
}

function disturbedNote(title: string, runs: HistoryDocument["runs"]): string[] {
  const disturbed = runs.filter(({ verdict }) => verdict !== "ok");
  const names = disturbed.map(({ directory, verdict }) => `${directory} (${verdict})`);
  return names.length > 0 ? [`${title}: ${names.join(", ")}`] : [];
}

/** Runs that were left out, not judged, or judged although they are disturbed. */
export function historyNotes({ runs, notJudged, leftOut }: HistoryDocument): string[] {
  return [
    ...(leftOut.length > 0 ? [`left out, without a complete trial: ${leftOut.join(", ")}`] : []),
    ...disturbedNote("not judged (--allow-differences includes them)", notJudged),
    ...disturbedNote("in doubt", runs),
  ];
}

/** Noise floor, inconclusive runs, and whether the newest level is worse than an earlier one. */
export function historyConclusions(document: HistoryDocument): Conclusion[] {
  return [
    ...[...scatterSentences(document), ...undecidedSentences(document)].map(plain),
    levelConclusion(document),
    ...(document.isNewestJudged
      ? []
      : [
          { ...plain("The newest run is not judged: nothing is concluded about it."), tone: "warn" as const },
        ]),
  ];
}
