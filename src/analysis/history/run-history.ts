import { verdictText } from "../diagnosis/validity.js";
import { deriveSeed, Prng } from "../../foundation/prng.js";
import { isHeadline } from "../../metrics/metric-lists.js";
import {
  comparedOperations,
  COMPARISON_METRICS,
  type ComparisonMetric,
  type ResultDocument,
  type TreatmentResult,
} from "../../results/result-schema.js";
import { unitOf } from "../../workloads/vocabulary.js";
import { isWorse, type StoredRun, type TreatmentMetric } from "../comparison/run-comparison.js";
import { runDifferences, type RunDifference } from "../comparison/run-differences.js";
import { treatmentsByKey } from "../comparison/treatment-keys.js";
import { mean, median } from "../statistics/quantiles.js";
import { deviationOf } from "../statistics/trials-to-decide.js";
import { completeTrials, logarithmSeries } from "../steady-state/series.js";
import { changePoints, type ChangedMetric, type UndecidedRuns } from "./change-points.js";
import { isSignificant, levelDifference, type LevelDifference } from "./level-difference.js";
import type { MetricValues } from "./level-test.js";

/** The later level divided by the earlier one, with its 95 % interval. */
interface LevelRatio {
  readonly ratio: number;
  readonly ciLow: number;
  readonly ciHigh: number;
}

/** One metric that changed its level. */
export interface LevelChange extends TreatmentMetric, LevelRatio {
  /** Geometric means of the runs at the old level and at the new one, in milliseconds or events per second. */
  readonly before: number;
  readonly after: number;
  /** P-value corrected for all metrics and all runs. */
  readonly pValue: number;
  /** True if the new level is worse than the old one by more than the accepted regression. */
  readonly isWorse: boolean;
}

/**
 * A lasting regression: the newest level of a metric is worse than an earlier one by more than the accepted share. The
 * ratio is to the best such level.
 */
export interface HistoryRegression extends TreatmentMetric, LevelRatio {
  /** First run after the earlier level: its number, from 1, and its directory. */
  readonly sinceRun: number;
  readonly sinceDirectory: string;
}

export interface HistoryChange {
  /** Directory of the first run at the new level. */
  readonly directory: string;
  /** Number of the run among all runs, from 1. */
  readonly run: number;
  readonly runsBefore: number;
  readonly runsAfter: number;
  readonly differences: readonly string[];
  readonly metrics: readonly LevelChange[];
}

/** Scatter of a metric among runs at the same level, which is the noise floor of this history. */
export interface Scatter extends TreatmentMetric {
  /** Standard deviation between runs, as a share: 0.05 is 5 %. */
  readonly share: number;
}

export interface HistoryRun {
  readonly directory: string;
  readonly startedAt: string;
  /** `ok`, or the parts of the run that are not valid. */
  readonly verdict: string;
  /** Differences from the run before it; empty for the first run and for runs that are not judged. */
  readonly differences: readonly RunDifference[];
}

/** Value of a metric in one run: the median over its complete trials. */
export interface RunValue {
  readonly value: number;
  /** 95 % interval of the median or, with too few trials for one, the smallest and the largest value. */
  readonly low: number;
  readonly high: number;
}

/** A metric over all judged runs, in milliseconds or events per second. */
export interface HistorySeries extends TreatmentMetric {
  /** Values by run; null if the run does not have the metric. */
  readonly values: readonly (RunValue | null)[];
  /** Levels from the first run to the last; each is the geometric mean over its runs. */
  readonly levels: readonly Level[];
}

interface Level {
  /** Number of the first run at the level, from 1; the range includes both ends. */
  readonly firstRun: number;
  readonly lastRun: number;
  readonly mean: number;
}

export interface HistoryDocument {
  readonly version: 1;
  readonly runs: readonly HistoryRun[];
  /** Runs that are not judged because their counts or timings are not valid; empty if such runs are allowed. */
  readonly notJudged: readonly HistoryRun[];
  readonly isNewestJudged: boolean;
  /** Directories that were left out because they hold no complete trial. */
  readonly leftOut: readonly string[];
  /** Accepted regression as a share: 0.05 is 5 %. */
  readonly maxRegression: number;
  readonly changes: readonly HistoryChange[];
  readonly scatter: readonly Scatter[];
  readonly series: readonly HistorySeries[];
  readonly lastingRegressions: readonly HistoryRegression[];
  /** Number of metrics in `lastingRegressions`. */
  readonly regressions: number;
  /**
   * Ranges of runs in which a test that assumes independent runs shows a change, but similar neighbours or a drift explain
   * it.
   */
  readonly undecided: readonly HistoryRange[];
}

