// Test and interval are the same inequality in two forms, so they never contradict each other.
import { mean, normalCdf, rootOf } from "./statistics.js";

const ROUNDING_TOLERANCE = 1e-9;

/** Difference between the means of two samples. */
export interface MeanDifference {
  readonly difference: number;
  readonly error: number;
  /** Degrees of freedom (Satterthwaite 1946). */
  readonly degrees: number;
}

export interface MeanError {
  readonly squaredError: number;
  readonly valueCount: number;
}

/** Difference between two means, with its error and degrees of freedom, from the errors of both means. */
export function shiftBetween(difference: number, before: MeanError, after: MeanError): MeanDifference {
  const [a, b] = [before.squaredError, after.squaredError];
  const error = Math.sqrt(a + b);
  if (error < ROUNDING_TOLERANCE)
    return { difference, error: ROUNDING_TOLERANCE, degrees: before.valueCount + after.valueCount - 2 };
  const degrees = (a + b) ** 2 / (a ** 2 / (before.valueCount - 1) + b ** 2 / (after.valueCount - 1));
  return { difference, error, degrees };
}

export function sumOfSquares(values: readonly number[]): number {
  const centre = mean(values);
  return values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
}

/** Difference between the means of `before` and `after`, each with two values or more. */
export function shiftOf(before: readonly number[], after: readonly number[]): MeanDifference {
  const errorOf = (values: readonly number[]): MeanError => ({
    squaredError: sumOfSquares(values) / (values.length - 1) / values.length,
    valueCount: values.length,
  });
  return shiftBetween(mean(after) - mean(before), errorOf(before), errorOf(after));
}

const wallaceFactor = (degrees: number): number => (8 * degrees + 1) / (8 * degrees + 3);

/**
 * Distance of the difference from `expected` as a normal deviate: the number of standard deviations that is as improbable
 * as its t (Wallace 1959).
 */
export function deviateOf({ difference, error, degrees }: MeanDifference, expected = 0): number {
  const t = (difference - expected) / error;
  return Math.sign(t) * wallaceFactor(degrees) * Math.sqrt(degrees * Math.log1p((t * t) / degrees));
}

export function shiftInterval(
  { difference, error, degrees }: MeanDifference,
  deviate: number,
): [low: number, high: number] {
  const t = Math.sqrt(degrees * Math.expm1((deviate / wallaceFactor(degrees)) ** 2 / degrees));
  return [difference - t * error, difference + t * error];
}

export function pValueOfDeviate(deviate: number): number {
  return Math.min(1, 2 * normalCdf(-Math.abs(deviate)));
}

/** Normal deviate outside of which, on both sides together, the share `level` lies. */
export function deviateAtLevel(level: number): number {
  return rootOf((deviate) => pValueOfDeviate(deviate) - level, 0, 40);
}
