import { verdictText } from "../../analysis/diagnosis/validity.js";
import { comparisonField } from "../../metrics/metric-lists.js";
import {
  comparedOperations,
  COMPARISON_METRICS,
  type ResultDocument,
  type TreatmentResult,
} from "../../results/result-schema.js";
import { startTimeOf } from "../../analysis/history/run-history.js";
import { metricOf } from "../../analysis/steady-state/series.js";
import { median } from "../../analysis/statistics/statistics.js";

interface Run {
  readonly directory: string;
  readonly result: ResultDocument;
}

export interface CsvExport {
  /** Text of the file, which ends with a line break. Rows are runs, the oldest first. */
  readonly csv: string;
  /** Names of columns that are left out because a run has no value for them. */
  readonly leftOut: readonly string[];
}

function metricsOf(treatment: TreatmentResult): [column: string, value: number][] {
  return comparedOperations([treatment]).flatMap((operation) =>
    COMPARISON_METRICS.flatMap((metric): [string, number][] => {
      const values = treatment.trials.flatMap((trial) => metricOf(trial, operation, metric) ?? []);
      if (values.length === 0) return [];
      return [[`${treatment.id}.${operation}.${comparisonField(metric)}`, median(values)]];
    }),
  );
}

/**
 * The text as one CSV cell: separators and quotes become `_`, and a leading `=`, `+`, `@` or `-`, which a spreadsheet would
 * compute, gets a `_` before it.
 */
function csvCell(text: string): string {
  return text.replace(/[\s,;"'\u0000-\u001f\u007f-\u009f]+/g, "_").replace(/^[=+@-]/, "_$&");
}

function attributesOf({ directory, result }: Run): [string, string][] {
  const { versions } = result.environment;
  return [
    ["run", directory.split(/[\\/]/).filter(Boolean).at(-1) ?? directory],
    ["experiment", result.scenario.name],
    ["trainSim", versions["train-sim"] ?? "unknown"],
    ["server", versions["server"]?.replace(/ on [^|]*?(?= \||$)/g, "") ?? "unknown"],
    ["verdict", verdictText(result.verdict)],
  ];
}

export function runsAsCsv(runs: readonly Run[]): CsvExport {
  const rows = runs
    .map((run) => ({
      time: startTimeOf(run.result),
      attributes: attributesOf(run),
      metrics: new Map(run.result.treatments.flatMap(metricsOf)),
    }))
    .sort((a, b) => (a.time < b.time ? -1 : 1));
  const all = [...new Set(rows.flatMap(({ metrics }) => [...metrics.keys()]))];
  const columns = all.filter((column) => rows.every(({ metrics }) => metrics.has(column)));
  const attributeNames = rows[0]?.attributes.map(([name]) => name) ?? [];
  const lines = [
    ["time", ...attributeNames, ...columns.map(csvCell)],
    ...rows.map(({ time, attributes, metrics }) => [
      time,
      ...attributes.map(([, value]) => csvCell(value)),
      ...columns.map((column) => String(metrics.get(column))),
    ]),
  ];
  const leftOut = all.filter((column) => !columns.includes(column));
  return { csv: `${lines.map((cells) => cells.join(",")).join("\n")}\n`, leftOut };
}
