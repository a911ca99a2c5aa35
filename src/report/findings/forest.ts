// Headline comparisons as a forest plot: each ratio with its interval on one logarithmic axis. Pure: a browser uses it too.
import {
  headlineComparisons,
  isFindingAboveNoise,
  isWithinNoiseFloor,
} from "../../analysis/comparison/noise-floor.js";
import { outlookOf } from "../../analysis/comparison/outlook.js";
import { boundsOf } from "../../analysis/statistics/limits.js";
import { intervalText, rangeText, ratioText } from "../../foundation/text/numbers.js";
import { labelOf } from "../../metrics/metric-lists.js";
import { markOf, operationName, WITHIN_NOISE_NOTE } from "../../metrics/names.js";
import type { Comparison, ResultDocument } from "../../results/result-schema.js";
import { unitOf } from "../../workloads/vocabulary.js";

/** Largest number of rows on a first screen. If there are more comparisons, findings take precedence. */
const FOREST_ROWS_MAX = 18;

export interface ForestRow {
  readonly comparison: Comparison;
  /** Name of the compared metric, such as `add events/s`. */
  readonly name: string;
  /** Interval of the ratio; the range over blocks if there are too few for an interval; undefined if there is neither. */
  readonly spread: readonly [low: number, high: number] | undefined;
  /** True if `spread` is a 95 % interval. */
  readonly isInterval: boolean;
  /** Text of ratio and spread: `0.64x [0.60, 0.67]`, or `0.64x 0.60..0.67` for a range. */
  readonly text: string;
  /** True for a finding beyond the noise floor, whose mark is filled. */
  readonly isBelieved: boolean;
  readonly verdict: string;
  readonly mark: string;
}

export interface Forest {
  readonly rows: readonly ForestRow[];
  /** Number of headline comparisons without a row. */
  readonly omittedCount: number;
  readonly axis: RatioAxis;
  /** Factor by which a ratio may differ from 1 and still count as the same. */
  readonly equivalence: number;
}

export interface RatioAxis {
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly number[];
}

type ForestInputs = Pick<ResultDocument, "treatments" | "comparisons" | "workload">;

/** Interval of a ratio; its range over blocks if there are too few for an interval; undefined if there is neither. */
export function spreadOf(result: ForestInputs, comparison: Comparison): ForestRow["spread"] {
  const { ciLow, ciHigh } = comparison;
  return ciLow !== null && ciHigh !== null ? [ciLow, ciHigh] : outlookOf(result, comparison)?.ratioRange;
}

const RATIO_TICKS_MAX = 7;
const RATIO_TICK_SETS = [
  [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2],
  [0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 15, 20],
  [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200],
  [0.001, 0.01, 0.1, 1, 10, 100, 1000],
];

/** Logarithmic axis that includes all these ends and both sides of 1. Ratios beyond a thousandfold are cut off. */
export function ratioAxis(ends: readonly number[]): RatioAxis {
  const positiveEnds = ends.filter((end) => end > 0);
  const min = Math.max(Math.min(0.75, ...positiveEnds.map((end) => end * 0.9)), 0.001);
  const max = Math.min(Math.max(1.35, ...positiveEnds.map((end) => end * 1.1)), 1000);
  const within = RATIO_TICK_SETS.map((ticks) => ticks.filter((tick) => tick >= min && tick <= max));
  return { min, max, ticks: within.find(({ length }) => length <= RATIO_TICKS_MAX) ?? [] };
}

/** Position of a ratio on the axis, from 0 to 1. */
export function positionOnAxis({ min, max }: RatioAxis, ratio: number): number {
  const place = Math.log(ratio / min) / Math.log(max / min);
  return Math.min(1, Math.max(0, place));
}

export function forestOf(result: ResultDocument): Forest | undefined {
  const all = headlineComparisons(result.comparisons).filter(({ ratio }) => ratio > 0);
  if (all.length === 0) return undefined;
  const rankedComparisons = all.toSorted((a, b) => rankOf(a, result) - rankOf(b, result));
  const shownComparisons = new Set(rankedComparisons.slice(0, FOREST_ROWS_MAX));
  const rows = all
    .filter((comparison) => shownComparisons.has(comparison))
    .map((comparison) => rowOf(result, comparison));
  return {
    rows,
    omittedCount: all.length - rows.length,
    axis: ratioAxis(rows.flatMap(({ comparison, spread = [] }) => [comparison.ratio, ...spread])),
    equivalence: boundsOf(result).equivalence,
  };
}

const VERDICT_RANKS = ["finding", "exploratory", "indistinguishable", "inconclusive"];

function rankOf(comparison: Comparison, { comparisons }: ForestInputs): number {
  return isWithinNoiseFloor(comparison, comparisons)
    ? VERDICT_RANKS.length
    : VERDICT_RANKS.indexOf(comparison.verdict);
}

function rowOf(result: ResultDocument, comparison: Comparison): ForestRow {
  const { operation, metric, verdict } = comparison;
  const isNoise = isWithinNoiseFloor(comparison, result.comparisons);
  const isInterval = comparison.ciLow !== null && comparison.ciHigh !== null;
  const spread = spreadOf(result, comparison);
  const spreadText = spread ? ` ${(isInterval ? intervalText : rangeText)(...spread)}` : "";
  return {
    comparison,
    name: `${operationName(operation)} ${labelOf(metric, unitOf(result.workload, operation))}`,
    spread,
    isInterval,
    text: `${ratioText(comparison.ratio)}${spreadText}`,
    isBelieved: isFindingAboveNoise(comparison, result.comparisons),
    verdict: isNoise ? `${verdict}, ${WITHIN_NOISE_NOTE}` : verdict,
    mark: markOf(verdict, isNoise),
  };
}
