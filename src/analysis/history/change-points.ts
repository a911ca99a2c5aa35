// Levels are compared with noise that may carry over from run to run; each change then passes a test between its neighbours.
import type { Prng } from "../../foundation/prng.js";
import { SIGNIFICANCE_LEVEL } from "../statistics/limits.js";
import { isSignificant, levelDifference, type LevelDifference } from "./level-difference.js";
import {
  ESTIMATED_NOISE,
  columnsOf,
  testChange,
  INDEPENDENT_NOISE,
  outstandingLevels,
  RUNS_MIN,
  type ChangeTest,
  type NoiseModel,
  type MetricValues,
} from "./level-test.js";
import { noiseOf } from "./run-noise.js";

/** Maximum number of changes that one search of a range of runs looks for; the parts between them are searched again. */
const SEARCHED_CHANGES_MAX = 3;

/**
 * A metric that changed at a change point, with its level before and its new level; neither holds a further change of this
 * metric.
 */
export interface ChangedMetric extends LevelDifference {
  readonly metric: number;
  /** P-value corrected for all metrics and cuts. */
  readonly pValue: number;
  /** `from` is the index of the first run at the level before, `to` the index of the first run after the new level. */
  readonly from: number;
  readonly to: number;
}

export interface ChangePoint {
  /** Index of the first run at the new level. */
  readonly at: number;
  /** `from` is the index of the first run at the level before, `to` the index of the first run after the new level. */
  readonly from: number;
  readonly to: number;
  readonly metrics: readonly ChangedMetric[];
}

/**
 * Runs from index `from` until before `to`: a test that assumes independent runs shows a change here, but the noise
 * explains it.
 */
export interface UndecidedRuns {
  readonly from: number;
  readonly to: number;
  /** Estimated correlation of a run with the next one, in the metric that stands out most. */
  readonly correlation: number;
}

export interface LevelSearchResult {
  /** Change points, oldest first. */
  readonly changes: readonly ChangePoint[];
  readonly undecided: readonly UndecidedRuns[];
}

interface DetectedChange {
  readonly at: number;
  readonly metrics: ChangeTest["metrics"];
}

class ChangeSearch {
  constructor(
    private readonly metrics: readonly MetricValues[],
    private readonly prng: Prng,
  ) {}

  /**
   * Finds the changes among the runs `from` until before `to`, oldest first, and searches each part between them at its
   * share of the 5 %. Adds a range in which only independent runs would show a change to `undecided`.
   */
  changesWithin(from: number, to: number, undecided: UndecidedRuns[]): DetectedChange[] {
    if (to - from < RUNS_MIN) return [];
    const significantLevels = this.levelsIn(from, to, ESTIMATED_NOISE);
    const cuts = significantLevels ? this.confirmCuts(significantLevels.cuts, from, to) : [];
    if (cuts.length === 0) {
      const independentLevels = this.levelsIn(from, to, INDEPENDENT_NOISE);
      if (independentLevels)
        undecided.push({ from, to, correlation: noiseOf(independentLevels.column.values).correlation });
      return [];
    }
    const partStarts = [from, ...cuts.map(({ at }) => at)];
    const furtherChanges = partStarts.flatMap((start, i) =>
      this.changesWithin(start, partStarts[i + 1] ?? to, undecided),
    );
    return [...cuts, ...furtherChanges].toSorted((a, b) => a.at - b.at);
  }

  private significanceLevelFor(from: number, to: number): number {
    return (SIGNIFICANCE_LEVEL * (to - from)) / (this.metrics[0]?.length ?? 1);
  }

  private columnsIn(from: number, to: number): ReturnType<typeof columnsOf> {
    return columnsOf(this.metrics.map((values) => values.slice(from, to)));
  }

  private levelsIn(from: number, to: number, model: NoiseModel): ReturnType<typeof outstandingLevels> {
    const testSettings = {
      model,
      changesMost: SEARCHED_CHANGES_MAX,
      level: this.significanceLevelFor(from, to),
    };
    const levels = outstandingLevels(this.columnsIn(from, to), testSettings, this.prng);
    return levels && { ...levels, cuts: levels.cuts.map((cut) => from + cut) };
  }

  /**
   * The cuts that each pass a test between their neighbours. If cuts fail, the weakest is dropped, and the others are
   * tested again over longer ranges.
   */
  private confirmCuts(cuts: readonly number[], from: number, to: number): DetectedChange[] {
    const level = this.significanceLevelFor(from, to);
    const cutTests = cuts.map((at, i) => {
      const [start, end] = [cuts[i - 1] ?? from, cuts[i + 1] ?? to];
      return { at, ...testChange(this.columnsIn(start, end), at - start, level, this.prng) };
    });
    const [weakest] = cutTests
      .filter(({ metrics }) => metrics.length === 0)
      .toSorted((a, b) => a.beyondNoise - b.beyondNoise);
    if (!weakest) return cutTests;
    const keptCuts = cuts.filter((at) => at !== weakest.at);
    return this.confirmCuts(keptCuts, from, to);
  }
}

function knownValues(values: MetricValues, from: number, to: number): number[] {
  return values.slice(from, to).filter((value) => !Number.isNaN(value));
}

/**
 * The changes of one metric at these cuts. Drops the smallest change whose interval includes no change, and starts again
 * until all are significant.
 */
function changesOf(
  values: MetricValues,
  metric: number,
  cuts: readonly { readonly at: number; readonly pValue: number }[],
): (ChangedMetric & { readonly at: number })[] {
  const changes = cuts.map(({ at, pValue }, i) => {
    const [from, to] = [cuts[i - 1]?.at ?? 0, cuts[i + 1]?.at ?? values.length];
    const difference = levelDifference(knownValues(values, from, at), knownValues(values, at, to));
    return { metric, pValue, at, from, to, ...difference };
  });
  const size = ({ difference }: LevelDifference): number => Math.abs(difference);
  const [smallest] = changes.filter((change) => !isSignificant(change)).toSorted((a, b) => size(a) - size(b));
  if (!smallest) return changes;
  const keptCuts = cuts.filter(({ at }) => at !== smallest.at);
  return changesOf(values, metric, keptCuts);
}

/**
 * Finds the change points of metrics, each of which has a value or NaN for every run. Equal runs and seeds give equal
 * answers.
 */
export function changePoints(metrics: readonly MetricValues[], prng: Prng): LevelSearchResult {
  const runCount = metrics[0]?.length ?? 0;
  const undecided: UndecidedRuns[] = [];
  const cuts = new ChangeSearch(metrics, prng).changesWithin(0, runCount, undecided);
  const changes = metrics.flatMap((values, metric) => {
    const metricCuts = cuts.flatMap(({ at, metrics: changed }) =>
      changed.filter((each) => each.metric === metric).map(({ pValue }) => ({ at, pValue })),
    );
    return changesOf(values, metric, metricCuts);
  });
  const changeIndices = [...new Set(changes.map(({ at }) => at))].sort((a, b) => a - b);
  const points = changeIndices.map((at, i) => ({
    at,
    from: changeIndices[i - 1] ?? 0,
    to: changeIndices[i + 1] ?? runCount,
    metrics: changes.filter((each) => each.at === at).map(({ at: _, ...changed }) => changed),
  }));
  return { changes: points, undecided };
}
