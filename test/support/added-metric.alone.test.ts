// A metric is one entry of the catalogue: the test adds only two entries, and all outputs of metrics show them.
import { describe, expect, it, vi } from "vitest";
import { withAnalysis } from "../../src/analysis/comparison/analysis.js";
import { compareRuns } from "../../src/analysis/comparison/run-comparison.js";
import { assess } from "../../src/analysis/thresholds/thresholds.js";
import { PrometheusMetrics } from "../../src/live/prometheus.js";
import type { Metric } from "../../src/metrics/catalogue.js";
import {
  COUNTER_SLOTS,
  type ComparisonMetric,
  type CounterId,
  type LatencyId,
} from "../../src/metrics/metric-lists.js";
import { Recorder } from "../../src/metrics/recorder.js";
import { SecondBuffers } from "../../src/metrics/second-buffers.js";
import { Tally } from "../../src/metrics/tally.js";
import type { Totals } from "../../src/metrics/totals.js";
import { renderComparisons } from "../../src/report/html/sections/comparisons.js";
import { renderNumbers } from "../../src/report/html/sections/numbers.js";
import { runsAsCsv } from "../../src/report/terminal/run-csv.js";
import { renderRunComparison } from "../../src/report/terminal/run-comparison-text.js";
import { renderSummary } from "../../src/report/terminal/summary.js";
import { operationResults } from "../../src/results/operation-results.js";
import { OperationResult, ResultDocument } from "../../src/results/result-schema.js";
import { totalsOf } from "../../src/results/stored-totals.js";
import { TIMESERIES_COLUMNS, timeseriesRow } from "../../src/results/trial-files.js";
import { parseThreshold } from "../../src/scenario/thresholds.js";
import { watchedRun } from "./example-live.js";
import { exampleResult, exampleTrial } from "./example-result.js";

const { counter, latency } = vi.hoisted(() => ({
  counter: {
    id: "rowsSent" as string,
    label: "rows sent",
    unit: "",
    better: "lower",
    aggregate: "sum",
    field: "rowsSent",
    presence: "seen",
    isCompared: true,
    isHeadline: true,
    threshold: "rowsSent",
    isNoted: true,
    series: ["count"],
    prometheus: "rows_sent_total",
    help: "rows that the server sent",
  } satisfies Metric,
  latency: {
    id: "firstrow" as string,
    label: "first row",
    unit: "ms",
    better: "lower",
    aggregate: "histogram",
    field: "firstRowMs",
    presence: "seen",
    series: ["mean", "p99"],
    prometheus: "first_row_seconds",
    help: "until the first row",
  } satisfies Metric,
}));

vi.mock("../../src/metrics/catalogue.js", async (original) => {
  const catalogue = await original<{ METRICS: readonly Metric[] }>();
  return { ...catalogue, METRICS: [...catalogue.METRICS, counter, latency] };
});

const [ROWS, FIRST_ROW] = [counter.id as CounterId, latency.id as LatencyId];

/** Totals of two workers in one second: 7 rows sent, the first after 4 and 6 ms. */
function measureTotals(): Totals {
  const recorder = new Recorder(["add"]);
  recorder.setWindow(0, 1000);
  recorder.count("add", ROWS, 100, 3);
  recorder.count("add", ROWS, 200, 4);
  const buffers = new SecondBuffers(["add"]);
  buffers.operations.add?.counters.add(COUNTER_SLOTS.transactions, 2);
  for (const ms of [4, 6]) buffers.operations.add?.samples[FIRST_ROW].push(ms);
  const counted = recorder.take(Number.POSITIVE_INFINITY);
  const tally = new Tally(["add"], 2);
  tally.add(0, structuredClone(counted));
  tally.add(1, structuredClone({ ...counted, seconds: [buffers.drain()] }));
  return tally.finish(1);
}

function storeTotals(totals: Totals): OperationResult {
  const { add } = operationResults(totals.summary(1), watchedRun().trial(1).treatment.settings);
  return OperationResult.parse(add);
}

