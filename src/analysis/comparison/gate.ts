// One error rate for all metrics of all compared runs: rotation test (Langsrud 2005) with single-step max-T.
import type { Prng } from "../../foundation/prng.js";
import { fillNormal } from "../statistics/family-test.js";
import { SIGNIFICANCE_LEVEL } from "../statistics/limits.js";
import { mean } from "../statistics/quantiles.js";
import {
  pValueOfDeviate,
  deviateAtLevel,
  deviateOf,
  shiftBetween,
  type MeanError,
} from "../statistics/welch.js";
import type { LogarithmSeries } from "../steady-state/series.js";

const RANDOM_ROTATIONS = 5000;

/**
 * One metric of one treatment in the baseline (`before`) and in the run with index `run` (`after`); at least five blocks on
 * either side.
 */
export interface GateColumn {
  readonly run: number;
  readonly before: LogarithmSeries;
  readonly after: LogarithmSeries;
}

/** Largest deviate of any column in each simulation of chance, in ascending order. */
export type LargestChanceDeviates = Float64Array;

/** A random direction in the space of the blocks of one run, with a mean of 0 and a length of 1. */
interface BlockDirection {
  readonly run: number | undefined;
  readonly blocks: readonly number[];
  readonly elements: Float64Array;
}

/** One side of a column: the residuals of its values, and the direction through its blocks. */
interface ColumnSide {
  readonly residuals: Float64Array;
  readonly squares: number;
  readonly direction: Float64Array;
}

/**
 * Mean and error of one side in one random rotation. The object is overwritten at each rotation, so that nothing is
 * allocated.
 */
interface RotationResult extends MeanError {
  mean: number;
  squaredError: number;
  valueCount: number;
}

/**
 * Writes the mean of the residuals along their direction, and its error, to `rotation`. The residuals have one degree of
 * freedom fewer than the values, but the error counts it, which makes up for noise with two humps.
 */
function rotate({ residuals, squares, direction }: ColumnSide, rotation: RotationResult): void {
  const values = residuals.length;
  let projection = 0;
  for (let i = 0; i < values; i++) projection += (direction[i] as number) * (residuals[i] as number);
  rotation.mean = projection / Math.sqrt(values);
  rotation.valueCount = values;
  rotation.squaredError = Math.max(0, squares - projection * projection) / (values - 2) / values;
}

class RandomDirections {
  private readonly directions: BlockDirection[] = [];
  private readonly normals = new Map<number | undefined, Float64Array>();

  sideOf(run: number | undefined, series: LogarithmSeries): ColumnSide {
    const values = [...series.values()];
    const centre = mean(values);
    const residuals = Float64Array.from(values, (value) => value - centre);
    const squares = residuals.reduce((sum, residual) => sum + residual * residual, 0);
    return { residuals, squares, direction: this.directionThrough(run, [...series.keys()]) };
  }

  private directionThrough(run: number | undefined, blocks: readonly number[]): Float64Array {
    const known = this.directions.find((each) => each.run === run && each.blocks.join() === blocks.join());
    if (known) return known.elements;
    const elements = new Float64Array(blocks.length);
    this.directions.push({ run, blocks, elements });
    const blockCount = Math.max(this.normals.get(run)?.length ?? 0, ...blocks.map((block) => block + 1));
    this.normals.set(run, new Float64Array(blockCount));
    return elements;
  }

  draw(prng: Prng): void {
    for (const normals of this.normals.values()) fillNormal(normals, prng);
    for (const { run, blocks, elements } of this.directions) {
      const normals = this.normals.get(run) as Float64Array;
      let [sum, squares] = [0, 0];
      for (let i = 0; i < blocks.length; i++) sum += normals[blocks[i] as number] as number;
      for (let i = 0; i < blocks.length; i++) {
        const element = (normals[blocks[i] as number] as number) - sum / blocks.length;
        elements[i] = element;
        squares += element * element;
      }
      const length = Math.sqrt(squares);
      for (let i = 0; i < blocks.length; i++) elements[i] = (elements[i] as number) / length;
    }
  }
}

export function largestChanceDeviates(columns: readonly GateColumn[], prng: Prng): LargestChanceDeviates {
  const directions = new RandomDirections();
  const sides = columns.map(({ run, before, after }) => ({
    before: directions.sideOf(undefined, before),
    after: directions.sideOf(run, after),
  }));
  const beforeResult: RotationResult = { mean: 0, squaredError: 0, valueCount: 0 };
  const afterResult: RotationResult = { ...beforeResult };
  return Float64Array.from({ length: RANDOM_ROTATIONS }, () => {
    directions.draw(prng);
    let largestDeviate = 0;
    for (const { before, after } of sides) {
      rotate(before, beforeResult);
      rotate(after, afterResult);
      const difference = afterResult.mean - beforeResult.mean;
      // A deviate is never larger than its t, so a t that is not the largest needs no conversion.
      if (
        difference * difference <=
        largestDeviate * largestDeviate * (beforeResult.squaredError + afterResult.squaredError)
      )
        continue;
      largestDeviate = Math.max(
        largestDeviate,
        Math.abs(deviateOf(shiftBetween(difference, beforeResult, afterResult))),
      );
    }
    return largestDeviate;
  }).sort();
}

/**
 * Number among `simulations` simulated chances that may be as extreme as the observed value for a claim at `level`; the observed
 * value counts as one more.
 */
export function allowedExtremeCount(simulations: number, level: number): number {
  return Math.floor(level * (simulations + 1)) - 1;
}

/**
 * Deviate that a shift must exceed to be claimed at `level` over all columns; never below the deviate for a single column.
 */
export function deviateToClaim(maxima: LargestChanceDeviates, level = SIGNIFICANCE_LEVEL): number {
  const extremeCount = allowedExtremeCount(maxima.length, level);
  return Math.max(
    deviateAtLevel(level),
    maxima[maxima.length - 1 - extremeCount] ?? Number.POSITIVE_INFINITY,
  );
}

/** Chance that any column shows such a deviate although no column truly differs. */
export function familyPValue(maxima: LargestChanceDeviates, deviate: number): number {
  const absoluteDeviate = Math.abs(deviate);
  const maximaFromSize = maxima.length - maxima.findIndex((largest) => largest >= absoluteDeviate);
  const asLargeCount = absoluteDeviate > (maxima.at(-1) ?? 0) ? 0 : maximaFromSize;
  return Math.max(pValueOfDeviate(absoluteDeviate), (1 + asLargeCount) / (maxima.length + 1));
}
