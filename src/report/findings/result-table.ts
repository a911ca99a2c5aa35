// The result in one table: a row for each operation and treatment, which the screen prints and the report shows.
import { isWithinNoiseFloor, NO_FACTOR } from "../../analysis/comparison/noise-floor.js";
import { BLOCKS_MIN, boundsOf } from "../../analysis/statistics/limits.js";
import { shortNumber } from "../../foundation/text/numbers.js";
import { titleOf, type ComparisonMetric } from "../../metrics/metric-lists.js";
import { verdictLegend, markOf, operationName } from "../../metrics/names.js";
import { operationsIn, type Operation } from "../../metrics/operations.js";
import type { OperationResult, ResultDocument, TreatmentResult } from "../../results/result-schema.js";
import { unitOf, unitsText } from "../../workloads/vocabulary.js";
import { figuresOf, valueCell } from "./figures.js";
import { labelsOf } from "./treatment-labels.js";

const TABLE_METRICS = ["eventsPerSecond", "p50", "p99"] as const satisfies readonly ComparisonMetric[];

/** Value of a metric in a treatment whose trials have no summary. */
function valueWithoutSummary(
  { eventsPerSecond, responseTimeMs }: OperationResult,
  metric: (typeof TABLE_METRICS)[number],
) {
  const value = metric === "eventsPerSecond" ? eventsPerSecond : responseTimeMs?.[metric];
  return value === undefined ? "-" : shortNumber(value);
}

function cell(
  result: ResultDocument,
  treatment: TreatmentResult,
  operation: Operation,
  metric: (typeof TABLE_METRICS)[number],
  own: OperationResult,
): string {
  const summary = treatment.summary?.find((each) => each.operation === operation && each.metric === metric);
  const compared = result.comparisons.find(
    (each) =>
      each.operation === operation &&
      each.metric === metric &&
      each.treatment === treatment.id &&
      each.factor !== NO_FACTOR &&
      each.blocks >= BLOCKS_MIN,
  );
  const mark = compared ? markOf(compared.verdict, isWithinNoiseFloor(compared, result.comparisons)) : "";
  return `${summary ? valueCell(summary) : valueWithoutSummary(own, metric)} ${mark}`.trimEnd();
}

export interface ResultTable {
  readonly metricTitles: readonly string[];
  readonly rows: readonly ResultRow[];
  /** Sentences that explain the intervals and marks of the table; empty if it has neither. */
  readonly legend: string;
}

export interface ResultRow {
  readonly operation: string;
  readonly treatment: string;
  /** Value of each metric with its interval and the mark of its verdict. */
  readonly cells: readonly string[];
  /** Number of failed transactions. */
  readonly failed: number;
}

export function resultTable(result: ResultDocument): ResultTable {
  const labels = labelsOf(result.treatments);
  const measuredOperations = operationsIn(
    result.treatments.map((treatment) => figuresOf(treatment)?.operations ?? {}),
  );
  const unit = unitsText(measuredOperations.map((operation) => unitOf(result.workload, operation)));
  const rows = measuredOperations.flatMap((operation) =>
    result.treatments.flatMap((treatment, i): ResultRow[] => {
      const operationFigures = figuresOf(treatment)?.operations[operation];
      if (!operationFigures) return [];
      return [
        {
          operation: operationName(operation),
          treatment: labels[i] ?? treatment.id,
          cells: TABLE_METRICS.map((metric) => cell(result, treatment, operation, metric, operationFigures)),
          failed: Object.values(operationFigures.failures).reduce((sum, count) => sum + count, 0),
        },
      ];
    }),
  );
  return {
    metricTitles: TABLE_METRICS.map((metric) => titleOf(metric, unit)),
    rows,
    legend: legendText(result),
  };
}

function legendText(result: ResultDocument): string {
  const { treatments, comparisons } = result;
  const isCompared = comparisons.some(({ blocks }) => blocks >= BLOCKS_MIN);
  const marks = isCompared
    ? ` Against ${treatments[0]?.id ?? ""}: ${verdictLegend(boundsOf(result).equivalence - 1)}.`
    : "";
  const has = (test: (trials: number) => boolean): boolean =>
    treatments.some(({ summary = [] }) => summary.some(({ trials }) => test(trials)));
  const spread = has((trials) => trials >= BLOCKS_MIN)
    ? "Medians over trials with 95 % intervals."
    : has((trials) => trials > 1)
      ? "Medians over trials, least..most."
      : "";
  return `${spread}${marks}`.trim();
}
