// Comparisons in words and as a table, shared by the forest and the table behind it, so that they say the same.
import { intervalText, rangeText, ratioText } from "../../../../foundation/text/numbers.js";
import { counted } from "../../../../foundation/units.js";
import { labelOf } from "../../../../metrics/metric-lists.js";
import { markOf, WITHIN_NOISE_NOTE } from "../../../../metrics/names.js";
import type { Comparison, RatioFinding } from "../../../../results/result-schema.js";
import { outlookOf } from "../../../../analysis/comparison/outlook.js";
import { outlookText } from "../../../findings/outlook-text.js";
import { isWithinNoiseFloor } from "../../../../analysis/comparison/noise-floor.js";
import { countsText, isDifference, verdictCounts } from "../../../../analysis/comparison/verdicts.js";
import type { ChartTable, View } from "./drawing.js";
import { operationName, treatmentNamed, workOf } from "./view.js";

export function verdictWords(comparison: Comparison, view: View): string {
  const { objection, verdict } = comparison;
  if (objection !== undefined) return `${verdict}: ${objection}`;
  const isNoise = isWithinNoiseFloor(comparison, view.report.result.comparisons);
  return `${comparison.verdict}${isNoise ? `, ${WITHIN_NOISE_NOTE}` : ""}`;
}

function pairName({ treatment, baseline }: Comparison, view: View): string {
  return [treatment, baseline].map((id) => treatmentNamed(view, id)).join(" / ");
}

function metricName({ metric, operation }: Comparison, { report }: View): string {
  return labelOf(metric, workOf(report, [operation]));
}

/** Name of a comparison's row, with the mark of its verdict, and with the baseline if the report has several baselines. */
export function rowName(comparison: Comparison, view: View, hasOneBaseline: boolean): string {
  const label = hasOneBaseline ? treatmentNamed(view, comparison.treatment) : pairName(comparison, view);
  const isNoise = isWithinNoiseFloor(comparison, view.report.result.comparisons);
  return `${metricName(comparison, view)}  ${label} ${markOf(comparison.verdict, isNoise)}`;
}

export function ratioWithInterval({ ratio, ciLow, ciHigh }: RatioFinding): string {
  return `${ratioText(ratio)} ${intervalText(ciLow, ciHigh)}`.trimEnd();
}

export function verdictText(comparison: Comparison, view: View): string {
  const range = blockRangeText(comparison, view);
  const spread = range === "-" ? "" : ` ${range}`;
  const outlook = outlookText(view.report.result, comparison);
  return `${ratioWithInterval(comparison)}${spread}: ${verdictWords(comparison, view)}${outlook && `; ${outlook}`}`;
}

function blockRangeText(comparison: Comparison, view: View): string {
  const range = outlookOf(view.report.result, comparison)?.ratioRange;
  return range ? rangeText(...range) : "-";
}

export function comparisonTable(rows: readonly Comparison[], view: View): ChartTable {
  return {
    caption: "Ratios to the baseline, with 95 % intervals",
    columns: [
      "operation",
      "metric",
      "treatment / baseline",
      "ratio (95 % interval)",
      "range over blocks",
      "trials to decide",
      "p over the experiment",
      "verdict",
    ],
    rows: rows.map((each) => [
      operationName(each.operation),
      metricName(each, view),
      pairName(each, view),
      ratioWithInterval(each),
      blockRangeText(each, view),
      outlookOf(view.report.result, each)?.trialsToDecide ?? "-",
      each.familyP?.toPrecision(2) ?? "-",
      verdictWords(each, view),
    ]),
  };
}

export function comparisonWords(rows: readonly Comparison[], view: View): string {
  const sentences = rows
    .filter(isDifference)
    .map(
      (each) =>
        `${operationName(each.operation)} ${metricName(each, view)} ${pairName(each, view)}: ${verdictText(each, view)}.`,
    );
  return [`Of ${counted(rows.length, "comparison")}, ${countsText(verdictCounts(rows))}.`, ...sentences].join(
    " ",
  );
}
