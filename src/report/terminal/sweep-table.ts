// Sweeps over clients. The law is stated at the levels that were measured alone.
import {
  comparedWhere,
  comparisonField,
  titleOf,
  type ComparisonMetric,
} from "../../metrics/metric-lists.js";
import type { Sweep, UslFit } from "../../results/result-schema.js";
import { intervalText, shortNumber } from "../../foundation/text/numbers.js";
import {
  REPORT_WIDTH_MAX,
  wrap,
  columnsOf,
  renderTableWithinWidth,
  type TerminalMarks,
} from "../../foundation/text/text-table.js";
import { unitOf, type Vocabulary } from "../../workloads/vocabulary.js";
import { scalabilityLawText } from "../findings/search-text.js";
import { uslThroughput } from "../../analysis/comparison/usl.js";

/** Metrics of the columns to the right of throughput. */
function otherMetricsOf(points: Sweep["points"]): ComparisonMetric[] {
  const measuredMetrics = comparedWhere((metric) => points.some((point) => point[comparisonField(metric)]));
  return measuredMetrics.filter((metric) => metric !== "eventsPerSecond");
}

type Spread = Sweep["points"][number]["eventsPerSecond"];

function spreadCell(spread: Spread): string {
  if (!spread) return "-";
  const { median, ciLow, ciHigh } = spread;
  return ciLow === null || ciHigh === null
    ? shortNumber(median)
    : `${shortNumber(median)} ${intervalText(ciLow, ciHigh, shortNumber)}`;
}

function fittedThroughputText(usl: UslFit, clients: number): string {
  if (usl.status === "refused") return "-";
  const { lambda, sigma, kappa } = usl;
  const parameters = { lambda: lambda.value, sigma: sigma.value, kappa: kappa.value };
  return shortNumber(uslThroughput(parameters, clients));
}

export function renderSweeps(
  sweeps: readonly Sweep[],
  vocabulary: Vocabulary,
  marks: TerminalMarks,
): string[] {
  return sweeps.flatMap(({ factor, levels, operation, points, usl }) => {
    const unit = unitOf(vocabulary, operation);
    const fixedLevels = Object.entries(levels).map(([name, level]) => `${name}=${level}`);
    const title = [`${operation} over ${factor}`, ...fixedLevels].join(", ");
    const others = otherMetricsOf(points);
    const titles = others.map((metric) => titleOf(metric));
    const columns = columnsOf(
      [],
      ["clients", titleOf("eventsPerSecond", unit), "per client", "law", ...titles],
    );
    const rows = points.map((point) => [
      String(point.clients),
      spreadCell(point.eventsPerSecond),
      point.eventsPerSecond ? shortNumber(point.eventsPerSecond.median / point.clients) : "-",
      fittedThroughputText(usl, point.clients),
      ...others.map((metric) => spreadCell(point[comparisonField(metric)])),
    ]);
    return [
      ...wrap(title, REPORT_WIDTH_MAX).map(marks.bold),
      ...renderTableWithinWidth(columns, rows, marks),
      ...wrap(scalabilityLawText({ usl }, unit), REPORT_WIDTH_MAX),
      "",
    ];
  });
}
