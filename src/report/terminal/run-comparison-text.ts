import { ZERO_IN_RATIOS_NOTE } from "../../foundation/text/numbers.js";
import { counted } from "../../foundation/units.js";
import type {
  ComparisonDocument,
  RunComparison,
  RunFinding,
} from "../../analysis/comparison/run-comparison.js";
import { SIGNIFICANCE_LEVEL } from "../../analysis/statistics/limits.js";
import {
  REPORT_WIDTH_MAX,
  plainMarks,
  printable,
  rowsFittedTo,
  wrap,
  paragraph,
  columnsOf,
  renderTable,
  type TerminalMarks,
} from "../../foundation/text/text-table.js";
import {
  COMPARISON_NOTE_TITLES,
  COMPARISON_TEXT_TITLES,
  comparisonCells,
  comparisonNotes,
  comparisonNumberTitles,
  comparisonTitle,
  conclusionOf,
  judgeAgainCommand,
  notJudgedText,
  regressionText,
  shownFindings,
  stallText,
  unchangedText,
} from "../findings/run-comparison-sentences.js";

/** Column of the treatment, which is shortened if a table is too wide. */
const TREATMENT_COLUMN = 1;

function table(
  findings: readonly RunFinding[],
  document: ComparisonDocument,
  marks: TerminalMarks,
): string[] {
  if (findings.length === 0) return [];
  const columns = columnsOf(COMPARISON_TEXT_TITLES, comparisonNumberTitles(document), COMPARISON_NOTE_TITLES);
  const rows = rowsFittedTo(columns, shownFindings(findings).map(comparisonCells), TREATMENT_COLUMN);
  const [titles = "", rule = "", ...lines] = renderTable(columns, rows);
  return [
    marks.bold(titles),
    rule,
    ...lines.map((line) => (line.includes("REGRESSION") ? marks.bad(line) : line)),
    "",
  ];
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

function renderRun(run: RunComparison, document: ComparisonDocument, marks: TerminalMarks): string[] {
  const { findings, stalls, isJudged } = run;
  const markedParagraph = (text: string, mark: (line: string) => string): string[] =>
    paragraph(text).map(mark);
  const command = judgeAgainCommand(run, document);
  const isRegression = (each: { readonly isRegression: boolean }): boolean => each.isRegression;
  return [
    marks.bold(printable(comparisonTitle(run, document))),
    ...run.differences.flatMap((words) => markedParagraph(`caveat: ${words}`, marks.bad)),
    ...(document.caveats ?? []).flatMap((words) => paragraph(`caveat: ${words}`)),
    ...comparisonNotes(run, document).flatMap((words) => markedParagraph(words, marks.dim)),
    ...findings
      .filter(isRegression)
      .flatMap((each) => markedParagraph(regressionText(each, document.maxRegression), marks.bad)),
    ...stalls.flatMap((each) => markedParagraph(stallText(each), each.isRegression ? marks.bad : marks.dim)),
    "",
    ...table(findings, document, marks),
    ...indistinguishableLines(run),
    ...paragraph(isJudged ? conclusionOf(run, document.maxRegression) : notJudgedText(run)),
    ...(isJudged || command === undefined ? [] : [`  ${command}`]),
    ...(run.audit ? markedParagraph(run.audit.words, run.audit.isViolated ? marks.bad : marks.dim) : []),
    "",
  ];
}

const INTERLEAVED_NOTE =
  "Both revisions ran in blocks of one experiment. Response times and rates: geometric means over complete trials; " +
  "ratios: medians over blocks.";

const READING_NOTE =
  "Response times and rates: geometric means over complete trials. Runs differ by more than their trials (another day, " +
  "another start of the server): compare several runs before relying on a small difference.";

/** Text of a comparison of runs, with a line break at its end; without colours unless marks are given. */
export function renderRunComparison(document: ComparisonDocument, marks: TerminalMarks = plainMarks): string {
  if (document.runs.length === 0) return `${unchangedText(document).flatMap(paragraph).join("\n")}\n`;
  const lines = document.runs.flatMap((run) => renderRun(run, document, marks));
  const hasZero = document.runs.some(({ findings }) => findings.some(({ zeroAs }) => zeroAs !== undefined));
  const reading = [
    document.isInterleaved ? INTERLEAVED_NOTE : READING_NOTE,
    ...(hasZero ? [ZERO_IN_RATIOS_NOTE] : []),
  ].join(" ");
  return `${[...lines, ...wrap(reading, REPORT_WIDTH_MAX)].join("\n")}\n`;
}
