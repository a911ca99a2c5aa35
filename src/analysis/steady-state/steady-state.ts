// A change counts if it is significant and large enough to matter; MSER-5 finds the second from which the window is steady.
import { SIGNIFICANCE_LEVEL } from "../statistics/limits.js";
import { levelTest, mser5, trendTest, type Change } from "../statistics/change-tests.js";
import type { SteadyState } from "../../results/result-schema.js";

/**
 * Minimum number of seconds that are assessed: with fewer, no change could be significant among a dozen questions, however
 * clear it is.
 */
export const ASSESSED_SECONDS_MIN = 20;
/** Smallest change of a level that matters, as a share of the level. */
const RELEVANT_CHANGE_MIN = 0.1;

/** Values of a metric, one for each second; null if nothing was measured in that second. */
export interface Series {
  /** Name such as `add events/s`. */
  readonly name: string;
  readonly values: readonly (number | null)[];
}

interface Question {
  readonly series: Series;
  readonly change: Change;
  readonly words: string;
}

/** A value with the second of the window in which it was measured. */
interface TimedValue {
  readonly second: number;
  readonly value: number;
}

function measuredValuesOf({ values }: Series): TimedValue[] {
  return values.flatMap((value, second) => (value === null ? [] : [{ second, value }]));
}

function hasEnoughSeconds(series: Series): boolean {
  return measuredValuesOf(series).length >= ASSESSED_SECONDS_MIN;
}

function amountText(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function questionsOf(series: Series): Question[] {
  const measuredValues = measuredValuesOf(series);
  const values = measuredValues.map(({ value }) => value);
  const trend = trendTest(values);
  const level = levelTest(values);
  const changeText = (change: Change): string =>
    `from ${amountText(change.from)} to ${amountText(change.to)}`;
  const second = measuredValues[level.at]?.second ?? level.at;
  return [
    { series, change: level, words: `${series.name} changes ${changeText(level)} after ${second} s` },
    { series, change: trend, words: `${series.name} drifts ${changeText(trend)}` },
  ];
}

function isChangeRelevant({ from, to }: Change): boolean {
  return Math.abs(to - from) > RELEVANT_CHANGE_MIN * Math.max(Math.abs(from), Math.abs(to));
}

/** The surest change of each series that changes, the surest series first. Series that are too short are skipped. */
function significantChangesIn(series: readonly Series[]): Question[] {
  const questionsBySeries = series.filter(hasEnoughSeconds).map(questionsOf);
  const bound = SIGNIFICANCE_LEVEL / questionsBySeries.flat().length;
  return questionsBySeries
    .flatMap((questions) => {
      const significantChanges = questions.filter(
        ({ change }) => change.pValue < bound && isChangeRelevant(change),
      );
      return significantChanges.sort((a, b) => a.change.pValue - b.change.pValue).slice(0, 1);
    })
    .sort((a, b) => a.change.pValue - b.change.pValue);
}

function withoutStart(series: readonly Series[], seconds: number): Series[] {
  return series.map(({ name, values }) => ({ name, values: values.slice(seconds) }));
}

/** Second from which a changed series is steady if its start is left off; undefined if leaving off a start does not help. */
function settlingSecondOfSeries(series: Series): number | undefined {
  const measuredValues = measuredValuesOf(series);
  const startLength = mser5(measuredValues.map(({ value }) => value));
  return startLength ? measuredValues[startLength]?.second : undefined;
}

/** Second from which all series are steady; undefined if there is none, or if too few seconds follow it to assess. */
function settlingSecond(all: readonly Series[], changed: readonly Series[]): number | undefined {
  const settlingSeconds = changed.map(settlingSecondOfSeries).filter((second) => second !== undefined);
  if (settlingSeconds.length < changed.length) return undefined;
  const seconds = Math.max(...settlingSeconds);
  const isRestLongEnough = withoutStart(changed, seconds).every(hasEnoughSeconds);
  return isRestLongEnough && significantChangesIn(withoutStart(all, seconds)).length === 0
    ? seconds
    : undefined;
}

export function steadyStateOf(series: readonly Series[]): SteadyState {
  const seconds = Math.max(0, ...series.map(({ values }) => values.length));
  if (seconds < ASSESSED_SECONDS_MIN) {
    return {
      isSteady: null,
      reason: `${seconds} whole seconds of a window, at least ${ASSESSED_SECONDS_MIN} are needed`,
    };
  }
  const assessedSeries = series.filter(hasEnoughSeconds);
  if (assessedSeries.length === 0)
    return { isSteady: null, reason: "too few seconds of the window have a measurement" };
  const changes = significantChangesIn(assessedSeries);
  if (changes.length === 0) return { isSteady: true, reason: "no trend and no change of level" };
  const steadyFromSecond = settlingSecond(
    assessedSeries,
    changes.map((change) => change.series),
  );
  const remedyText =
    steadyFromSecond === undefined
      ? ""
      : `; steady after ${steadyFromSecond} s: lengthen the warm-up by that time`;
  return {
    isSteady: false,
    reason: `${changes.map(({ words }) => words).join("; ")}${remedyText}`,
    ...(steadyFromSecond !== undefined && { settledAfterSeconds: steadyFromSecond }),
  };
}
