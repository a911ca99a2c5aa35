import { comparedWhere, SPAN_METRICS, titleOf } from "../../metrics/metric-lists.js";
import {
  comparedOperations,
  type ComparedOperation,
  type Comparison,
  type ComparisonMetric,
  type ResultDocument,
} from "../../results/result-schema.js";
import { BLOCKS_MIN, boundsOf } from "../../analysis/statistics/limits.js";
import { verdictSentences } from "../findings/claims.js";
import { isWithinNoiseFloor } from "../../analysis/comparison/noise-floor.js";
import { intervalText, ratioText } from "../../foundation/text/numbers.js";
import {
  REPORT_WIDTH_MAX,
  wrap,
  columnsOf,
  renderTableWithinWidth,
  type TerminalMarks,
} from "../../foundation/text/text-table.js";
import { verdictLegend, markOf, operationName } from "../../metrics/names.js";
import { stageOf } from "../../metrics/operations.js";
import { valueCell } from "../findings/figures.js";
import { labelsOf } from "../findings/treatment-labels.js";
import { unitOf } from "../../workloads/vocabulary.js";

function ratioCell(comparison: Comparison | undefined, all: readonly Comparison[]): string {
  if (!comparison) return "-";
  const interval = intervalText(comparison.ciLow, comparison.ciHigh);
  return `${ratioText(comparison.ratio)}${interval && ` ${interval}`} ${markOf(comparison.verdict, isWithinNoiseFloor(comparison, all))}`;
}

function metricsOf(
  operation: ComparedOperation,
  { treatments }: ResultDocument,
): readonly ComparisonMetric[] {
  if (stageOf(operation)) return SPAN_METRICS;
  return comparedWhere((metric) =>
    treatments.some(({ summary }) =>
      summary?.some((each) => each.operation === operation && each.metric === metric),
    ),
  );
}

function section(result: ResultDocument, operation: ComparedOperation, marks: TerminalMarks): string[] {
  const { treatments, comparisons } = result;
  const labels = labelsOf(treatments);
  const metrics = metricsOf(operation, result);
  const unit = unitOf(result.workload, operation);
  const titles = metrics.map((metric) => titleOf(metric, unit));
  const columns = columnsOf([operationName(operation)], titles);
  const values = treatments.map(({ id, summary }, i) => [
    labels[i] ?? id,
    ...metrics.map((metric) =>
      valueCell(summary?.find((each) => each.operation === operation && each.metric === metric)),
    ),
  ]);
  const [baseline, ...others] = treatments;
  const ratios = others.map(({ id }, i) => [
    labels[i + 1] ?? id,
    ...metrics.map((metric) => {
      const comparison = comparisons.find(
        (each) =>
          each.operation === operation &&
          each.metric === metric &&
          each.baseline === baseline?.id &&
          each.treatment === id,
      );
      return ratioCell(comparison, comparisons);
    }),
  ]);
  const isCompared = comparisons.length > 0;
  const rows = isCompared ? [...values, [`ratio to ${labels[0] ?? ""}`], ...ratios] : values;
  return [
    ...renderTableWithinWidth(columns, rows, marks),
    ...verdictSentences(result, operation).flatMap((line) => wrap(line, REPORT_WIDTH_MAX)),
    "",
  ];
}

export function renderSideBySide(result: ResultDocument, marks: TerminalMarks): string[] {
  if (result.treatments.length < 2) return [];
  const measuredOperations = comparedOperations(result.treatments).filter((operation) =>
    result.treatments.some(({ summary }) => summary?.some((each) => each.operation === operation)),
  );
  if (measuredOperations.length === 0) return [];
  const legend = `Median over trials with 95 % interval [a, b] (a..b is the range of fewer than ${BLOCKS_MIN} trials); response times`;
  const ratioLegend = `; ratio to the first treatment, median over blocks without the effect of the trial's position. ${verdictLegend(boundsOf(result).equivalence - 1)}`;
  return [
    marks.bold("Side by side"),
    ...wrap(`${legend}${result.comparisons.length > 0 ? ratioLegend : ""}.`, REPORT_WIDTH_MAX),
    "",
    ...measuredOperations.flatMap((operation) => section(result, operation, marks)),
  ];
}
