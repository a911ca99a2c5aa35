import type { ComparisonDocument, RunComparison } from "../../analysis/comparison/run-comparison.js";
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
import { bullets, folded, markdownTable, plain } from "./markdown.js";

function runLines(run: RunComparison, { baseline, maxRegression }: ComparisonDocument): string[] {
  const { findings, stalls, differences, isJudged } = run;
  const regressions = [
    ...findings.filter((each) => each.isRegression).map((each) => regressionText(each, maxRegression)),
    ...stalls.filter((each) => each.isRegression).map(stallText),
  ];
  const rows = shownFindings(findings).map((each) => [each.operation, ...comparisonCells(each)]);
  return [
    `### train-sim: ${plain(`${run.directory} against ${baseline}`)}`,
    "",
    `**${plain(isJudged ? conclusionOf(run, maxRegression) : NOT_JUDGED)}**`,
    "",
    ...bullets([...regressions, ...differences]),
    "",
    ...(rows.length > 0 ? markdownTable(["operation", ...COMPARISON_TITLES], rows, 3) : []),
    ...folded("Notes", bullets(comparisonNotes(run))),
    "",
  ];
}

export function renderComparisonMarkdown(document: ComparisonDocument): string {
  if (document.runs.length === 0) return `### train-sim\n\n${plain(unchangedText(document))}\n`;
  return document.runs.flatMap((run) => runLines(run, document)).join("\n");
}
