// A trial recomputed from its files. Figures that no file holds stay as stored, and a file that cannot be read is reported.
import { NULL_SPANS } from "../results/result-schema.js";
import { join } from "node:path";
import { HistogramSet } from "../metrics/histograms.js";
import { operationsIn, type Operation } from "../metrics/operations.js";
import { sumOfCounts } from "../metrics/figures.js";
import {
  AUDITED_METRICS,
  DEVIATIONS,
  LATENCIES,
  SERIES_COUNTS,
  type SeriesCounts,
} from "../metrics/metric-lists.js";
import { Totals } from "../metrics/totals.js";
import { diagnose } from "../analysis/diagnosis/diagnose.js";
import { trialPath } from "../results/directory.js";
import { mergedEndpointSplit } from "../results/endpoint-results.js";
import { readHistogramLog } from "../results/histogram-log.js";
import { operationResults, operationsOf, addLossCounts } from "../results/operation-results.js";
import { readTrial } from "../results/reader.js";
import type { GeneratorCeiling, Finding, OperationResults, TrialResult } from "../results/result-schema.js";
import { totalsOf } from "../results/stored-totals.js";
import { readTimeseries, type TimeseriesCounts } from "../results/timeseries.js";
import { HISTOGRAM_LOG_FILE, TIMESERIES_FILE, TRIAL_FILE } from "../results/trial-files.js";
import type { Experiment, TreatmentSettings } from "../scenario/settings.js";
import { SecondSeries } from "../engine/trial/second-series.js";
import type { Figures } from "./figures.js";
import { workloadOf } from "../workloads/registry.js";
import { compareLog } from "./trial-log-figures.js";

export interface TrialToVerify {
  readonly directory: string;
  readonly treatmentId: string;
  readonly trial: TrialResult;
  /** Settings that the trial ran with. */
  readonly settings: TreatmentSettings;
  readonly experiment: Experiment;
  readonly ceiling: GeneratorCeiling | undefined;
  /** Checks of `diagnosis` that need facts which no file holds. */
  readonly unknownChecks: ReadonlySet<Finding["check"]>;
}

export interface RecomputedTrial {
  readonly trial: TrialResult;
  /** Merged samples and counts; undefined if the trial's histograms cannot be read. */
  readonly totals: Totals | undefined;
}

export const pathOf = ({ treatmentId, trial }: Pick<TrialToVerify, "treatmentId" | "trial">): string =>
  `treatments[${treatmentId}].trials[${trial.number}]`;

const LATENCY_FIELDS = [...LATENCIES, ...DEVIATIONS].map(({ field }) => field);
const RATE_FIELDS = ["transactionsPerSecond", "eventsPerSecond", "clients", "threads"] as const;
const AUDITED_FIELDS = AUDITED_METRICS.map(({ field }) => field);
const COUNT_IDS = SERIES_COUNTS.flatMap(({ id, aggregate }) => (aggregate === "by SQLSTATE" ? [] : id));
type PartialCounts = Partial<SeriesCounts>;

function pick(from: object | undefined, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(from ?? {}).filter(([key]) => keys.includes(key)));
}

/** Reads a trial's histograms merged, and adds the samples of each second to the series, like the measurement did. */
async function readHistograms(path: string, series: SecondSeries): Promise<HistogramSet> {
  const merged = new HistogramSet();
  const part = new Totals();
  for await (const { second, tag, histogram } of readHistogramLog(path)) {
    merged.addTo(tag, histogram);
    part.histograms.addTo(tag, histogram);
    series.add(second, part);
    part.histograms.reset();
  }
  return merged;
}

async function readCounts(path: string, series: SecondSeries): Promise<Map<Operation, PartialCounts>> {
  const counted = new Map<Operation, PartialCounts>();
  for await (const row of readTimeseries(path)) {
    const { second, operation, ...counts } = row;
    const into = counted.get(operation) ?? {};
    for (const [key, count] of Object.entries(counts) as [keyof PartialCounts, number][])
      into[key] = (into[key] ?? 0) + count;
    counted.set(operation, into);
    series.add(second, secondOf(row));
  }
  return counted;
}

