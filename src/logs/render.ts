// Bad news comes first; words stand for a number that the log lacks. Text from a file passes through the tables, which
// strip control characters.
import { counted } from "../foundation/units.js";
import { LINE_PROBLEMS } from "../results/log-lines.js";
import { isCycleOperation } from "../metrics/operations.js";
import { sparkline } from "../foundation/text/sparkline.js";
import {
  type Column,
  type TerminalMarks,
  printable,
  renderTable,
  shorten,
  REPORT_WIDTH_MAX,
  wrap,
} from "../foundation/text/text-table.js";
import type { Cause } from "./causes.js";
import type { FileReport, LogReport, OperationTotals, TrialLogReport } from "./log-report.js";
import { sumOfCounts } from "../metrics/figures.js";
import { sqlstateCountsText, renderOperationRows } from "../results/operation-rows.js";
import type { SlowTransaction } from "./slowest.js";

/** Width in characters of the last column, which the other columns of the widest line leave. */
const REASON_WIDTH = 52;

export function renderLogReport({ files, trials }: LogReport, marks: TerminalMarks): string {
  const sections = trials.flatMap((trial) => [...trialLines(trial, marks), ""]);
  const problems = files.flatMap((file) => fileLines(file).map(marks.bad));
  return [
    ...problems,
    ...(problems.length > 0 ? [""] : []),
    ...sections,
    ...(trials.length === 0 ? ["Nothing in these logs fits the filters."] : []),
    "",
  ]
    .join("\n")
    .replace(/\n+$/, "\n");
}

function fileLines({ path, lines, understood, problems, examples }: FileReport): string[] {
  if (lines === 0) return [`${printable(path)} is empty: log.level was silent, or nothing was written yet`];
  const lineProblems = LINE_PROBLEMS.filter((problem) => problems[problem] > 0);
  if (lineProblems.length === 0) return [];
  const kinds = lineProblems.map((problem) => `${problems[problem]} ${problem}`).join(", ");
  return [
    ...wrap(
      `${printable(path)}: ${understood} of ${counted(lines, "line")} understood; left out: ${kinds}`,
      REPORT_WIDTH_MAX,
    ),
    ...examples.map(({ line, problem, reason }) =>
      shorten(printable(`  line ${line}: ${problem}: ${reason}`), REPORT_WIDTH_MAX),
    ),
  ];
}

function trialLines(trial: TrialLogReport, marks: TerminalMarks): string[] {
  return [
    ...wrap(heading(trial), REPORT_WIDTH_MAX).map(marks.bold),
    ...(trial.isCounted
      ? totalLines(trial)
      : ["totals: not logged, because log.level is above info; what follows is from single lines"]),
    phaseLine(trial),
    ...stallLines(trial, marks),
    ...renderSlowest(trial.slowest, marks),
    ...causeLines(trial, marks),
    ...timelineLines(trial, marks),
  ];
}

function heading({ number, treatment, status, reason, integrity, file, ...trial }: TrialLogReport): string {
  const ended = status ?? "the log does not end: cut short, or still running";
  const window = trial.windowStartsAt === null ? "" : `, window from ${trial.windowStartsAt}`;
  const why = reason === null ? "" : `: ${reason}`;
  const violationText = integrity === "violated" ? ", INTEGRITY VIOLATED" : "";
  return printable(`Trial ${number} ${treatment}, ${ended}${why}${violationText}${window} (${file})`);
}

function totalLines(trial: TrialLogReport): string[] {
  const operations = Object.entries(trial.operations).sort(
    ([a], [b]) => Number(isCycleOperation(b)) - Number(isCycleOperation(a)),
  );
  if (operations.length === 0) return ["nothing was counted"];
  const each = (describe: (totals: OperationTotals) => string | undefined): string =>
    operations.flatMap(([name, totals]) => describe(totals)?.replace(/^/, `${name} `) ?? []).join("; ");
  const sqlstateCounts = (counts: Readonly<Record<string, number>>): string | undefined =>
    sumOfCounts(counts) > 0 ? sqlstateCountsText(counts) : undefined;
  const emptyPolls = each(({ emptyPolls: polls }) => (polls > 0 ? String(polls) : undefined));
  const arrivals = each(({ offered, dropped }) =>
    offered === undefined ? undefined : `${offered} offered, ${dropped ?? 0} dropped`,
  );
  const operationsWithoutHistogram = operations
    .filter(([, { transactions, responseTimeMs }]) => transactions > 0 && !responseTimeMs)
    .map(([name]) => name);
  const { outside } = trial;
  return [
    ...renderOperationRows(operations, trial.secondsCounted),
    `failures: ${each(({ failures }) => sqlstateCounts(failures)) || "none"}`,
    `retries: ${each(({ retriesBySqlstate }) => sqlstateCounts(retriesBySqlstate)) || "none"}`,
    ...(emptyPolls ? [`empty polls: ${emptyPolls}`] : []),
    ...(arrivals ? [`open loop: ${arrivals}`] : []),
    ...(operationsWithoutHistogram.length > 0
      ? [
          `response times of ${operationsWithoutHistogram.join(", ")}: unknown, summaries of this log have no histograms`,
        ]
      : []),
    ...(outside
      ? [
          `outside the window: ${counted(outside.transactions, "transaction")}, ` +
            `${counted(outside.retries, "retry", "retries")}, ${counted(outside.failures, "failure")}`,
        ]
      : []),
  ];
}

