// Whether a measurement window was steady: no trend and no change of level in any operation's events per second and
// mean response time, nor in the time to completion, where a backlog that grows shows first. A change counts when it
// is both significant, corrected for the number of questions asked, and large enough to matter. Where the window is
// not steady, MSER-5 says from where on it is, if it is. It refuses to judge a window that is too short to tell.
import { levelTest, mser5, trendTest, type Change } from "./change-tests.js";
import type { SteadyState } from "../results/result-schema.js";

/** Seconds without which no change, however clear, could be significant among a dozen questions. */
export const SECONDS_MIN = 20;
const SIGNIFICANCE = 0.05;
/** A level that moves by less than this share of itself is of no consequence. */
const MATTERS = 0.1;

/** One value a second; null where nothing was measured in that second. */
export interface Series {
  /** As `add events/s`. */
  readonly name: string;
  readonly values: readonly (number | null)[];
}

interface Question {
  readonly change: Change;
  readonly words: string;
}

function amount(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function questionsOf({ name, values }: Series): Question[] {
  const measured = values.filter((value) => value !== null);
  if (measured.length < SECONDS_MIN) return [];
  const trend = trendTest(measured);
  const level = levelTest(measured);
  const move = (change: Change): string => `from ${amount(change.from)} to ${amount(change.to)}`;
  return [
    { change: level, words: `${name} changes ${move(level)} after ${level.at} s` },
    { change: trend, words: `${name} drifts ${move(trend)}` },
  ];
}

function matters({ from, to }: Change): boolean {
  return Math.abs(to - from) > MATTERS * Math.max(Math.abs(from), Math.abs(to));
}

/** What changes in words, one finding a series, the surest first; empty when nothing does. */
function changesIn(series: readonly Series[]): string[] {
  const asked = series.map(questionsOf).filter((questions) => questions.length > 0);
  const bound = SIGNIFICANCE / asked.flat().length;
  return asked
    .flatMap((questions) => {
      const found = questions.filter(({ change }) => change.pValue < bound && matters(change));
      return found.sort((a, b) => a.change.pValue - b.change.pValue).slice(0, 1);
    })
    .sort((a, b) => a.change.pValue - b.change.pValue)
    .map(({ words }) => words);
}

function withoutStart(series: readonly Series[], seconds: number): Series[] {
  return series.map(({ name, values }) => ({ name, values: values.slice(seconds) }));
}

/** The second from which on all series are steady; undefined where there is none in the first half. */
function settledAfter(series: readonly Series[]): number | undefined {
  let seconds = 0;
  for (const { values } of series) {
    const own = mser5(values.map((value) => value ?? 0));
    if (own === undefined) return undefined;
    seconds = Math.max(seconds, own);
  }
  const rest = withoutStart(series, seconds);
  const isLongEnough = rest.every(({ values }) => values.length >= SECONDS_MIN);
  return seconds > 0 && isLongEnough && changesIn(rest).length === 0 ? seconds : undefined;
}

export function steadyStateOf(series: readonly Series[]): SteadyState {
  const seconds = Math.max(0, ...series.map(({ values }) => values.length));
  if (seconds < SECONDS_MIN) {
    return { isSteady: null, reason: `${seconds} s are too short to tell; it takes ${SECONDS_MIN}` };
  }
  const judged = series.filter(
    ({ values }) => values.filter((value) => value !== null).length >= SECONDS_MIN,
  );
  if (judged.length === 0)
    return { isSteady: null, reason: "nothing was measured in enough of its seconds to tell" };
  const changes = changesIn(judged);
  if (changes.length === 0) return { isSteady: true, reason: "no trend and no change of level" };
  const settled = settledAfter(judged);
  const wayOut = settled === undefined ? "" : `; steady after ${settled} s: lengthen the warm-up by that`;
  return {
    isSteady: false,
    reason: `${changes.join("; ")}${wayOut}`,
    ...(settled !== undefined && { settledAfterSeconds: settled }),
  };
}
