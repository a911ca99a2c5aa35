import type { ComparisonDocument, RunComparison } from "../../analysis/comparison/run-comparison.js";
import { printable } from "../../foundation/text/text-table.js";
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
import { bullets, folded, markdownTable, plain } from "./markdown.js";

function runLines(run: RunComparison, document: ComparisonDocument): string[] {
  const { maxRegression, caveats = [] } = document;
  const { findings, stalls, differences, isJudged, audit } = run;
  const regressions = [
    ...findings.filter((each) => each.isRegression).map((each) => regressionText(each, maxRegression)),
    ...stalls.filter((each) => each.isRegression).map(stallText),
  ];
  const rows = shownFindings(findings).map(comparisonCells);
  const titles = [...COMPARISON_TEXT_TITLES, ...comparisonNumberTitles(document), ...COMPARISON_NOTE_TITLES];
  const command = judgeAgainCommand(run, document);
  return [
    `### train-sim: ${plain(comparisonTitle(run, document))}`,
    "",
    `**${plain(isJudged ? conclusionOf(run, maxRegression) : notJudgedText(run))}**`,
    ...(isJudged || command === undefined ? [] : ["", `    ${printable(command)}`]),
    "",
    ...bullets([...regressions, ...differences, ...caveats, ...(audit ? [audit.words] : [])]),
    "",
    ...(rows.length > 0 ? markdownTable(titles, rows, COMPARISON_TEXT_TITLES.length) : []),
    ...folded("Notes", bullets(comparisonNotes(run, document))),
    "",
  ];
}

export function renderComparisonMarkdown(document: ComparisonDocument): string {
  if (document.runs.length === 0)
    return `### train-sim\n\n${unchangedText(document).map(plain).join("\n\n")}\n`;
  return document.runs.flatMap((run) => runLines(run, document)).join("\n");
}
