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
  shorten,
  wrap,
  paragraph,
  columnsOf,
  renderTable,
  type TerminalMarks,
} from "../../foundation/text/text-table.js";
import {
  COMPARISON_TITLES,
  comparisonCells,
  comparisonNotes,
  conclusionOf,
  NOT_JUDGED,
  regressionText,
  shownFindings,
  stallText,
  unchangedText,
} from "../findings/run-comparison-sentences.js";

const LABEL_WIDTH_MAX = 32;

function table(findings: readonly RunFinding[], operation: string, marks: TerminalMarks): string[] {
  const rows = shownFindings(findings)
    .filter((each) => each.operation === operation)
    .map((each) => {
      const [treatment = "", ...cells] = comparisonCells(each);
      return [shorten(treatment, LABEL_WIDTH_MAX), ...cells];
    });
  const [, metric = "", ...numbers] = COMPARISON_TITLES;
  const columns = columnsOf([operation, metric], numbers.slice(0, -1), numbers.slice(-1));
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
  const operations = [...new Set(findings.map(({ operation }) => operation))];
  const markedParagraph = (text: string, mark: (line: string) => string): string[] =>
    paragraph(text).map(mark);
  const isRegression = (each: { readonly isRegression: boolean }): boolean => each.isRegression;
  return [
    marks.bold(printable(`${run.directory} against ${document.baseline}`)),
    ...run.differences.flatMap((words) => markedParagraph(`caveat: ${words}`, marks.bad)),
    ...comparisonNotes(run).flatMap((words) => markedParagraph(words, marks.dim)),
    ...findings
      .filter(isRegression)
      .flatMap((each) => markedParagraph(regressionText(each, document.maxRegression), marks.bad)),
    ...stalls.flatMap((each) => markedParagraph(stallText(each), each.isRegression ? marks.bad : marks.dim)),
    "",
    ...operations.flatMap((operation) => table(findings, operation, marks)),
    ...indistinguishableLines(run),
    ...wrap(isJudged ? conclusionOf(run, document.maxRegression) : NOT_JUDGED, REPORT_WIDTH_MAX),
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
  if (document.runs.length === 0) return `${unchangedText(document)}\n`;
  const lines = document.runs.flatMap((run) => renderRun(run, document, marks));
  const hasZero = document.runs.some(({ findings }) => findings.some(({ zeroAs }) => zeroAs !== undefined));
  const reading = [
    document.isInterleaved ? INTERLEAVED_NOTE : READING_NOTE,
    ...(hasZero ? [ZERO_IN_RATIOS_NOTE] : []),
  ].join(" ");
  return `${[...lines, ...wrap(reading, REPORT_WIDTH_MAX)].join("\n")}\n`;
}
