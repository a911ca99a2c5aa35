// No median cancels a trial's place if blocks are odd, so it is estimated and taken out at the cost of a degree of freedom.
import { mean, median } from "./quantiles.js";

export interface Difference {
  readonly logarithm: number;
  /** Number of places, in the order of trials, by which the first side's trial ran after the second side's. */
  readonly places: number;
}

export type Differences = ReadonlyMap<number, Difference>;

/** A mean of logarithms, its standard error, and the degrees of freedom of that error. */
export interface MeanEstimate {
  readonly mean: number;
  readonly error: number;
  readonly degrees: number;
  /** Standard deviation around the mean, without the effect of the place. */
  readonly deviation: number;
}

/**
 * Smallest difference of places that counts. Places are whole numbers or, in means, fractions; a smaller difference is
 * rounding.
 */
const PLACE_VARIATION_MIN = 1e-9;
const ROUNDING_TOLERANCE = 1e-12;

function dotProduct(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

/**
 * The differences of places as a vector of length 1; undefined if all are equal, because their effect is then inseparable
 * from the ratio.
 */
export function placeDirection(differences: readonly Difference[]): Float64Array | undefined {
  const places = Float64Array.from(differences, (each) => each.places);
  const centre = mean(places);
  if (places.every((each) => Math.abs(each - centre) < PLACE_VARIATION_MIN)) return undefined;
  const length = Math.sqrt(dotProduct(places, places));
  return places.map((each) => each / length);
}

/** `values` minus their component along `direction`. */
export function orthogonalPart(values: Float64Array, direction: Float64Array | undefined): Float64Array {
  if (!direction) return values;
  const projection = dotProduct(values, direction);
  return values.map((value, i) => value - projection * (direction[i] as number));
}

/** Least squares estimate of the mean that the differences would have if both sides ran at the same place. */
export function meanWithoutPlaces(differences: readonly Difference[]): MeanEstimate {
  const direction = placeDirection(differences);
  const values = orthogonalPart(
    Float64Array.from(differences, ({ logarithm }) => logarithm),
    direction,
  );
  const ones = orthogonalPart(new Float64Array(differences.length).fill(1), direction);
  const information = dotProduct(ones, ones);
  const centre = dotProduct(values, ones) / information;
  const degrees = differences.length - (direction ? 2 : 1);
  const squares = Math.max(0, dotProduct(values, values) - centre * centre * information);
  const deviation = Math.sqrt(squares / degrees);
  return { mean: centre, error: deviation / Math.sqrt(information), degrees, deviation };
}

/** Standard deviation that several series have in common, each around its own mean; undefined if no series has a spread. */
export function pooledDeviation(all: readonly (readonly Difference[])[]): number | undefined {
  const means = all.map(meanWithoutPlaces).filter(({ degrees }) => degrees > 0);
  if (means.length === 0) return undefined;
  const squares = means.reduce((sum, { deviation, degrees }) => sum + degrees * deviation ** 2, 0);
  return Math.sqrt(squares / means.reduce((sum, { degrees }) => sum + degrees, 0));
}

/** The first of `count` indices from which on `holds` is true; the last index if there is none. */
function firstWhere(count: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, count - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Effect of one place, estimated by least absolute deviations; if the blocks allow a range of effects, the effect nearest
 * to 0.
 */
function placeEffect(differences: readonly Difference[]): number {
  const slopes = differences
    .flatMap((a, i) =>
      differences
        .slice(i + 1)
        .flatMap((b) => (a.places === b.places ? [] : [(a.logarithm - b.logarithm) / (a.places - b.places)])),
    )
    .sort((a, b) => a - b);
  const sumOfDeviations = (index: number): number => {
    const residuals = differences.map(
      ({ logarithm, places }) => logarithm - (slopes[index] as number) * places,
    );
    const middle = median(residuals);
    return residuals.reduce((sum, each) => sum + Math.abs(each - middle), 0);
  };
  const rise = (index: number): number => sumOfDeviations(index + 1) - sumOfDeviations(index);
  const least = slopes[firstWhere(slopes.length, (i) => rise(i) >= -ROUNDING_TOLERANCE)] ?? 0;
  const most = slopes[firstWhere(slopes.length, (i) => rise(i) > ROUNDING_TOLERANCE)] ?? 0;
  return Math.min(Math.max(0, least), most);
}

/** Logarithms of the differences, corrected as if both sides had run at the same place. */
export function logsWithoutPlaces(differences: readonly Difference[]): number[] {
  const effect = placeDirection(differences) ? placeEffect(differences) : 0;
  return differences.map(({ logarithm, places }) => logarithm - effect * places);
}
