// A change counts if it is significant and large enough to matter; MSER-5 finds the second from which the window is steady.
import { SIGNIFICANCE_LEVEL } from "../statistics/limits.js";
import { levelTest, mser5, trendTest, type Change } from "../statistics/change-tests.js";
import type { SteadyState } from "../../results/result-schema.js";

/**
 * Fewest seconds that are assessed: with fewer, no change could be significant among a dozen questions, however clear it
 * is.
 */
export const SECONDS_MIN = 20;
/** Smallest change of a level that matters, as a share of the level. */
const MATTERS = 0.1;

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

function measuredOf({ values }: Series): TimedValue[] {
  return values.flatMap((value, second) => (value === null ? [] : [{ second, value }]));
}

function hasEnough(series: Series): boolean {
  return measuredOf(series).length >= SECONDS_MIN;
}

function amount(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function questionsOf(series: Series): Question[] {
  const measured = measuredOf(series);
  const values = measured.map(({ value }) => value);
  const trend = trendTest(values);
  const level = levelTest(values);
  const move = (change: Change): string => `from ${amount(change.from)} to ${amount(change.to)}`;
  const second = measured[level.at]?.second ?? level.at;
  return [
    { series, change: level, words: `${series.name} changes ${move(level)} after ${second} s` },
    { series, change: trend, words: `${series.name} drifts ${move(trend)}` },
  ];
}

function isLarge({ from, to }: Change): boolean {
  return Math.abs(to - from) > MATTERS * Math.max(Math.abs(from), Math.abs(to));
}

/** The surest change of each series that changes, the surest series first. Series that are too short are skipped. */
function changesIn(series: readonly Series[]): Question[] {
  const asked = series.filter(hasEnough).map(questionsOf);
  const bound = SIGNIFICANCE_LEVEL / asked.flat().length;
  return asked
    .flatMap((questions) => {
      const found = questions.filter(({ change }) => change.pValue < bound && isLarge(change));
      return found.sort((a, b) => a.change.pValue - b.change.pValue).slice(0, 1);
    })
    .sort((a, b) => a.change.pValue - b.change.pValue);
}

function withoutStart(series: readonly Series[], seconds: number): Series[] {
  return series.map(({ name, values }) => ({ name, values: values.slice(seconds) }));
}

/** Second from which a changed series is steady if its start is left off; undefined if leaving off a start does not help. */
function settlingSecondOfSeries(series: Series): number | undefined {
  const measured = measuredOf(series);
  const left = mser5(measured.map(({ value }) => value));
  return left ? measured[left]?.second : undefined;
}

/** Second from which all series are steady; undefined if there is none, or if too few seconds follow it to assess. */
function settlingSecond(all: readonly Series[], changed: readonly Series[]): number | undefined {
  const own = changed.map(settlingSecondOfSeries).filter((second) => second !== undefined);
  if (own.length < changed.length) return undefined;
  const seconds = Math.max(...own);
  const isAssessed = withoutStart(changed, seconds).every(hasEnough);
  return isAssessed && changesIn(withoutStart(all, seconds)).length === 0 ? seconds : undefined;
}

export function steadyStateOf(series: readonly Series[]): SteadyState {
  const seconds = Math.max(0, ...series.map(({ values }) => values.length));
  if (seconds < SECONDS_MIN) {
    return {
      isSteady: null,
      reason: `${seconds} whole seconds of a window, at least ${SECONDS_MIN} are needed`,
    };
  }
  const judged = series.filter(hasEnough);
  if (judged.length === 0)
    return { isSteady: null, reason: "too few seconds of the window have a measurement" };
  const changes = changesIn(judged);
  if (changes.length === 0) return { isSteady: true, reason: "no trend and no change of level" };
  const settled = settlingSecond(
    judged,
    changes.map((change) => change.series),
  );
  const wayOut =
    settled === undefined ? "" : `; steady after ${settled} s: lengthen the warm-up by that time`;
  return {
    isSteady: false,
    reason: `${changes.map(({ words }) => words).join("; ")}${wayOut}`,
    ...(settled !== undefined && { settledAfterSeconds: settled }),
  };
}