function secondOf({ operation, transactions, events, emptyPolls = 0 }: TimeseriesCounts): Totals {
  const totals = new Totals();
  Object.assign(totals.countsOf(operation), { transactions, events, emptyPolls });
  return totals;
}

export class TrialFigures {
  private readonly path: string;
  private readonly name: string;
  private readonly series: SecondSeries;

  constructor(
    private readonly figures: Figures,
    private readonly stored: TrialToVerify,
  ) {
    const { directory, treatmentId, trial, settings } = stored;
    this.path = trialPath(directory, trial.number, treatmentId);
    this.name = `trial ${trial.number} (${treatmentId})`;
    this.series = new SecondSeries(operationsOf(settings));
  }

  async compare(): Promise<RecomputedTrial> {
    const { figures, stored, path, name } = this;
    const { trial, directory, treatmentId } = stored;
    const at = pathOf(stored);
    const copy = await this.attempt(`its copy in ${TRIAL_FILE}`, () =>
      readTrial(directory, trial.number, treatmentId),
    );
    if (copy) figures.compare("copies", at, trial, copy);
    else figures.leave(`${name}: its copy`, `there is no ${TRIAL_FILE}`, true);
    figures.compare("endpoints", at, splitOf(trial), mergedEndpointSplit([trial]));
    if (trial.windowSeconds === 0) {
      figures.leave(name, "it ended before its window");
      return { trial, totals: totalsOf(trial, new HistogramSet()) };
    }
    const histograms = await this.attempt("latencies", () =>
      readHistograms(join(path, HISTOGRAM_LOG_FILE), this.series),
    );
    const counts = await this.attempt("counts", () => readCounts(join(path, TIMESERIES_FILE), this.series));
    if (counts) this.compareCounts(counts);
    const isLogComplete = ["debug", "info"].includes(stored.settings.log.level);
    await compareLog(figures, { trial, path, name, at }, isLogComplete);
    this.compareAuditedEvents(at);
    return this.recomputeTrial(histograms, counts);
  }

  /** Compares the audit's counts with the files in which the workload's clients recorded their events. */
  private compareAuditedEvents(at: string): void {
    const { figures, path, name, stored } = this;
    const { integrity, lifecycle, status } = stored.trial;
    const what = `${name}: published and archived events`;
    if (!integrity || status !== "complete") {
      figures.leave(what, `the trial is ${status}`);
      return;
    }
    if (integrity.isUnreadable) {
      figures.leave(what, "the audit could not read the tables");
      return;
    }
    const { notAudited = [] } = integrity;
    const statedFigures = {
      integrity: { ...integrity, notAudited },
      passesPerEvent: lifecycle.passesPerEvent,
    };
    try {
      for (const one of workloadOf(stored.settings).auditing?.recount?.(path, statedFigures) ?? []) {
        if ("leftOut" in one) figures.leave(`${name}: ${one.figure}`, one.leftOut);
        else figures.compare("events", `${at}.${one.figure}`, one.stated, one.counted);
      }
    } catch (error) {
      figures.unreadable(what, error);
    }
  }

  /** The trial with the figures that could be recomputed from its files. The other figures are as stored. */
  private recomputeTrial(
    histograms: HistogramSet | undefined,
    counts: ReadonlyMap<Operation, PartialCounts> | undefined,
  ): RecomputedTrial {
    const { figures, stored } = this;
    const { trial, settings } = stored;
    const at = pathOf(stored);
    const counted = { ...trial, operations: replaceCounts(trial.operations, counts) };
    const totals = totalsOf(counted, histograms ?? new HistogramSet());
    const summary = totals.summary(trial.windowSeconds);
    const operations = addLossCounts(operationResults(summary, settings), [trial.integrity], settings);
    for (const operation of operationsIn([trial.operations, operations])) {
      const [before, again] = [trial.operations[operation], operations[operation]];
      const place = `${at}.operations.${operation}`;
      figures.compare("rates", place, pick(before, RATE_FIELDS), pick(again, RATE_FIELDS));
      figures.compare("events", place, pick(before, AUDITED_FIELDS), pick(again, AUDITED_FIELDS));
      if (!histograms) continue;
      figures.compare("latencies", place, pick(before, LATENCY_FIELDS), pick(again, LATENCY_FIELDS));
      const samples = histograms.get(`${operation}.response`)?.totalCount ?? 0;
      figures.compare("latencies", `${place}.transactions`, before?.transactions, samples);
    }
    if (!histograms) return { trial, totals: undefined };
    const { passesPerEvent: _passes, drainSeconds: _drain, ...spans } = trial.lifecycle;
    figures.compare("latencies", `${at}.lifecycle`, spans, { ...NULL_SPANS, ...summary.lifecycle });
    const measured = {
      ...counted,
      operations,
      lifecycle: { ...trial.lifecycle, ...summary.lifecycle },
    };
    return { trial: counts ? this.judge(measured) : measured, totals };
  }

