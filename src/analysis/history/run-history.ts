// A series of runs of one scenario, oldest first, and where it changed: at which run, in which metrics, by how much, and what
// of the surroundings changed with it. The replicate is the run. Its value is the median over its complete trials.
import { verdictText } from "../diagnosis/validity.js";
import { deriveSeed, Prng } from "../../foundation/prng.js";
import { isHeadline } from "../../metrics/metric-lists.js";
import {
  comparedOperations,
  COMPARISON_METRICS,
  type RatioFinding,
  type ResultDocument,
  type TreatmentResult,
} from "../../results/result-schema.js";
import { vocabularyOf } from "../../results/vocabulary.js";
import { unitOf } from "../../workloads/vocabulary.js";
import { isWorse, keyOf, type StoredRun, type TreatmentMetric } from "../comparison/run-comparison.js";
import { runDifferences } from "../comparison/run-differences.js";
import { unpairedRatio } from "../comparison/unpaired.js";
import { median } from "../statistics/statistics.js";
import { deviationOf } from "../statistics/trials-to-decide.js";
import { completeTrials, logSeries } from "../steady-state/series.js";
import { changePoints, type ChangePoint, type Values } from "./change-points.js";

/** One metric that changed its level. */
export interface LevelChange extends TreatmentMetric, Pick<RatioFinding, "ratio" | "ciLow" | "ciHigh"> {
  /** Median over the runs at the level before, and at the new one; milliseconds or events per second. */
  readonly before: number;
  readonly after: number;
  /** Corrected for all metrics and all runs. */
  readonly pValue: number;
  /** Worse by more than is accepted. */
  readonly isWorse: boolean;
}

export interface HistoryChange {
  /** Directory of the first run at the new level. */
  readonly directory: string;
  /** Its place among the runs, from 1. */
  readonly run: number;
  readonly runsBefore: number;
  readonly runsAfter: number;
  /** Machine, versions, settings, scenario: what differs from the run before. */
  readonly differences: readonly string[];
  readonly metrics: readonly LevelChange[];
}

/** How far runs of one level scatter: the noise floor of this history. */
export interface Scatter extends TreatmentMetric {
  /** Standard deviation between runs, as a share. */
  readonly share: number;
}

/** The whole answer; printed by `compare --history --json`. */
export interface HistoryDocument {
  readonly version: 1;
  readonly runs: readonly {
    readonly directory: string;
    readonly startedAt: string;
    /** `ok`, or what of the run is not valid. */
    readonly verdict: string;
  }[];
  /** Directories without a complete trial. */
  readonly leftOut: readonly string[];
  /** As a share: 0.05 is 5 %. */
  readonly maxRegression: number;
  readonly changes: readonly HistoryChange[];
  readonly scatter: readonly Scatter[];
  /** Metrics whose newest change is one for the worse. */
  readonly regressions: number;
}

/** When the run began to measure; the epoch where it never did. */
export function startOf({ treatments }: ResultDocument): string {
  const times = treatments.flatMap(({ trials }) => trials.map(({ startedAt }) => startedAt)).sort();
  return times[0] ?? "1970-01-01T00:00:00.000Z";
}

interface HistoryMetric extends TreatmentMetric {
  /** Logarithms, oldest run first; NaN where a run has none. */
  readonly values: Values;
}

/** The headline metrics of every treatment that the runs have, of each run that has them. */
function metricsOf(runs: readonly StoredRun[]): HistoryMetric[] {
  const byKey = runs.map(({ result }) => new Map(result.treatments.map((each) => [keyOf(each), each])));
  const keys = [...new Set(byKey.flatMap((own) => [...own.keys()]))];
  return keys.flatMap((key) => {
    const own = byKey.map((treatments) => treatments.get(key));
    const known = own.filter((each): each is TreatmentResult => each !== undefined);
    const newest = own.findLastIndex((each) => each !== undefined);
    return comparedOperations(known).flatMap((operation) =>
      COMPARISON_METRICS.filter(isHeadline).map((metric) => ({
        treatment: known[0]?.id ?? "",
        operation,
        metric,
        unit: unitOf(vocabularyOf((runs[newest] as StoredRun).result), operation),
        values: own.map((each) => {
          const logs = each ? [...logSeries(each, operation, metric, known).values()] : [];
          return logs.length > 0 ? median(logs) : Number.NaN;
        }),
      })),
    );
  });
}

/** Values of the runs from `from` until before `to`, by run. */
function levelOf(values: Values, from: number, to: number): Map<number, number> {
  const runs = values
    .slice(from, to)
    .flatMap((value, i) => (Number.isNaN(value) ? [] : [[from + i, value] as const]));
  return new Map(runs);
}

function levelChange(
  { values, ...about }: HistoryMetric,
  { from, at, to }: ChangePoint,
  pValue: number,
  maxRegression: number,
): LevelChange[] {
  const [reference, after] = [levelOf(values, from, at), levelOf(values, at, to)];
  const finding = unpairedRatio(reference, after);
  if (!finding) return [];
  const { ratio, ciLow, ciHigh } = finding;
  const middle = (level: ReadonlyMap<number, number>): number => Math.exp(median([...level.values()]));
  const change = { ...about, ratio, ciLow, ciHigh, before: middle(reference), after: middle(after), pValue };
  return [{ ...change, isWorse: isWorse(change, maxRegression) }];
}

/** Between runs of one level; none where no level has two runs. */
function scatterOf({ values, ...about }: HistoryMetric, starts: readonly number[]): Scatter[] {
  const levels = starts.map((from, i) => [...levelOf(values, from, starts[i + 1] ?? values.length).values()]);
  const deviation = deviationOf(levels);
  return deviation === undefined ? [] : [{ ...about, share: Math.expm1(deviation) }];
}

/** @param maxRegression how much worse is still accepted, as a share */
export function historyOf(stored: readonly StoredRun[], maxRegression: number): HistoryDocument {
  const hasTrial = ({ result }: StoredRun): boolean =>
    result.treatments.some((treatment) => completeTrials(treatment).length > 0);
  const runs = stored.filter(hasTrial).sort((a, b) => (startOf(a.result) < startOf(b.result) ? -1 : 1));
  const metrics = metricsOf(runs);
  const points = changePoints(
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
      differences: runDifferences(before, run),
      metrics: point.metrics.flatMap(({ metric, pValue }) =>
        levelChange(metrics[metric] as HistoryMetric, point, pValue, maxRegression),
      ),
    };
  });
  const nameOf = ({ treatment, operation, metric }: TreatmentMetric): string =>
    [treatment, operation, metric].join("\n");
  const newest = new Map(changes.flatMap((change) => change.metrics.map((each) => [nameOf(each), each])));
  const starts = [0, ...points.map(({ at }) => at)];
  return {
    version: 1,
    runs: runs.map(({ directory, result }) => ({
      directory,
      startedAt: startOf(result),
      verdict: verdictText(result.verdict),
    })),
    leftOut: stored.filter((run) => !hasTrial(run)).map(({ directory }) => directory),
    maxRegression,
    changes,
    scatter: metrics.flatMap((metric) => scatterOf(metric, starts)),
    regressions: [...newest.values()].filter((each) => each.isWorse).length,
  };
}
