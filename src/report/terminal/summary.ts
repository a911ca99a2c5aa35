// `summary.txt`, which `--verbose` prints. It is made from the stored document alone, so `report` prints the same for an old run.
import { counted } from "../../foundation/units.js";
import type { ResultDocument, TreatmentResult, TrialResult } from "../../results/result-schema.js";
import { lintsOf } from "../../analysis/lint/lint.js";
import { ensureAnalysis } from "../../analysis/comparison/analysis.js";
import { renderCapacity } from "./capacity-table.js";
import { conclusionSentences } from "../findings/claims.js";
import { renderEndpoints } from "./endpoint-lines.js";
import { evidenceNotes } from "../findings/evidence-notes.js";
import { faultText } from "../findings/fault-text.js";
import { renderForest } from "./forest-lines.js";
import { renderEffects } from "./effects-table.js";
import { renderSideBySide } from "./side-by-side.js";
import { lifecycleNotes, poolerNotes, workloadNotes } from "../findings/lifecycle-notes.js";
import { parameterLines } from "./parameter-lines.js";
import { renderLatencyParts } from "./parts-lines.js";
import { PUBLISHED_COLUMNS, publishedTables } from "../findings/published-text.js";
import { renderSweeps } from "./sweep-table.js";
import { operationsIn, figuresOf } from "../findings/figures.js";
import { renderNotes, PLANS_TITLE } from "../findings/notes.js";
import { renderTrustNotes } from "../findings/trust-notes.js";
import { screenLines, type SummaryOptions } from "./screen.js";
import { labelsOf } from "../findings/treatment-labels.js";
import {
  STATEMENT_COST_COLUMNS,
  STATEMENT_COSTS_TITLE,
  statementCostRows,
} from "../findings/statement-costs.js";
import { renderOperationRows, latencyCells, LATENCY_TITLES } from "../../results/operation-rows.js";
import {
  REPORT_WIDTH_MAX,
  colourMarks,
  plainMarks,
  printable,
  wrap,
  paragraph,
  columnsOf,
  renderTable,
  rowsFittedTo,
  type TerminalMarks,
  type Column,
} from "../../foundation/text/text-table.js";
import { planRows } from "../../analysis/why/plans.js";
import {
  judgedTreatmentText,
  thresholdNote,
  outcomeOf,
  measuredThresholdText,
  thresholdHeading,
} from "../findings/threshold-text.js";
import { counterLagWords } from "../findings/counter-lag.js";
import { reasonsByOperation } from "../findings/headline-reasons.js";

const WORKER_ROWS_HINT = "Rows of one worker: give its name, as consumers/0, to --actor NAME with logs";

/** Lines with all reasons of the verdict; the first screen has only the first ones. */
function verdictLines({ verdict: { reasons } }: ResultDocument, marks: TerminalMarks): string[] {
  if (reasons.length === 0) return [];
  const lines = reasons.flatMap((reason) => wrap(`- ${printable(reason)}`, REPORT_WIDTH_MAX).map(marks.bad));
  return [marks.bold("Reasons of the verdict"), ...lines, ""];
}

function treatmentLines(result: ResultDocument, index: number, marks: TerminalMarks): string[] {
  const treatment = result.treatments[index];
  if (!treatment) return [];
  const levels = Object.entries(treatment.levels).map(([factor, level]) => `${factor}=${level}`);
  const complete = treatment.trials.filter((trial) => trial.status === "complete").length;
  const heading = printable(
    `#${index + 1} ${treatment.id}${levels.length > 0 ? ` (${levels.join(", ")})` : ""}` +
      `, ${counted(complete, "complete trial")}${complete > 1 ? ", all transactions together" : ""}`,
  );
  const { workload: vocabulary } = result;
  const figures = figuresOf(treatment);
  const notes = [
    ...renderNotes(treatment, vocabulary),
    ...(figures
      ? [
          ...lifecycleNotes(figures),
          ...workloadNotes(figures, vocabulary),
          ...poolerNotes(treatment, figures),
        ]
      : []),
    ...evidenceNotes(treatment, vocabulary),
    ...renderTrustNotes(treatment),
  ].flatMap(({ text, tone }) => {
    const lines = paragraph(text);
    return tone === "plain" ? lines : lines.map(marks[tone]);
  });
  return [
    ...wrap(heading, REPORT_WIDTH_MAX).map(marks.bold),
    ...(figures
      ? [
          ...renderOperationRows(operationsIn(figures), figures.windowSeconds),
          ...renderLatencyParts(figures),
          ...renderEndpoints(figures),
        ]
      : ["nothing was measured"]),
    ...notes,
    ...renderWorkers(treatment),
    "",
  ];
}