function phaseLine({ phases }: TrialLogReport): string {
  const spans = phases.map(({ phase, seconds, steps = [] }) => {
    const stepText = steps.map((each) => `${each.step} ${each.seconds.toFixed(2)} s`).join(", ");
    return `${phase} ${seconds === null ? "(length unknown)" : `${seconds.toFixed(1)} s`}${stepText && ` (${stepText})`}`;
  });
  return printable(`phases: ${spans.join(", ") || "not logged"}`);
}

function stallLines({ stalls, isCounted }: TrialLogReport, marks: TerminalMarks): string[] {
  if (!isCounted) return [];
  if (stalls.length === 0) return ["stalls: none"];
  const titles = ["second", "for (s)", "operation", "retries and failures", "longest after it (ms)"];
  const rows = stalls.map((stall) => [
    String(stall.fromSecond),
    String(stall.seconds),
    stall.operation,
    String(stall.failedAttempts),
    stall.longestAfterMs.toFixed(2),
  ]);
  return [
    "",
    marks.bad("Stalls: nothing was finished, though it was before and after"),
    ...tableOf(titles, rows, ["operation"]),
  ];
}

function causeLines(
  { details, retries, failures, isCounted }: TrialLogReport,
  marks: TerminalMarks,
): string[] {
  const { causes, retryLines, failureLines, leftOut } = details;
  if (causes.length === 0 && (leftOut ?? 0) === 0) return [];
  const loggedText = isCounted
    ? `${retryLines} of ${counted(retries ?? 0, "retry", "retries")} and ${failureLines} of ` +
      `${counted(sumOfCounts(failures ?? {}), "failure")} have a line of their own; ` +
      `${counted(leftOut ?? 0, "line")} left out, for a worker writes 20 a second`
    : `${counted(retryLines, "retry", "retries")} and ${counted(failureLines, "failure")} were logged; ` +
      "how many lines were left out is not";
  const titles = ["lines", "event", "sqlstate", "operation", "statement", "table", "first reason"];
  const rows = causes.map((cause) => [
    String(cause.count),
    cause.event,
    cause.sqlstate,
    cause.operation,
    cause.statement ?? "-",
    cause.table ?? "unknown",
    shorten(printable(reasonWithoutStatement(cause)), REASON_WIDTH),
  ]);
  return [
    "",
    marks.bold("Retries and failures by table"),
    ...wrap(loggedText, REPORT_WIDTH_MAX),
    ...(rows.length > 0 ? tableOf(titles, rows, titles.slice(1)) : []),
  ];
}

/** The reason of a cause without its statement, which has a separate column. */
function reasonWithoutStatement({ reason, statement }: Cause): string {
  const prefix = `${statement ?? ""}: `;
  return reason.startsWith(prefix) ? reason.slice(prefix.length) : reason;
}

function timelineLines({ timeline }: TrialLogReport, marks: TerminalMarks): string[] {
  if (timeline.rows.length === 0) return [];
  const { columnSeconds, rows } = timeline;
  const titles = ["actor", "operation", "tot_ops", "retries", "failures", "max(ms)", "over time"];
  const cells = rows.map((row) => [
    `${row.actor}/${row.worker}`,
    row.operation,
    String(row.transactions),
    String(row.retries),
    String(row.failures),
    row.longestMs.toFixed(2),
    sparkline(row.transactionsByColumn, row.transactionsByColumn.length, true),
  ]);
  return [
    "",
    marks.bold(`Transactions of each worker over the window, ${counted(columnSeconds, "second")} a column`),
    ...tableOf(titles, cells, ["actor", "operation", "over time"]),
  ];
}

function tableOf(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  left: readonly string[],
): string[] {
  const columns = titles.map((title) => ({ title, align: left.includes(title) ? "left" : "right" }) as const);
  return renderTable(columns, rows);
}

const COLUMN_TITLES = [
  "response(ms)",
  "service(ms)",
  "operation",
  "second",
  "client",
  "attempts",
  "parts (ms)",
];
const LEFT_ALIGNED_TITLES = ["operation", "client", "parts (ms)"];
/** Width in characters of the last column, which the other columns leave. */
const PARTS_WIDTH = REPORT_WIDTH_MAX - 76;
const SLOWEST_COLUMNS: readonly Column[] = COLUMN_TITLES.map((title) => ({
  title,
  align: LEFT_ALIGNED_TITLES.includes(title) ? "left" : "right",
}));

/** Table of the slowest transactions; shows parts that took a hundredth of the time or more, longest first. */
function renderSlowest(slowest: readonly SlowTransaction[], marks: TerminalMarks): string[] {
  if (slowest.length === 0) return [];
  const rows = slowest.flatMap((each) => {
    const [first = "", ...more] = wrap(partsText(each), PARTS_WIDTH);
    const cells = [
      each.responseMs.toFixed(2),
      each.serviceMs?.toFixed(2) ?? "-",
      each.operation,
      String(each.second),
      `${each.actor}/${each.worker}${each.client === null ? "" : `#${each.client}`}`,
      each.attempts === null ? "-" : String(each.attempts),
      first,
    ];
    return [cells, ...more.map((text) => [...Array.from({ length: cells.length - 1 }, () => ""), text])];
  });
  return ["", marks.bold("Slowest transactions"), ...renderTable(SLOWEST_COLUMNS, rows)];
}

function partsText({ parts, responseMs }: SlowTransaction): string {
  if (!parts) return "not logged";
  const longest = Object.entries(parts).sort(([, a], [, b]) => b - a);
  return longest
    .filter(([, ms]) => ms >= responseMs / 100)
    .map(([name, ms]) => `${name} ${ms.toFixed(2)}`)
    .join(", ");
}
