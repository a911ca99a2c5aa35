// Treatments side by side, operation by operation: mean and 99th percentile of the response time and events per
// second, each with the spread over trials and the ratio to the first treatment. It words what the trials can bear
// and no more: with few trials it says that it claims nothing.
import { OPERATIONS, type Operation } from "../metrics/operations.js";
import type {
  Comparison,
  ComparisonMetric,
  ResultDocument,
  TreatmentResult,
} from "../results/result-schema.js";
import { BLOCKS_MIN, metricOf, trialsNeeded } from "./comparisons.js";
import { shownOf } from "./terminal.js";
import { renderTable, shorten, wrap, WIDTH_MAX, type Column, type Marks } from "./text-table.js";

const METRICS = ["mean", "p99", "eventsPerSecond"] as const satisfies readonly ComparisonMetric[];
const METRIC_TITLES = { mean: "mean(ms)", p99: "p99(ms)", eventsPerSecond: "events/s" } as const;
const METRIC_WORDS: Readonly<Record<ComparisonMetric, string>> = {
  mean: "mean response time",
  p50: "median response time",
  p95: "p95 response time",
  p99: "p99 response time",
  eventsPerSecond: "events/s",
};
const LABEL_WIDTH_MAX = 24;

/** Three significant digits, never with an exponent: `0.123`, `12.3`, `12345`. */
export function threeDigits(value: number): string {
  if (value === 0) return "0";
  if (value >= 100) return value.toFixed(0);
  return value >= 0.001 ? Number(value.toPrecision(3)).toString() : value.toFixed(6);
}

/** Ids as they are where they fit, else numbered, so that shortened ones stay distinct. */
export function labelsOf(treatments: readonly TreatmentResult[]): string[] {
  if (treatments.every(({ id }) => id.length <= LABEL_WIDTH_MAX)) return treatments.map(({ id }) => id);
  return treatments.map(({ id }, i) => {
    const number = `#${i + 1} `;
    return number + shorten(id, LABEL_WIDTH_MAX - number.length);
  });
}

function metricCells(
  treatment: TreatmentResult,
  operation: Operation,
  metric: (typeof METRICS)[number],
  ratio: string,
): string[] {
  const result = shownOf(treatment)?.operations[operation];
  const value = metric === "eventsPerSecond" ? result?.eventsPerSecond : result?.responseTimeMs?.[metric];
  const perTrial = treatment.trials.flatMap((trial) => metricOf(trial, operation, metric) ?? []);
  const spread =
    perTrial.length > 1
      ? `${threeDigits(Math.min(...perTrial))}..${threeDigits(Math.max(...perTrial))}`
      : "-";
  return [value === undefined ? "-" : threeDigits(value), spread, ratio];
}

function ratioCell(
  result: ResultDocument,
  index: number,
  operation: Operation,
  metric: ComparisonMetric,
): string {
  if (index === 0) return "1x";
  const treatment = result.treatments[index];
  const found = result.comparisons.find(
    (comparison) =>
      comparison.treatment === treatment?.id &&
      comparison.operation === operation &&
      comparison.metric === metric,
  );
  return found ? `${found.ratio.toFixed(2)}x` : "-";
}

/** One table for each operation that any treatment performed. */
export function renderSideBySide(result: ResultDocument, marks: Marks): string[] {
  const labels = labelsOf(result.treatments);
  const metricColumns = METRICS.flatMap((metric): Column[] => [
    { title: METRIC_TITLES[metric], align: "right" },
    { title: "min..max", align: "right" },
    { title: "ratio", align: "right" },
  ]);
  const performed = OPERATIONS.filter((operation) =>
    result.treatments.some((treatment) => shownOf(treatment)?.operations[operation]),
  );
  return performed.flatMap((operation) => {
    const columns: Column[] = [{ title: operation, align: "left" }, ...metricColumns];
    const rows = result.treatments.map((treatment, i) => [
      labels[i] ?? treatment.id,
      ...METRICS.flatMap((metric) =>
        metricCells(treatment, operation, metric, ratioCell(result, i, operation, metric)),
      ),
    ]);
    const [titles = "", ...lines] = renderTable(columns, rows);
    return [marks.bold(titles), ...lines, ""];
  });
}

/** End-to-end latency of events, treatment by treatment; nothing where no event completed. */
export function renderLifecycle(result: ResultDocument, marks: Marks): string[] {
  const labels = labelsOf(result.treatments);
  const rows = result.treatments.map((treatment, i) => {
    const lifecycle = shownOf(treatment)?.lifecycle;
    const cells = [lifecycle?.completedMs, lifecycle?.archivedMs].flatMap((latency) =>
      latency ? [latency.mean, latency.p50, latency.p99].map(threeDigits) : ["-", "-", "-"],
    );
    return [labels[i] ?? treatment.id, ...cells];
  });
  if (rows.every((row) => row.slice(1).every((cell) => cell === "-"))) return [];
  const columns: Column[] = [
    { title: "published ->", align: "left" },
    ...["completed mean(ms)", "p50(ms)", "p99(ms)", "archived mean(ms)", "p50(ms)", "p99(ms)"].map(
      (title): Column => ({ title, align: "right" }),
    ),
  ];
  const [titles = "", ...lines] = renderTable(columns, rows);
  return [marks.bold(titles), ...lines, ""];
}

function sentence(comparison: Comparison): string {
  const { treatment, baseline, operation, metric, ratio, ciLow, ciHigh, pAdjusted, verdict } = comparison;
  const interval = `95 % CI ${ciLow?.toFixed(2) ?? "?"}-${ciHigh?.toFixed(2) ?? "?"}`;
  const what = `${operation}: ${METRIC_WORDS[metric]}`;
  return verdict === "indistinguishable"
    ? `${what} of ${treatment} cannot be told from ${baseline}'s (${ratio.toFixed(2)}x, ${interval})`
    : `${what} of ${treatment} is ${verdict}: ${ratio.toFixed(2)}x ${baseline}'s (${interval}, adjusted p ${pAdjusted?.toFixed(3) ?? "?"})`;
}

function trialCount(n: number): string {
  return n === 1 ? "1 trial" : `${n} trials`;
}

/** What may be concluded from the comparisons, and what may not. */
export function renderClaims(result: ResultDocument): string[] {
  if (result.treatments.length < 2) return [];
  const complete = result.treatments.map(
    (treatment) => treatment.trials.filter((trial) => trial.status === "complete").length,
  );
  const fewest = Math.min(...complete);
  if (fewest < BLOCKS_MIN)
    return wrap(
      `${trialCount(fewest)}: no significance claimed. Ratios are medians over blocks of trials; ` +
        `at least ${BLOCKS_MIN} trials of each treatment are needed for an interval.`,
      WIDTH_MAX,
    );
  const shown = result.comparisons.filter(({ metric }) => (METRICS as readonly string[]).includes(metric));
  const settled = shown.filter(({ verdict }) => verdict !== "inconclusive");
  const open = shown.length - settled.length;
  const family = result.treatments.length - 1;
  const needed = trialsNeeded(family);
  const reach =
    fewest < needed
      ? `: with ${family} to compare with the first, fewer than ${needed} trials cannot be significant`
      : `: ${trialCount(fewest)} neither show a difference nor exclude one`;
  return [
    ...settled.map(sentence),
    ...(open > 0 ? [`${open} of ${shown.length} comparisons are inconclusive${reach}.`] : []),
  ].flatMap((line) => wrap(line, WIDTH_MAX));
}