/** Lines about faults, with an empty line at the end; empty if the experiment had no faults. */
function faultLines({ faults }: ResultDocument, marks: TerminalMarks): string[] {
  if (faults.length === 0) return [];
  const lines = faults.flatMap((fault) =>
    paragraph(`trial ${fault.trial} (${fault.treatment}): ${faultText(fault)}`),
  );
  return [marks.bold("Faults"), ...lines, ""];
}

/** Lines of a table of published figures in which each long name stands above its figures. */
function linesBelowNames(rows: readonly (readonly string[])[]): string[] {
  const withoutName = <T>(cells: readonly T[]): readonly T[] => cells.slice(1);
  const [titles = "", rule = "", ...figures] = renderTable(
    withoutName(PUBLISHED_COLUMNS),
    rows.map(withoutName),
  );
  const named = rows.map(([name = ""], i) => [
    ...wrap(printable(name), REPORT_WIDTH_MAX),
    `  ${figures[i] ?? ""}`,
  ]);
  return [`  ${titles}`, `  ${rule}`, ...named.flat()];
}

/** Lines about published figures, with an empty line at the end; empty if there are no such figures. */
function publishedFigureLines(result: ResultDocument, marks: TerminalMarks): string[] {
  return publishedTables(result).flatMap(({ title, rows }) => {
    const lines = renderTable(PUBLISHED_COLUMNS, rows);
    const isFitting = lines.every(({ length }) => length <= REPORT_WIDTH_MAX);
    return [marks.bold(printable(title)), ...(isFitting ? lines : linesBelowNames(rows)), ""];
  });
}

/**
 * Text of summary.txt, with a line break at its end. Lines have at most 120 columns, except a path; without colours unless
 * asked for.
 */
export function renderSummary(stored: ResultDocument, options: SummaryOptions): string {
  const result = ensureAnalysis(stored);
  const marks = options.colour ? colourMarks : plainMarks;
  const claims = conclusionSentences(result).flatMap((line) => wrap(line, REPORT_WIDTH_MAX));
  const lints = lintsOf(result).flatMap((words) => wrap(`- ${printable(words)}`, REPORT_WIDTH_MAX));
  return [
    ...screenLines(result, marks, "below"),
    ...renderForest(result, marks),
    ...renderThresholds(result, marks),
    ...publishedFigureLines(result, marks),
    ...verdictLines(result, marks),
    ...renderCapacity(result.capacity ?? [], marks),
    ...result.treatments.flatMap((_, index) => treatmentLines(result, index, marks)),
    ...faultLines(result, marks),
    ...renderSideBySide(result, marks),
    ...renderDifferenceReasons(result, marks),
    ...renderStatementCosts(result, marks),
    ...renderPlans(result, marks),
    ...renderEffects(result, marks),
    ...renderSweeps(result.sweeps ?? [], result.workload, marks),
    ...claims,
    ...(claims.length > 0 ? [""] : []),
    ...(lints.length > 0 ? [marks.bold("Caveats"), ...lints, ""] : []),
    ...parameterLines(result),
    "",
    ...(result.treatments.some(hasWorkerRows) ? [] : [WORKER_ROWS_HINT]),
    `Results: ${printable(options.directory)}`,
    "",
  ].join("\n");
}

/** Lines of the table of statements, with an empty line at the end; empty if no trial has statements. */
function renderStatementCosts(result: ResultDocument, marks: TerminalMarks): string[] {
  const rows = statementCostRows(result);
  if (rows.length === 0) return [];
  const lines = renderTable(STATEMENT_COST_COLUMNS, rowsFittedTo(STATEMENT_COST_COLUMNS, rows, 0));
  return [marks.bold(STATEMENT_COSTS_TITLE), ...lines, ""];
}

/** Lines about plans, with an empty line at the end; empty if no trial has plans. */
export function renderPlans(result: ResultDocument, marks: TerminalMarks): string[] {
  const lines = planRows(result).flatMap(({ statement, plan, where }) => {
    const [first = "", ...rest] = wrap(printable(`${statement}, ${where}: ${plan}`), REPORT_WIDTH_MAX - 2);
    return [first, ...rest.map((line) => `  ${line}`)];
  });
  return lines.length > 0 ? [marks.bold(PLANS_TITLE), ...lines, ""] : [];
}

const THRESHOLD_COLUMNS = columnsOf(["", "threshold", "treatment"], ["seen"], ["note"]);

const THRESHOLD_COLUMN_INDEX = 1;
const TABLE_HEADING_LINES = 2;

