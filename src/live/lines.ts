// One line of text each, for plain output and the board. Text from outside (names, reasons) is stripped of control characters.
import { LIVE_METRICS } from "../workloads/evidence.js";
import { counted, formatDuration } from "../foundation/units.js";
import { budgetWords, integrityWords, displayedRows } from "./page/live-words.js";
import { shortNumber } from "../foundation/text/numbers.js";
import type { LiveRow, LiveTrialEnd, LiveView } from "./page/live-data.js";
import { printable } from "../foundation/text/text-table.js";
import { isCycleOperation } from "../metrics/operations.js";

export function secondsText(ms: number): string {
  return formatDuration(Math.max(0, Math.round(ms / 1000)) * 1000);
}

/** Text such as `trial 3/15`, without the total if it is unknown. */
export function trialText(number: number, trials: number | null): string {
  return `trial ${number}${trials === null ? "" : `/${trials}`}`;
}

/** The phase and its remaining time: `measure, 12s left`; empty between trials. */
export function phaseText({ phase, elapsedMs }: LiveView): string {
  if (!phase) return "";
  const leftText =
    phase.mostMs === null ? "" : `, ${secondsText(phase.sinceMs + phase.mostMs - elapsedMs)} left`;
  // A drain ends when the queue is empty: its bound is not the time that it takes.
  return phase.name === "drain" ? phase.name : `${phase.name}${leftText}`;
}

/** Unit of a rate, such as `ev/s` or `transfers/s`. */
function rateUnit(unit: string): string {
  return unit === "events" ? "ev/s" : `${unit}/s`;
}

/** Text of an operation's row, with waits for a connection if they are relevant. */
function rowText(row: LiveRow, events: number): string {
  const p99Text = row.p99Ms === null ? "" : ` p99 ${row.p99Ms.toFixed(1)}ms`;
  const waits =
    (row.poolWaitP99Ms ?? 0) >= 1 ? ` pool wait p99 ${(row.poolWaitP99Ms ?? 0).toFixed(1)}ms` : "";
  const troubleTexts = [
    row.totalRetries > 0 && counted(row.totalRetries, "retry", "retries"),
    row.totalFailures > 0 && counted(row.totalFailures, "failure"),
    row.totalDropped > 0 && `${row.totalDropped} dropped`,
  ].filter((words) => words !== false);
  const meanText = row.meanEvents === null ? "" : ` (${Math.round(row.meanEvents)} so far)`;
  return `${row.operation} ${events} ${rateUnit(row.unit)}${meanText}${p99Text}${waits}${troubleTexts.map((words) => ` ${words}`).join("")}`;
}

export function statusLine(view: LiveView): string {
  const { trial, trials, leftMs, evidence, mayEndEarly } = view;
  const broken = view.thresholds.filter(({ ok }) => ok === false);
  return [
    trial ? `${trialText(trial.number, trials)}  ${printable(trial.treatment)}` : "starting",
    phaseText(view),
    ...view.budgets.map(budgetWords),
    leftMs === null ? "" : `${mayEndEarly ? "at most " : ""}${secondsText(leftMs)} left in all`,
    ...displayedRows(view.operations).flatMap((row) => (row.events === null ? [] : rowText(row, row.events))),
    ...LIVE_METRICS.flatMap(({ name, live: { word, isInStatus } }) => {
      const value = evidence[name];
      return isInStatus && value !== undefined ? [`${word ?? name} ${shortNumber(value)}`] : [];
    }),
    ...broken.map(({ metric, expression }) => `BROKEN ${printable(`${metric} ${expression}`)}`),
  ]
    .filter((words) => words !== "")
    .join("  ");
}

export function trialEndLine(ended: LiveTrialEnd, trials: number | null, treatmentWidth: number): string {
  const rates = Object.entries(ended.operations)
    .filter(([operation]) => !isCycleOperation(operation))
    .map(
      ([operation, { unit, eventsPerSecond }]) =>
        `${operation} ${eventsPerSecond.toFixed(0)} ${rateUnit(unit)}`,
    );
  const notes = [
    ...(ended.status === "complete" ? [] : [`${ended.status}: ${ended.reason ?? "no reason given"}`]),
    ...ended.invalid,
  ];
  return [
    trialText(ended.number, trials),
    printable(ended.treatment).padEnd(treatmentWidth),
    ...rates,
    `integrity ${integrityWords(ended)}${notes.length > 0 ? ` (${printable(notes.join("; "))})` : ""}`,
  ].join("  ");
}
