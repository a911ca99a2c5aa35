// Lines that fit the terminal's columns and rows. Pure. Lines that do not fit are left out from the bottom: trial, phase
// and operations are kept longest.
import { LIVE_METRICS } from "../workloads/evidence.js";
import type { RunningThreshold } from "../engine/session/observer.js";
import type { LiveBudget, LiveView } from "./page/live-data.js";
import { budgetWords, lookWords, displayedRows, workOf } from "./page/live-words.js";
import { measuredText, shortNumber } from "../foundation/text/numbers.js";
import { printable, shorten, type TerminalMarks } from "../foundation/text/text-table.js";
import { secondsText, trialText } from "./lines.js";
import { bar, sparkline } from "../foundation/text/sparkline.js";

export interface Screen {
  readonly columns: number;
  readonly rows: number;
  readonly isUnicode: boolean;
  readonly marks: TerminalMarks;
}

export interface BoardPast {
  readonly eventsOf: (operation: LiveView["operations"][number]["operation"], seconds: number) => number[];
  readonly evidenceOf: (name: string, samples: number) => number[];
}

const SPARKLINE_SECONDS = 60;
const BAR_WIDTH = 20;
const NAME_WIDTH_MIN = 8;

type Tone = keyof TerminalMarks | "plain";

interface BoardLine {
  readonly text: string;
  readonly tone: Tone;
}

const plainLine = (text: string): BoardLine => ({ text, tone: "plain" });

/**
 * Lines of the live board: at most `rows - 1`, each shorter than `columns`, since a full last row or column would make the
 * terminal scroll.
 */
export function renderBoard(view: LiveView, past: BoardPast, screen: Screen): string[] {
  const lines = [
    ...headingLines(view, screen),
    ...view.budgets.map((budget) => budgetLine(budget, screen)),
    ...(view.look ? [plainLine(printable(lookWords(view.look)))] : []),
    ...operationLines(view, past, screen),
    ...databaseLines(view, past, screen),
    ...thresholdLines(view.thresholds, screen),
  ];
  const width = Math.max(1, screen.columns - 1);
  return lines.slice(0, Math.max(1, screen.rows - 1)).map(({ text, tone }) => {
    const cut = fit(text, width, screen.isUnicode);
    return tone === "plain" ? cut : screen.marks[tone](cut);
  });
}

function fit(text: string, width: number, isUnicode: boolean): string {
  const trimmed = text.trimEnd();
  if (trimmed.length <= width) return trimmed;
  return isUnicode ? `${trimmed.slice(0, width - 1)}…` : trimmed.slice(0, width);
}

/** A line with text at the left and right edges of the screen. */
function edgeToEdgeLine(left: string, right: string, columns: number): string {
  const gap = columns - 1 - left.length - right.length;
  return gap >= 2 ? `${left}${" ".repeat(gap)}${right}` : `${left}  ${right}`;
}

function headingLines(view: LiveView, { columns, isUnicode }: Screen): BoardLine[] {
  const { trial, phase, leftMs, elapsedMs, mayEndEarly } = view;
  const leftText = leftMs === null ? "" : `, ${mayEndEarly ? "at most " : ""}${secondsText(leftMs)} left`;
  const times = `${secondsText(elapsedMs)} elapsed${leftText}`;
  const title = edgeToEdgeLine(`train-sim  ${printable(view.scenario)}`, times, columns);
  if (!trial) return [{ text: title, tone: "bold" }, plainLine("starting")];
  const heading = `${trialText(trial.number, view.trials)}  ${printable(trial.treatment)}`;
  return [
    { text: title, tone: "bold" },
    plainLine(edgeToEdgeLine(heading, phaseBar(phase, elapsedMs, isUnicode), columns)),
  ];
}

function budgetLine(budget: LiveBudget, { columns, isUnicode }: Screen): BoardLine {
  const { ended, iterations } = budget;
  const words = printable(budgetWords(budget));
  return plainLine(edgeToEdgeLine(words, bar(ended, iterations, BAR_WIDTH, isUnicode), columns));
}

function phaseBar(phase: LiveView["phase"], elapsedMs: number, isUnicode: boolean): string {
  if (!phase) return "";
  const spentMs = elapsedMs - phase.sinceMs;
  // A drain is over when the queue is empty, not at its bound: a bar would promise an unknown time.
  if (phase.mostMs === null || phase.name === "drain") return `${phase.name} ${secondsText(spentMs)}`;
  const spent = Math.min(spentMs, phase.mostMs);
  return `${phase.name} ${bar(spent, phase.mostMs, BAR_WIDTH, isUnicode)} ${secondsText(phase.mostMs - spent)} left`;
}

