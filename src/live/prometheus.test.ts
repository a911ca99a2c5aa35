import { describe, expect, it } from "vitest";
import { SAMPLED_METRICS } from "../workloads/evidence.js";
import { endedTrial, liveSecond, liveSecondOf, watchedRun } from "../../test/support/example-live.js";
import { BinnedHistogram } from "./binned-histogram.js";
import { gaugeName } from "./evidence-gauges.js";
import { PrometheusMetrics } from "./prometheus.js";

/** Parses metrics into values by series, without comments; every line must be valid in the text format. */
function parseSeries(text: string): Map<string, number> {
  const series = new Map<string, number>();
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("# HELP ") || line.startsWith("# TYPE ")) continue;
    const match =
      /^([a-zA-Z_:][\w:]*(?:\{[a-z_]+="(?:[^"\\\n]|\\.)*"(?:,[a-z_]+="(?:[^"\\\n]|\\.)*")*\})?) (\S+)$/.exec(
        line,
      );
    if (!match) throw new Error(`not in the text format: ${line}`);
    expect(series.has(match[1] ?? "")).toBe(false);
    series.set(match[1] ?? "", Number(match[2]));
  }
  return series;
}

function startMetrics(): { metrics: PrometheusMetrics; treatment: string } {
  const metrics = new PrometheusMetrics({ scenario: "watched", programVersion: "1.2.3", trials: 4 });
  const { trial, treatment } = watchedRun().trial(1);
  metrics.trialStarted(trial, treatment);
  metrics.phaseStarted("measure");
  return { metrics, treatment: treatment.id };
}