/** Lines about thresholds, with an empty line at the end; empty if there are no thresholds. */
function renderThresholds({ thresholds = [], treatments }: ResultDocument, marks: TerminalMarks): string[] {
  if (thresholds.length === 0) return [];
  const labels = labelsOf(treatments);
  const names = new Map(treatments.map(({ id }, i) => [id, labels[i] ?? id]));
  const rows = thresholds.map((threshold) => [
    outcomeOf(threshold).mark,
    printable(`${threshold.metric} ${threshold.expression}`),
    printable(judgedTreatmentText(threshold, (id) => names.get(id) ?? id)),
    measuredThresholdText(threshold),
    printable(thresholdNote(threshold)),
  ]);
  const hasNotes = thresholds.some((threshold) => thresholdNote(threshold) !== "");
  const columns = hasNotes ? THRESHOLD_COLUMNS : THRESHOLD_COLUMNS.slice(0, -1);
  const lines = renderTable(columns, rowsFittedTo(columns, rows, THRESHOLD_COLUMN_INDEX));
  const markedLines = lines.map((line, i) => {
    const threshold = thresholds[i - TABLE_HEADING_LINES];
    if (!threshold) return line;
    return threshold.ok ? marks.good(line) : marks.bad(line);
  });
  return [marks.bold(thresholdHeading(thresholds)), ...markedLines, ""];
}

const REASON_LINES_MAX = 8;
const INDENT = "  ";

function indentedLines(text: string): string[] {
  const [first = "", ...rest] = wrap(printable(text), REPORT_WIDTH_MAX - INDENT.length - 2);
  return [`${INDENT}- ${first}`, ...rest.map((line) => `${INDENT}  ${line}`)];
}

/** Lines about evidence for claimed differences, with an empty line at the end; empty if no difference is claimed. */
export function renderDifferenceReasons(
  { treatments, comparisons }: ResultDocument,
  marks: TerminalMarks,
): string[] {
  const sections = treatments.flatMap(({ id }) => {
    const { baseline, reasons } = reasonsByOperation(id, comparisons);
    if (reasons.length === 0) return [];
    const more = reasons.length - REASON_LINES_MAX;
    return [
      ...paragraph(`${id} against ${baseline}`),
      ...reasons
        .slice(0, REASON_LINES_MAX)
        .flatMap(({ operations, sentence }) => indentedLines(`${operations.join(", ")}: ${sentence}`)),
      ...(more > 0 ? indentedLines(`and ${more} more in result.json`) : []),
    ];
  });
  if (sections.length === 0) return [];
  const isExplained = comparisons.some(({ because = [] }) => because.length > 0);
  const lag = isExplained ? counterLagWords(treatments.flatMap(({ trials }) => trials)) : undefined;
  return [
    marks.bold("What moved with these differences (evidence, not proof)"),
    ...sections,
    ...(lag === undefined ? [] : wrap(lag, REPORT_WIDTH_MAX)),
    "",
  ];
}

const LEFT_ALIGNED_TITLES = ["worker", "endpoint", "id"];
const WORKER_COLUMNS = [
  "elapsed",
  "worker",
  "endpoint",
  "id",
  "clients",
  "tot_ops",
  "tot_ops/s",
  ...LATENCY_TITLES,
].map((title): Column => ({ title, align: LEFT_ALIGNED_TITLES.includes(title) ? "left" : "right" }));

/** True if each worker of a trial has an endpoint. */
function hasWorkerEndpoints({ workers = [] }: TrialResult): boolean {
  return workers.some(({ endpoint }) => endpoint !== undefined);
}

/** True if a trial has rows for workers. With one thread for each operation they would repeat the operations' rows. */
function hasTrialWorkerRows(trial: TrialResult): boolean {
  const { workers = [], operations } = trial;
  if (workers.length === 0) return false;
  return hasWorkerEndpoints(trial) || Object.values(operations).some(({ threads = 1 }) => threads > 1);
}

function hasWorkerRows({ trials }: TreatmentResult): boolean {
  return trials.some(hasTrialWorkerRows);
}

function workerRows({ workers = [], windowSeconds }: TrialResult): string[][] {
  return workers.flatMap(({ worker, endpoint, clients, operations }) =>
    Object.entries(operations).map(([operation, { transactions, responseTimeMs }]) => [
      Number(windowSeconds.toFixed(1)).toString(),
      worker,
      endpoint ?? "-",
      operation,
      String(clients),
      String(transactions),
      windowSeconds > 0 ? (transactions / windowSeconds).toFixed(2) : "-",
      ...latencyCells(responseTimeMs),
    ]),
  );
}

function renderWorkers({ trials }: TreatmentResult): string[] {
  return trials.filter(hasTrialWorkerRows).flatMap((trial) => {
    const isListed = (column: number): boolean =>
      hasWorkerEndpoints(trial) || WORKER_COLUMNS[column]?.title !== "endpoint";
    const listedCells = <T>(cells: readonly T[]): T[] => cells.filter((_, column) => isListed(column));
    return [
      `by worker, trial ${trial.number}:`,
      ...renderTable(listedCells(WORKER_COLUMNS), workerRows(trial).map(listedCells)),
    ];
  });
}