/** Result with six trials of each treatment. The second sends 1.5 times as many rows as the first; `more` scales both. */
function experiment(more = 1): ResultDocument {
  const result = exampleResult(6, 1);
  result.treatments.forEach(({ trials, merged }, treatment) => {
    for (const { operations, block } of trials)
      Object.assign(operations.add ?? {}, { [ROWS]: more * (100 + block) * (2 + treatment) });
    Object.assign(merged?.operations.add ?? {}, { [ROWS]: 600 });
  });
  return withAnalysis(ResultDocument.parse(result));
}

describe("a metric added to the catalogue of operations", () => {
  it("is recorded, merged, stored and read back", () => {
    const totals = measureTotals();
    expect(storeTotals(totals)).toMatchObject({ [ROWS]: 7, firstRowMs: { mean: 5.0015 }, transactions: 2 });
    totals.add(measureTotals());
    expect(storeTotals(totals)).toMatchObject({ [ROWS]: 14, transactions: 4 });
    const trial = { ...exampleTrial(0, 1, 10), operations: { add: storeTotals(totals) } };
    expect(storeTotals(totalsOf(trial, totals.histograms))).toEqual(storeTotals(totals));
  });

  it("has columns in the time series", () => {
    const cells = timeseriesRow(0, "add", measureTotals()).split(",");
    const row = Object.fromEntries(TIMESERIES_COLUMNS.map((column, i) => [column, cells[i]]));
    expect(row).toMatchObject({ [ROWS]: "7", meanFirstRowMs: "5.002", p99FirstRowMs: "6.003" });
  });

  it("is exported to Prometheus", async () => {
    const metrics = new PrometheusMetrics({ scenario: "s", programVersion: "1", trials: 1 });
    const { trial, treatment } = watchedRun().trial(1);
    metrics.trialStarted(trial, treatment);
    metrics.second(0, measureTotals());
    const text = await metrics.text();
    const labels = `operation="add",treatment="${treatment.id}"`;
    expect(text).toContain(`train_sim_rows_sent_total{${labels}} 7`);
    expect(text).toContain(`train_sim_first_row_seconds_count{${labels}} 2`);
  });

  it("is available to thresholds", () => {
    const totals = measureTotals();
    const assessThreshold = (metric: string, threshold: string) => {
      const parsed = parseThreshold(metric, { threshold, abortOnFail: false, delayAbortEvalMs: 0 });
      if (!("value" in parsed)) throw new Error(parsed.message);
      const measuredNow = { operations: { add: storeTotals(totals) }, histograms: totals.histograms };
      return assess(parsed.value, { ...measuredNow, audits: [], invalid: undefined });
    };
    expect(assessThreshold("add", `${ROWS}<8`)).toEqual({ seen: 7, ok: true });
    expect(assessThreshold(`add.${FIRST_ROW}`, "avg<5")).toEqual({ seen: 5.0015, ok: false });
  });

  it("is compared between treatments and is in summary, report and CSV", () => {
    const result = experiment();
    const found = result.comparisons.find(({ metric }) => metric === (ROWS as ComparisonMetric));
    expect(found?.ratio).toBeCloseTo(1.5);
    expect(found).toMatchObject({ operation: "add", verdict: "finding" });
    const summary = renderSummary(result, { directory: "results" }).replace(/\s+/g, " ");
    expect(summary).toContain("rows sent is 50 % higher than with jsonb (1.50x, 95 % CI [1.50, 1.50]).");
    expect(summary).toContain("rows sent: add 600");
    expect(renderComparisons(result).markup).toContain("rows sent");
    expect(renderNumbers(result).markup).toContain("rows sent");
    expect(runsAsCsv([{ directory: "a", result }]).csv).toContain(`text.add.${ROWS}`);
  });

  it("is compared between runs, and a worse value is a regression", () => {
    const before = { directory: "before", result: experiment() };
    const compared = compareRuns(before, [{ directory: "after", result: experiment(2) }], 0.1);
    expect(compared.regressions).toBe(2);
    expect(renderRunComparison(compared)).toContain("REGRESSION: jsonb add rows sent is higher: 2.00x");
  });
});