describe("metrics for Prometheus", () => {
  it("count events by operation and treatment, and errors by SQLSTATE", async () => {
    const { metrics, treatment } = startMetrics();
    metrics.second(...liveSecondOf(0, 100, { retries: { "40001": 2 }, offered: 12, dropped: 1 }));
    metrics.second(...liveSecondOf(1, 50, { retries: { "40001": 1 }, failures: { "53300": 4 } }));
    const series = parseSeries(await metrics.text());
    const add = `operation="add",treatment="${treatment}"`;
    expect(series.get(`train_sim_transactions_total{${add}}`)).toBe(15);
    expect(series.get(`train_sim_events_total{${add}}`)).toBe(150);
    expect(series.get(`train_sim_retries_total{${add},sqlstate="40001"}`)).toBe(3);
    expect(series.get(`train_sim_failures_total{${add},sqlstate="53300"}`)).toBe(4);
    expect(series.get(`train_sim_arrivals_total{${add}}`)).toBe(12);
    expect(series.get(`train_sim_dropped_arrivals_total{${add}}`)).toBe(1);
    const process = `operation="process",treatment="${treatment}"`;
    expect(series.get(`train_sim_events_total{${process}}`)).toBe(300);
    expect(series.has(`train_sim_arrivals_total{${process}}`)).toBe(false);
  });

  it("contain latencies as cumulative histograms in seconds", async () => {
    const { metrics, treatment } = startMetrics();
    for (const ms of [20, 20, 700]) {
      metrics.second(...liveSecond(0, { add: 30 }, {}, ms));
    }
    const series = parseSeries(await metrics.text());
    const name = "train_sim_response_time_seconds";
    const labels = `operation="add",treatment="${treatment}"`;
    expect(series.get(`${name}_bucket{${labels},le="0.01"}`)).toBe(0);
    expect(series.get(`${name}_bucket{${labels},le="0.025"}`)).toBe(6);
    expect(series.get(`${name}_bucket{${labels},le="1"}`)).toBe(9);
    expect(series.get(`${name}_bucket{${labels},le="+Inf"}`)).toBe(9);
    expect(series.get(`${name}_count{${labels}}`)).toBe(9);
    expect(series.get(`${name}_sum{${labels}}`)).toBeCloseTo(3 * 0.74, 2);
  });

  it("contain the current trial and phase", async () => {
    const { metrics, treatment } = startMetrics();
    let series = parseSeries(await metrics.text());
    expect(series.get('train_sim_phase{phase="measure"}')).toBe(1);
    expect(series.get('train_sim_phase{phase="drain"}')).toBe(0);
    expect(series.get(`train_sim_trial_number{treatment="${treatment}"}`)).toBe(1);
    expect(series.get("train_sim_trials_planned")).toBe(4);
    expect(series.get('train_sim_info{scenario="watched",version="1.2.3"}')).toBe(1);
    const second = watchedRun().trial(2);
    metrics.trialEnded(endedTrial(1), watchedRun().trial(1).treatment);
    metrics.trialStarted(second.trial, second.treatment);
    series = parseSeries(await metrics.text());
    expect(series.get('train_sim_phase{phase="measure"}')).toBe(0);
    expect(series.get(`train_sim_trials_total{treatment="${treatment}",status="complete"}`)).toBe(1);
    expect([...series.keys()].filter((name) => name.startsWith("train_sim_trial_number"))).toEqual([
      `train_sim_trial_number{treatment="${second.treatment.id}"}`,
    ]);
  });

  it("contain only values of the last sample, and no sample after the window", async () => {
    const { metrics, treatment } = startMetrics();
    metrics.evidence({
      "queue.pending": 40,
      "queue.oldestPendingMs": 1500,
      "wait.Lock:tuple": 2,
      "wal.bytes": 7,
    });
    let series = parseSeries(await metrics.text());
    expect(series.get(`train_sim_queue_pending{treatment="${treatment}"}`)).toBe(40);
    expect(series.get(`train_sim_queue_oldest_pending_seconds{treatment="${treatment}"}`)).toBe(1.5);
    expect(series.get(`train_sim_wait{treatment="${treatment}",event="Lock:tuple"}`)).toBe(2);
    expect(series.get(`train_sim_wal_bytes_per_second{treatment="${treatment}"}`)).toBe(7);
    metrics.evidence({ "queue.pending": 0 });
    series = parseSeries(await metrics.text());
    expect(series.get(`train_sim_queue_pending{treatment="${treatment}"}`)).toBe(0);
    expect([...series.keys()].filter((name) => /wait\{|wal_bytes|oldest/.test(name))).toEqual([]);
    metrics.phaseStarted("drain");
    expect(parseSeries(await metrics.text()).has(`train_sim_queue_pending{treatment="${treatment}"}`)).toBe(
      false,
    );
  });

  it("contain whether thresholds hold, and nothing for a threshold without a sample", async () => {
    const { metrics, treatment } = startMetrics();
    metrics.thresholds([
      { metric: 'add{payload:"x"}', expression: "p(99)<50", seen: 60, ok: false },
      { metric: "process", expression: "avg<9", seen: 1, ok: true },
      { metric: "integrity", expression: "violations==0", seen: null, ok: null },
    ]);
    const series = parseSeries(await metrics.text());
    const of = (metric: string, expression: string): number | undefined =>
      series.get(
        `train_sim_threshold_ok{treatment="${treatment}",metric="${metric}",expression="${expression}"}`,
      );
    expect(of('add{payload:\\"x\\"}', "p(99)<50")).toBe(0);
    expect(of("process", "avg<9")).toBe(1);
    expect(of("integrity", "violations==0")).toBeUndefined();
  });
});

describe("the Prometheus name of a sampled metric", () => {
  it("is unique, valid and without milliseconds as unit", () => {
    const names = SAMPLED_METRICS.map(({ name }) => gaugeName(name.replace("*", "x")).name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^train_sim(_[a-z0-9]+)+$/);
    expect(names.filter((name) => /_ms(_|$)/.test(name))).toEqual([]);
  });
});

describe("a binned histogram", () => {
  it("escapes special characters in labels", () => {
    const histogram = new BinnedHistogram("x_seconds", "some", [1]);
    histogram.addBins({ name: 'a"b\\c\nd' }, [1, 2], 9);
    expect(histogram.text()).toBe(
      "# HELP x_seconds some\n# TYPE x_seconds histogram\n" +
        'x_seconds_bucket{name="a\\"b\\\\c\\nd",le="1"} 1\n' +
        'x_seconds_bucket{name="a\\"b\\\\c\\nd",le="+Inf"} 3\n' +
        'x_seconds_sum{name="a\\"b\\\\c\\nd"} 9\nx_seconds_count{name="a\\"b\\\\c\\nd"} 3\n',
    );
  });
});
