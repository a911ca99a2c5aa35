// The result in one table: a row for each treatment and operation, or stage of life that belongs in it, which the screen prints and the report shows.
import { isWithinNoiseFloor, NO_FACTOR } from "../../analysis/comparison/noise-floor.js";
import { BLOCKS_MIN, boundsOf } from "../../analysis/statistics/limits.js";
import { shortNumber } from "../../foundation/text/numbers.js";
import { titleOf, type ComparisonMetric } from "../../metrics/metric-lists.js";
import { verdictLegend, markOf, operationName } from "../../metrics/names.js";
import { sumOfCounts } from "../../metrics/figures.js";
import { operationsIn, spanLatencyIn, stageOf, type Operation } from "../../metrics/operations.js";
import type { OperationResult, ResultDocument, TreatmentResult } from "../../results/result-schema.js";
import { LIFE_STAGES } from "../../workloads/registry.js";
import { unitOf, unitsText } from "../../workloads/vocabulary.js";
import { figuresOf, valueCell } from "./figures.js";
import { labelsOf } from "./treatment-labels.js";

const TABLE_METRICS = ["eventsPerSecond", "p50", "p99"] as const satisfies readonly ComparisonMetric[];

/** An operation or a stage of life in one treatment. */
interface Measured {
  readonly eventsPerSecond?: number | undefined;
  readonly latencyMs: OperationResult["responseTimeMs"] | undefined;
  /** Number of failed transactions; undefined for a stage, which cannot fail. */
  readonly failed?: number;
}

/** Operations of the treatment, and the stages that belong in the table, by the name under which they are compared. */
function measuredIn(treatment: TreatmentResult): Map<string, Measured> {
  const { operations = {}, lifecycle } = figuresOf(treatment) ?? {};
  const stages = LIFE_STAGES.flatMap(({ stage, isInTable }) => {
    const latencyMs = isInTable ? spanLatencyIn(lifecycle, stage) : undefined;
    return latencyMs ? [[`lifecycle.${stage}`, { latencyMs }] as const] : [];
  });
  const ofOperations = Object.entries(operations).map(
    ([operation, { eventsPerSecond, responseTimeMs, failures }]) =>
      [operation, { eventsPerSecond, latencyMs: responseTimeMs, failed: sumOfCounts(failures) }] as const,
  );
  return new Map<string, Measured>([...ofOperations, ...stages]);
}

/** Value of a metric in a treatment whose trials have no summary. */
function valueWithoutSummary(
  { eventsPerSecond, latencyMs }: Measured,
  metric: (typeof TABLE_METRICS)[number],
) {
  const value = metric === "eventsPerSecond" ? eventsPerSecond : latencyMs?.[metric];
  return value === undefined ? "-" : shortNumber(value);
}

function cell(
  result: ResultDocument,
  treatment: TreatmentResult,
  operation: Operation,
  metric: (typeof TABLE_METRICS)[number],
  own: Measured,
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
  /** Number of failed transactions; `-` for a stage of life. */
  readonly failed: number | "-";
}

export function resultTable(result: ResultDocument): ResultTable {
  const labels = labelsOf(result.treatments);
  const measured = result.treatments.map(measuredIn);
  const compared = operationsIn(measured.map((each) => Object.fromEntries(each)));
  const operations = compared.filter((name) => stageOf(name) === undefined);
  const unit = unitsText(operations.map((operation) => unitOf(result.workload, operation)));
  const rows = [...operations, ...compared.filter((name) => stageOf(name) !== undefined)].flatMap((name) =>
    result.treatments.flatMap((treatment, i): ResultRow[] => {
      const figures = measured[i]?.get(name);
      if (!figures) return [];
      return [
        {
          operation: operationName(name),
          treatment: labels[i] ?? treatment.id,
          cells: TABLE_METRICS.map((metric) => cell(result, treatment, name, metric, figures)),
          failed: figures.failed ?? "-",
        },
      ];
    }),
  );
  return {
    metricTitles: TABLE_METRICS.map((metric) => titleOf(metric, unit)),
    rows,
    legend: legendText(result, rows),
  };
}

function legendText(result: ResultDocument, rows: readonly ResultRow[]): string {
  const { treatments, comparisons } = result;
  const isCompared = comparisons.some(({ blocks }) => blocks >= BLOCKS_MIN);
  const cells = rows.flatMap((row) => row.cells).join(" ");
  const marks = isCompared
    ? ` Against ${treatments[0]?.id ?? ""}: ${verdictLegend(boundsOf(result).equivalence - 1, cells)}.`
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