/** Number such as `12.3`; a dash if nothing was measured. */
function numberText(value: number | null): string {
  return value === null ? "-" : shortNumber(value);
}

interface OperationCells {
  readonly name: string;
  readonly sparklineText: string;
  readonly numbers: readonly string[];
}

/** Titles of columns. The rate so far is the mean of the trial, and the pool wait in ms is the mean of the last second. */
const COLUMN_TITLES = ["so far/s", "p99 ms", "pool wait ms", "wait p99", "retries", "failures"] as const;

function operationLines({ operations }: LiveView, past: BoardPast, screen: Screen): BoardLine[] {
  const rows = displayedRows(operations);
  if (rows.length === 0) return [];
  const isOpenLoop = rows.some(({ totalDropped }) => totalDropped > 0);
  const titles = [`${workOf(rows)}/s`, ...COLUMN_TITLES, ...(isOpenLoop ? ["dropped"] : [])];
  const nameWidth = Math.max(NAME_WIDTH_MIN, ...rows.map(({ operation }) => operation.length));
  const numbersWidth = titles.reduce((sum, title) => sum + title.length + 2, 0);
  const sparkWidth = Math.min(SPARKLINE_SECONDS, screen.columns - 1 - nameWidth - numbersWidth - 2);
  const line = ({ name, sparklineText, numbers }: OperationCells): string => {
    const cells = numbers.map((text, i) => text.padStart((titles[i] ?? "").length)).join("  ");
    const sparklineColumn = sparkWidth >= 5 ? `  ${sparklineText.padEnd(sparkWidth)}` : "";
    return `${name.padEnd(nameWidth)}  ${cells}${sparklineColumn}`;
  };
  const heading = line({ name: "", sparklineText: `last ${Math.max(0, sparkWidth)} s`, numbers: titles });
  const drawn = rows.map((row): BoardLine => {
    const numbers = [
      row.events,
      row.meanEvents,
      row.p99Ms,
      row.poolWaitMeanMs,
      row.poolWaitP99Ms,
      row.totalRetries,
      row.totalFailures,
      row.totalDropped,
    ]
      .map(numberText)
      .slice(0, titles.length);
    const sparklineText = sparkline(
      past.eventsOf(row.operation, sparkWidth),
      Math.max(0, sparkWidth),
      screen.isUnicode,
    );
    const text = line({ name: row.operation, sparklineText, numbers });
    return { text, tone: row.totalFailures + row.totalDropped > 0 ? "bad" : "plain" };
  });
  return [{ text: heading, tone: "dim" }, ...drawn];
}

/** Lines with the last sample of the metrics that the workload and the database show live; empty before the first sample. */
function databaseLines({ evidence }: LiveView, past: BoardPast, { isUnicode }: Screen): BoardLine[] {
  const parts = LIVE_METRICS.flatMap(({ name, unit, live: { word, hasTrend } }) => {
    const value = evidence[name];
    if (word === undefined || value === undefined) return [];
    const number = unit === "ms" ? `${shortNumber(value / 1000)} s` : shortNumber(value);
    const trend = hasTrend ? ` ${sparkline(past.evidenceOf(name, 20), 20, isUnicode).trimStart()}` : "";
    return [`${word} ${number}${trend}`];
  });
  return parts.length > 0 ? [plainLine(parts.join("   "))] : [];
}

function thresholdLines(
  thresholds: readonly RunningThreshold[],
  { isUnicode, columns }: Screen,
): BoardLine[] {
  const [yes, no, open] = isUnicode ? ["✓", "✗", "·"] : ["ok", "FAILED", "?"];
  return thresholds.map(({ metric, expression, seen, ok }) => {
    const mark = ok === null ? open : ok ? yes : no;
    const value = seen === null ? "no sample yet" : `so far ${measuredText(seen, expression)}`;
    const words = printable(`${metric} ${expression}`);
    const about = isUnicode ? shorten(words, Math.max(10, columns - 30)) : words;
    return { text: `${mark} ${about}  ${value}`, tone: ok === null ? "dim" : ok ? "good" : "bad" };
  });
}