export interface HistoryRange {
  /** Number of the first run of the range, from 1; the range includes both ends. */
  readonly firstRun: number;
  readonly lastRun: number;
  /** Estimated correlation of a run with the next one, 0 to 0.7. */
  readonly autocorrelation: number;
}

/** Time at which the first trial of the run began; the epoch if no trial began. */
export function startTimeOf({ treatments }: ResultDocument): string {
  const times = treatments.flatMap(({ trials }) => trials.map(({ startedAt }) => startedAt)).sort();
  return times[0] ?? "1970-01-01T00:00:00.000Z";
}

interface HistoryMetric {
  readonly about: TreatmentMetric;
  /** Logarithms by run; NaN if the run does not have the metric. */
  readonly values: MetricValues;
  readonly runValues: HistorySeries["values"];
}

function runValue(
  { summary = [] }: TreatmentResult,
  operation: string,
  metric: ComparisonMetric,
  logarithm: number,
): RunValue | null {
  if (Number.isNaN(logarithm)) return null;
  const value = Math.exp(logarithm);
  const found = summary.find((each) => each.operation === operation && each.metric === metric);
  return { value, low: found?.ciLow ?? found?.min ?? value, high: found?.ciHigh ?? found?.max ?? value };
}

function metricsOf(runs: readonly StoredRun[]): HistoryMetric[] {
  const treatmentMaps = runs.map(({ result }) => treatmentsByKey(result));
  const keys = [...new Set(treatmentMaps.flatMap((runTreatments) => [...runTreatments.keys()]))];
  return keys.flatMap((key) => {
    const runTreatments = treatmentMaps.map((treatments) => treatments.get(key));
    const presentTreatments = runTreatments.filter((each): each is TreatmentResult => each !== undefined);
    const newestIndex = runTreatments.findLastIndex((each) => each !== undefined);
    return comparedOperations(presentTreatments).flatMap((operation) =>
      COMPARISON_METRICS.filter(isHeadline).map((metric) => {
        const values = runTreatments.map((each) => {
          const logs = each ? [...logarithmSeries(each, operation, metric, presentTreatments).values()] : [];
          return logs.length > 0 ? median(logs) : Number.NaN;
        });
        return {
          about: {
            treatment: presentTreatments[0]?.id ?? "",
            operation,
            metric,
            unit: unitOf((runs[newestIndex] as StoredRun).result.workload, operation),
          },
          values,
          runValues: runTreatments.map((each, i) =>
            each ? runValue(each, operation, metric, values[i] ?? Number.NaN) : null,
          ),
        };
      }),
    );
  });
}

/** Values of one metric in the runs from index `from` until before `to`, by run. */
function levelValues(values: MetricValues, from: number, to: number): Map<number, number> {
  const runs = values
    .slice(from, to)
    .flatMap((value, i) => (Number.isNaN(value) ? [] : [[from + i, value] as const]));
  return new Map(runs);
}

function ratioOf({ difference, low, high }: LevelDifference): LevelRatio {
  return { ratio: Math.exp(difference), ciLow: Math.exp(low), ciHigh: Math.exp(high) };
}

function levelChange(
  { about, values }: HistoryMetric,
  at: number,
  change: ChangedMetric,
  maxRegression: number,
): LevelChange {
  const ratios = ratioOf(change);
  const before = Math.exp(mean([...levelValues(values, change.from, at).values()]));
  return {
    ...about,
    ...ratios,
    before,
    after: before * ratios.ratio,
    pValue: change.pValue,
    isWorse: isWorse({ ...about, ...ratios }, maxRegression),
  };
}

/**
 * Compares the newest level of a metric with each earlier level, which ends at one of `cuts`. A restored level is no
 * regression.
 */
function regressionOf(
  { about, values }: HistoryMetric,
  cuts: readonly number[],
  runs: readonly StoredRun[],
  maxRegression: number,
): HistoryRegression[] {
  const newestValues = [...levelValues(values, cuts.at(-1) ?? 0, values.length).values()];
  const regressions = cuts.flatMap((at, i) => {
    const earlierValues = [...levelValues(values, cuts[i - 1] ?? 0, at).values()];
    const difference = levelDifference(earlierValues, newestValues);
    const regressionStart = { sinceRun: at + 1, sinceDirectory: (runs[at] as StoredRun).directory };
    const regression = { ...about, ...ratioOf(difference), ...regressionStart };
    return isSignificant(difference) && isWorse(regression, maxRegression) ? [regression] : [];
  });
  const size = ({ ratio }: HistoryRegression): number => Math.abs(Math.log(ratio));
  return regressions.toSorted((a, b) => size(b) - size(a)).slice(0, 1);
}