  /** The trial with recomputed steady state, stall and diagnosis. */
  private judge(measured: TrialResult): TrialResult {
    const { figures, stored } = this;
    const { trial, settings, experiment, ceiling, unknownChecks } = stored;
    if (trial.status !== "complete") return measured;
    const at = pathOf(stored);
    const { stall: stalled, diagnosis = [], ...rest } = measured;
    const steadyState = this.series.steadyState(trial.windowSeconds, settings);
    const stall = this.series.stall(trial.windowSeconds, settings);
    const judged = { ...rest, steadyState, ...(stall && { stall }) };
    const bounds = experiment.diagnosis;
    const isKnown = ({ check }: Finding): boolean => !unknownChecks.has(check);
    const findings = diagnose({ trial: judged, bounds, ...(ceiling && { ceiling }) }).filter(isKnown);
    const before = {
      steadyState: trial.steadyState,
      stall: stalled,
      diagnosis: diagnosis.filter(isKnown),
    };
    figures.compare("judgement", at, before, { steadyState, stall, diagnosis: findings });
    const place = ({ check }: Finding): number => diagnosis.findIndex((each) => each.check === check);
    const unknown = diagnosis.filter((finding) => !isKnown(finding));
    const all = [...findings, ...unknown].sort((a, b) => place(a) - place(b));
    return { ...judged, ...(all.length > 0 && { diagnosis: all }) };
  }

  private compareCounts(counts: ReadonlyMap<Operation, PartialCounts>): void {
    const { figures, stored } = this;
    for (const operation of operationsIn([stored.trial.operations, Object.fromEntries(counts)])) {
      const [before, again] = [stored.trial.operations[operation], counts.get(operation)];
      const { failures, retries, ...counted } = again ?? {};
      const place = `${pathOf(stored)}.operations.${operation}`;
      figures.compare("counts", place, pick(before, Object.keys(counted)), counted);
      figures.compare("counts", `${place}.retries`, before?.retries, retries);
      figures.compare(
        "counts",
        `${place}.retriesBySqlstate, added up`,
        sumOfCounts(before?.retriesBySqlstate ?? {}),
        retries,
      );
      figures.compare("counts", `${place}.failures, added up`, sumOfCounts(before?.failures ?? {}), failures);
      const rows = stored.trial.workers?.flatMap((worker) => worker.operations[operation] ?? []);
      if (!rows || !again) continue;
      for (const field of ["transactions", "events", "retries", "failures"] as const) {
        const sum = rows.reduce((all, row) => all + row[field], 0);
        figures.compare("counts", `${place}.${field} of workers, added up`, sum, again[field]);
      }
    }
  }

  private async attempt<T>(what: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      this.figures.unreadable(`${this.name}: ${what}`, error);
      return undefined;
    }
  }
}

function splitOf({ endpoints, regions }: TrialResult): unknown {
  return {
    ...(endpoints && {
      endpoints: endpoints.map((endpoint) => ({
        ...endpoint,
        operations: Object.fromEntries(
          Object.entries(endpoint.operations).map(([operation, { responseHistogram, ...rest }]) => [
            operation,
            rest,
          ]),
        ),
      })),
    }),
    ...(regions && { regions }),
  };
}

/** The stored operations with counts from the time series. */
function replaceCounts(
  stored: OperationResults,
  counts: ReadonlyMap<Operation, PartialCounts> | undefined,
): OperationResults {
  const entries = Object.entries(stored).map(([operation, result]) => [
    operation,
    { ...result, ...pick(counts?.get(operation), COUNT_IDS) },
  ]);
  return Object.fromEntries(entries) as OperationResults;
}
