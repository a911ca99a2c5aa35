// One error rate for all metrics of all compared runs: rotation test (Langsrud 2005) with single-step max-T.
import type { Prng } from "../../foundation/prng.js";
import { fillNormal } from "../statistics/family-test.js";
import { SIGNIFICANCE_LEVEL } from "../statistics/limits.js";
import { mean } from "../statistics/quantiles.js";
import { chanceBeyond, deviateAt, deviateOf, shiftBetween, type MeanError } from "../statistics/welch.js";
import type { LogSeries } from "../steady-state/series.js";

const RANDOM_ROTATIONS = 5000;

/**
 * One metric of one treatment in the baseline (`before`) and in the run with index `run` (`after`); at least five blocks on
 * either side.
 */
export interface GateColumn {
  readonly run: number;
  readonly before: LogSeries;
  readonly after: LogSeries;
}

/** Largest deviate of any column in each simulation of chance, in ascending order. */
export type ChanceMaxima = Float64Array;

/** A random direction in the space of the blocks of one run, with a mean of 0 and a length of 1. */
interface Direction {
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
  squared: number;
  values: number;
}

/**
 * Writes the mean of the residuals along their direction, and its error, to `turned`. The residuals have one degree of
 * freedom fewer than the values, but the error counts it, which makes up for noise with two humps.
 */
function rotate({ residuals, squares, direction }: ColumnSide, turned: RotationResult): void {
  const values = residuals.length;
  let along = 0;
  for (let i = 0; i < values; i++) along += (direction[i] as number) * (residuals[i] as number);
  turned.mean = along / Math.sqrt(values);
  turned.values = values;
  turned.squared = Math.max(0, squares - along * along) / (values - 2) / values;
}

class Directions {
  private readonly directions: Direction[] = [];
  private readonly normals = new Map<number | undefined, Float64Array>();

  sideOf(run: number | undefined, series: LogSeries): ColumnSide {
    const values = [...series.values()];
    const centre = mean(values);
    const residuals = Float64Array.from(values, (value) => value - centre);
    const squares = residuals.reduce((sum, residual) => sum + residual * residual, 0);
    return { residuals, squares, direction: this.through(run, [...series.keys()]) };
  }

  private through(run: number | undefined, blocks: readonly number[]): Float64Array {
    const known = this.directions.find((each) => each.run === run && each.blocks.join() === blocks.join());
    if (known) return known.elements;
    const elements = new Float64Array(blocks.length);
    this.directions.push({ run, blocks, elements });
    const size = Math.max(this.normals.get(run)?.length ?? 0, ...blocks.map((block) => block + 1));
    this.normals.set(run, new Float64Array(size));
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

export function chanceMaxima(columns: readonly GateColumn[], prng: Prng): ChanceMaxima {
  const directions = new Directions();
  const sides = columns.map(({ run, before, after }) => ({
    before: directions.sideOf(undefined, before),
    after: directions.sideOf(run, after),
  }));
  const one: RotationResult = { mean: 0, squared: 0, values: 0 };
  const other: RotationResult = { ...one };
  return Float64Array.from({ length: RANDOM_ROTATIONS }, () => {
    directions.draw(prng);
    let largest = 0;
    for (const { before, after } of sides) {
      rotate(before, one);
      rotate(after, other);
      const difference = other.mean - one.mean;
      // A deviate is never larger than its t, so a t that is not the largest needs no conversion.
      if (difference * difference <= largest * largest * (one.squared + other.squared)) continue;
      largest = Math.max(largest, Math.abs(deviateOf(shiftBetween(difference, one, other))));
    }
    return largest;
  }).sort();
}

/**
 * Number among `all` simulated chances that may be as extreme as the observed value for a claim at `level`; the observed
 * value counts as one more.
 */
export function chancesAllowed(all: number, level: number): number {
  return Math.floor(level * (all + 1)) - 1;
}

/**
 * Deviate that a shift must exceed to be claimed at `level` over all columns; never below the deviate for a single column.
 */
export function deviateToClaim(maxima: ChanceMaxima, level = SIGNIFICANCE_LEVEL): number {
  const allowed = chancesAllowed(maxima.length, level);
  return Math.max(deviateAt(level), maxima[maxima.length - 1 - allowed] ?? Number.POSITIVE_INFINITY);
}

/** Chance that any column shows such a deviate although no column truly differs. */
export function familyPValue(maxima: ChanceMaxima, deviate: number): number {
  const size = Math.abs(deviate);
  const reached = maxima.length - maxima.findIndex((largest) => largest >= size);
  const asLarge = size > (maxima.at(-1) ?? 0) ? 0 : reached;
  return Math.max(chanceBeyond(size), (1 + asLarge) / (maxima.length + 1));
}
