// `--prometheus`: counters and histograms add up over the measurement windows of the whole run; gauges are of this moment. Times are
// seconds.
import { Counter, Gauge, Registry } from "prom-client";
import type { ExperimentObserver, RunningThreshold, TrialPhase } from "../engine/session/observer.js";
import { countsWithin, meanMs } from "../metrics/histograms.js";
import { needsSchedule, LIVE_COUNTS, LIVE_LATENCIES } from "../metrics/metric-lists.js";
import type { Operation } from "../metrics/operations.js";
import type { EvidenceValues } from "../metrics/evidence-metric.js";
import type { Totals } from "../metrics/totals.js";
import type { TrialResult } from "../results/result-schema.js";
import type { PlannedTrial, Treatment } from "../scenario/settings.js";
import { BinnedHistogram } from "./binned-histogram.js";
import { EvidenceGauges } from "./evidence-gauges.js";

export const PROMETHEUS_PORT = 5656;
const TRIAL_PHASES: readonly TrialPhase[] = ["reset", "warm-up", "measure", "drain", "audit"];
/** Inclusive upper bounds of latency buckets, in milliseconds. */
const LATENCY_BOUNDS_MS = [
  0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000,
];
const LATENCY_BOUNDS_US = LATENCY_BOUNDS_MS.map((boundMs) => boundMs * 1000);
const LATENCY_BOUNDS_SECONDS = LATENCY_BOUNDS_MS.map((boundMs) => boundMs / 1000);
const OPERATION_LABELS = ["operation", "treatment"] as const;
const SQLSTATE_LABELS = ["operation", "treatment", "sqlstate"] as const;

export interface MetricsInputs {
  readonly scenario: string;
  readonly programVersion: string;
  readonly trials: number | undefined;
}

export class PrometheusMetrics implements ExperimentObserver {
  private readonly registry = new Registry();
  private readonly counts = LIVE_COUNTS.map((metric) => ({
    metric,
    counter: this.counter(
      metric.prometheus,
      metric.help,
      metric.aggregate === "by SQLSTATE" ? SQLSTATE_LABELS : OPERATION_LABELS,
    ),
  }));
  private readonly trialsEnded = this.counter("trials_total", "trials that have ended", [
    "treatment",
    "status",
  ]);
  private readonly phase = this.gauge("phase", "1 for the phase of the running trial, else 0", ["phase"]);
  private readonly trialNumber = this.gauge("trial_number", "of the running trial, from 1", ["treatment"]);
  private readonly thresholdOk = this.gauge(
    "threshold_ok",
    "whether a threshold holds on the running trial so far: 1 or 0, absent without a sample",
    ["treatment", "metric", "expression"],
  );
  private readonly latencies = LIVE_LATENCIES.map(({ id, prometheus, help }) => ({
    id,
    histogram: new BinnedHistogram(`train_sim_${prometheus}`, help, LATENCY_BOUNDS_SECONDS),
  }));
  private readonly sampleGauges = new EvidenceGauges(this.registry);
  private treatment = "";

  constructor({ scenario, programVersion, trials }: MetricsInputs) {
    this.gauge("info", "what runs", ["scenario", "version"]).set({ scenario, version: programVersion }, 1);
    if (trials !== undefined) this.gauge("trials_planned", "trials of the experiment").set(trials);
    this.showPhase(undefined);
  }

  readonly contentType = this.registry.contentType;

  /** All metrics in Prometheus' text format. */
  async text(): Promise<string> {
    const histograms = this.latencies.map(({ histogram }) => histogram.text());
    return [await this.registry.metrics(), ...histograms].join("\n");
  }

  note(): void {
    // Notes are text, not metrics.
  }

  trialStarted(trial: PlannedTrial, treatment: Treatment): void {
    this.treatment = treatment.id;
    this.trialNumber.reset();
    this.trialNumber.set({ treatment: treatment.id }, trial.number);
    this.thresholdOk.reset();
  }

  phaseStarted(phase: TrialPhase): void {
    this.showPhase(phase);
    // Samples are taken in the window only, so a new phase makes the last sample out of date.
    this.sampleGauges.forget();
  }

  second(_second: number, totals: Totals): void {
    for (const operation of totals.operations) this.addOperation(operation, totals);
  }

  evidence(values: EvidenceValues): void {
    this.sampleGauges.show(values, this.treatment);
  }

  thresholds(states: readonly RunningThreshold[]): void {
    for (const { metric, expression, ok } of states)
      if (ok !== null) this.thresholdOk.set({ treatment: this.treatment, metric, expression }, Number(ok));
  }

  onLook(): void {
    // Looks concern the experiment, not the load, so they give no metric.
  }

  trialEnded(result: TrialResult, treatment: Treatment): void {
    this.trialsEnded.inc({ treatment: treatment.id, status: result.status });
    this.showPhase(undefined);
    this.sampleGauges.forget();
  }

  private addOperation(operation: Operation, totals: Totals): void {
    const labels = { operation, treatment: this.treatment };
    const counts = totals.countsOf(operation);
    const isScheduled = counts.offered + counts.dropped > 0;
    for (const { metric, counter } of this.counts) {
      const counted = counts[metric.id];
      if (typeof counted === "object")
        for (const [sqlstate, count] of Object.entries(counted)) counter.inc({ ...labels, sqlstate }, count);
      else if (isScheduled || !needsSchedule(metric)) counter.inc(labels, counted);
    }
    for (const { id, histogram } of this.latencies) {
      const samples = totals.histograms.get(`${operation}.${id}`);
      if (!samples) continue;
      const sumSeconds = (meanMs(samples) * samples.totalCount) / 1000;
      histogram.addBins(labels, countsWithin(samples, LATENCY_BOUNDS_US), sumSeconds);
    }
  }

  private showPhase(current: TrialPhase | undefined): void {
    for (const phase of TRIAL_PHASES) this.phase.set({ phase }, Number(phase === current));
  }

  private counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
    return new Counter({
      name: `train_sim_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
    });
  }

  private gauge<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Gauge<L> {
    return new Gauge({
      name: `train_sim_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
    });
  }
}
