// The first screen of a run as Markdown, for the summary of a job or a comment.
import { ensureAnalysis } from "../../analysis/comparison/analysis.js";
import type { ResultDocument } from "../../results/result-schema.js";
import { alarmFindings, answerFindings } from "../findings/key-findings.js";
import { resultTable } from "../findings/result-table.js";
import {
  thresholdHeading,
  judgedTreatmentText,
  measuredThresholdText,
  outcomeOf,
} from "../findings/threshold-text.js";
import { caveatsOf, verdictSentence } from "../findings/first-sentences.js";
import { bullets, folded, markdownTable, plain } from "./markdown.js";

function thresholdLines({ thresholds = [] }: ResultDocument): string[] {
  if (thresholds.length === 0) return [];
  const rows = thresholds.map((each) => [
    outcomeOf(each).mark,
    `${each.metric} ${each.expression}`,
    judgedTreatmentText(each),
    measuredThresholdText(each),
  ]);
  return [
    "",
    plain(thresholdHeading(thresholds)),
    "",
    ...markdownTable(["", "threshold", "treatment", "seen"], rows, 3),
  ];
}

export function renderRunMarkdown(stored: ResultDocument): string {
  const result = ensureAnalysis(stored);
  const { metricTitles, rows, legend } = resultTable(result);
  const [answer, ...answers] = answerFindings(result);
  const lines = [
    `### train-sim: ${plain(result.scenario.name)}`,
    "",
    ...alarmFindings(result).flatMap(({ text, because }) => [
      `**${plain(text)}**`,
      "",
      ...bullets(because),
      "",
    ]),
    ...(answer ? [`**${plain(answer.text)}**`, ""] : []),
    ...bullets(answers.map(({ text }) => text)),
    ...(answers.length > 0 ? [""] : []),
    plain(verdictSentence(result)),
    "",
    ...markdownTable(
      ["operation", "treatment", ...metricTitles, "failed"],
      rows.map(({ operation, treatment, cells, failed }) => [operation, treatment, ...cells, String(failed)]),
      2,
    ),
    ...(legend === "" ? [] : ["", plain(legend)]),
    ...thresholdLines(result),
    ...folded("Caveats", bullets(caveatsOf(result))),
  ];
  return `${lines.join("\n")}\n`;
}
