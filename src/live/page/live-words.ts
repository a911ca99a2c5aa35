// Words and tables of the live page, in the words of the terminal. Pure; it makes no elements.
import { counted, formatDuration } from "../../foundation/units.js";
import { isCycleOperation, operationsIn } from "../../metrics/operations.js";
import { evidenceMetricOf } from "../../workloads/evidence.js";
import { measuredText } from "../../foundation/text/numbers.js";
import type { LiveLook } from "../../engine/session/observer.js";
import type { RunningThreshold } from "../../engine/session/observer.js";
import type { LiveBudget, LiveRow, LiveTrialEnd, LiveView } from "./live-data.js";
import type { ChartTable } from "../../report/html/page/charts/drawing.js";
import { unitOf } from "../../report/html/page/charts/metric-unit.js";
import { plainNumber, valueText } from "../../report/html/page/charts/values.js";
import { unitsText } from "../../workloads/vocabulary.js";
import { operationName } from "../../report/html/page/charts/view.js";

const NAMED_COMPARISONS_MAX = 4;

export function secondsText(ms: number): string {
  return formatDuration(Math.max(0, Math.round(ms / 1000)) * 1000);
}

function numberText(value: number | null): string {
  return value === null ? "-" : plainNumber(value);
}

/** Heading such as `Trial 3 of 15: jsonb-pgbouncer`. */
export function trialHeading({ trial, trials, mayEndEarly }: LiveView): string {
  if (!trial) return "Starting";
  const most = mayEndEarly ? "at most " : "";
  return `Trial ${trial.number}${trials === null ? "" : ` of ${most}${trials}`}: ${trial.treatment}`;
}

/** Sentence with the number of open comparisons, their names, and the longest remaining time. */
export function lookWords({ blocks, blocksMost, nextLook, claims, open }: LiveLook): string {
  const after = `after ${counted(blocks, "block")}`;
  if (open.length === 0 && claims > 0)
    return `${after}: ${counted(claims, "comparison is", "comparisons are")} decided`;
  if (claims === 0) return `${after}: no comparison is to be decided`;
  const openNames =
    open.slice(0, NAMED_COMPARISONS_MAX).join(", ") + (open.length > NAMED_COMPARISONS_MAX ? ", ..." : "");
  const next =
    nextLook === null
      ? "no look is left"
      : `next look after ${nextLook}, at most ${counted(blocksMost - blocks, "block")} to go`;
  return `${after}: ${open.length} of ${counted(claims, "comparison")} open (${openNames}); ${next}`;
}

/** Sentence about a budget, such as `loaders: 37 of 500 iterations (7 %), about 12m left`. */
export function budgetWords({ role, ended, iterations, leftMs }: LiveBudget): string {
  const percent = Math.floor((100 * ended) / iterations);
  const left = leftMs === null ? "" : `, about ${secondsText(leftMs)} left`;
  return `${role}: ${ended} of ${counted(iterations, "iteration")} (${percent} %)${left}`;
}

export function phaseProgress({ phase, elapsedMs, budgets }: LiveView): number | undefined {
  if (budgets.length > 0) return Math.min(...budgets.map(({ ended, iterations }) => ended / iterations));
  if (!phase || phase.mostMs === null || phase.mostMs === 0 || phase.name === "drain") return undefined;
  return Math.min(1, (elapsedMs - phase.sinceMs) / phase.mostMs);
}

export function phaseWords(view: LiveView): string {
  const { phase, elapsedMs, budgets } = view;
  if (!phase) return view.trial ? "between two trials" : "preparing";
  const spentMs = elapsedMs - phase.sinceMs;
  if (budgets.length > 0)
    return [`${phase.name}, for ${secondsText(spentMs)}`, ...budgets.map(budgetWords)].join("; ");
  const isPhaseBounded = phaseProgress(view) !== undefined;
  const leftMs = (phase.mostMs ?? 0) - spentMs;
  return `${phase.name}, ${isPhaseBounded ? `${secondsText(leftMs)} left` : `for ${secondsText(spentMs)}`}`;
}

export function timeWords({ elapsedMs, leftMs, mayEndEarly }: LiveView): string {
  const about = mayEndEarly ? "at most" : "about";
  return `${secondsText(elapsedMs)} elapsed${leftMs === null ? "" : `, ${about} ${secondsText(leftMs)} left in all`}`;
}

/**
 * Rows of transactions, and of cycles if arrivals of cycles were dropped, because then a schedule starts them.
 */
export function displayedRows(rows: readonly LiveRow[]): LiveRow[] {
  return rows.filter(({ operation, totalDropped }) => !isCycleOperation(operation) || totalDropped > 0);
}

/** Unit of the work of these operations, in one word. */
export function workOf(rows: readonly { readonly unit: string }[]): string {
  return unitsText(rows.map(({ unit }) => unit));
}

export function operationTable({ operations }: LiveView): ChartTable {
  const rows = displayedRows(operations);
  return {
    caption:
      "The last second of the measurement window; mean rate, retries, failures and drops of the trial so far",
    columns: [
      "operation",
      `${workOf(rows)}/s`,
      "transactions/s",
      "p99 ms",
      "pool wait, mean ms",
      "pool wait, p99 ms",
      `${workOf(rows)}/s so far`,
      "retries",
      "failures",
      "dropped",
    ],
    rows: rows.map((row) => [
      operationName(row.operation),
      ...[row.events, row.transactions, row.p99Ms, row.poolWaitMeanMs, row.poolWaitP99Ms, row.meanEvents].map(
        numberText,
      ),
      ...[row.totalRetries, row.totalFailures, row.totalDropped].map(numberText),
    ]),
  };
}

export function thresholdWords({ metric, expression, seen, ok }: RunningThreshold): string {
  if (seen === null) return `${metric} ${expression}: no sample yet`;
  const state = `${ok === null ? "too few samples" : ok ? "holds" : "broken"} so far: ${measuredText(seen, expression)}`;
  return `${metric} ${expression}: ${state}`;
}

export function evidenceTable({ evidence }: LiveView): ChartTable {
  return {
    caption: "The last sample of the database, the pooler and the machine; rates are per second",
    columns: ["metric", "value", "what"],
    rows: Object.entries(evidence).map(([name, value]) => [
      name,
      valueText(value, unitOf(name)),
      evidenceMetricOf(name)?.meaning ?? "",
    ]),
  };
}

/** Words such as `ok, lost (allowed): add 134`. */
export function integrityWords({ integrity, lost }: Pick<LiveTrialEnd, "integrity" | "lost">): string {
  return [integrity ?? "not checked", ...(lost === null ? [] : [lost])].join(", ");
}

export function endedTrialsTable(ended: readonly LiveTrialEnd[]): ChartTable {
  const operations = operationsIn(ended.map((each) => each.operations)).filter(
    (each) => !isCycleOperation(each),
  );
  return {
    caption: "Throughput and p99 response time of the whole window",
    columns: ["trial", "treatment", "status", "integrity", ...operations.map(operationName), "notes"],
    rows: ended.map((each) => [
      each.number,
      each.treatment,
      each.status,
      integrityWords(each),
      ...operations.map((operation) => {
        const one = each.operations[operation];
        return one ? `${plainNumber(one.eventsPerSecond)} ${one.unit}/s, ${numberText(one.p99Ms)} ms` : "-";
      }),
      [...(each.reason === null ? [] : [each.reason]), ...each.invalid].join("; "),
    ]),
  };
}