function scatterOf({ about, values }: HistoryMetric, starts: readonly number[]): Scatter[] {
  const levels = starts.map((from, i) => [
    ...levelValues(values, from, starts[i + 1] ?? values.length).values(),
  ]);
  const deviation = deviationOf(levels);
  return deviation === undefined ? [] : [{ ...about, share: Math.expm1(deviation) }];
}

function historyRun(run: StoredRun, before: StoredRun | undefined): HistoryRun {
  return {
    directory: run.directory,
    startedAt: startTimeOf(run.result),
    verdict: verdictText(run.result.verdict),
    differences: before ? runDifferences(before, run) : [],
  };
}

/** The metric with its levels, which begin at the first run and at each of `cuts`. */
function seriesOf({ about, values, runValues }: HistoryMetric, cuts: readonly number[]): HistorySeries {
  const starts = [0, ...cuts];
  const levels = starts.flatMap((from, i): Level[] => {
    const to = starts[i + 1] ?? values.length;
    const logarithms = [...levelValues(values, from, to).values()];
    return logarithms.length > 0
      ? [{ firstRun: from + 1, lastRun: to, mean: Math.exp(mean(logarithms)) }]
      : [];
  });
  return { ...about, values: runValues, levels };
}

function rangeOf({ from, to, correlation }: UndecidedRuns): HistoryRange {
  return { firstRun: from + 1, lastRun: to, autocorrelation: correlation };
}

/**
 * Finds changes of level and lasting regressions over stored runs. `maxRegression` is the accepted regression as a share;
 * `allowsDisturbed` also judges runs whose counts or timings are not valid.
 */
export function historyOf(
  storedRuns: readonly StoredRun[],
  maxRegression: number,
  allowsDisturbed = false,
): HistoryDocument {
  const hasTrial = ({ result }: StoredRun): boolean =>
    result.treatments.some((treatment) => completeTrials(treatment).length > 0);
  const isJudged = ({ result: { verdict } }: StoredRun): boolean =>
    allowsDisturbed || (verdict.counts.isValid && verdict.timings.isValid);
  const measuredRuns = storedRuns
    .filter(hasTrial)
    .sort((a, b) => (startTimeOf(a.result) < startTimeOf(b.result) ? -1 : 1));
  const runs = measuredRuns.filter(isJudged);
  const metrics = metricsOf(runs);
  const { changes: points, undecided } = changePoints(
    metrics.map(({ values }) => values),
    new Prng(deriveSeed(runs[0]?.result.scenario.seed ?? 0, "history")),
  );
  const changes = points.map((point): HistoryChange => {
    const [before, run] = [runs[point.at - 1], runs[point.at]] as [StoredRun, StoredRun];
    return {
      directory: run.directory,
      run: point.at + 1,
      runsBefore: point.at - point.from,
      runsAfter: point.to - point.at,
      differences: runDifferences(before, run).map(({ words }) => words),
      metrics: point.metrics.map((change) =>
        levelChange(metrics[change.metric] as HistoryMetric, point.at, change, maxRegression),
      ),
    };
  });
  const metricCuts = metrics.map((_, index) =>
    points.filter((point) => point.metrics.some((change) => change.metric === index)).map(({ at }) => at),
  );
  const lastingRegressions = metrics.flatMap((metric, index) =>
    regressionOf(metric, metricCuts[index] ?? [], runs, maxRegression),
  );
  const starts = [0, ...points.map(({ at }) => at)];
  return {
    version: 1,
    runs: runs.map((run, i) => historyRun(run, runs[i - 1])),
    notJudged: measuredRuns.filter((run) => !isJudged(run)).map((run) => historyRun(run, undefined)),
    isNewestJudged: measuredRuns.slice(-1).every(isJudged),
    leftOut: storedRuns.filter((run) => !hasTrial(run)).map(({ directory }) => directory),
    maxRegression,
    changes,
    scatter: metrics.flatMap((metric) => scatterOf(metric, starts)),
    series: metrics.map((metric, index) => seriesOf(metric, metricCuts[index] ?? [])),
    lastingRegressions,
    regressions: lastingRegressions.length,
    undecided: undecided.map(rangeOf),
  };
}
