// Separate from the other statistics: a browser can load these, since they draw nothing at random.

/** Numbers in an array of any type; resampling uses typed arrays, thousands of times. */
export type Numbers = ArrayLike<number>;

const INSERTION_SORT_MAX = 40;

export function mean(values: Numbers): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] as number;
  return sum / values.length;
}

/** The `q`-quantile, 0 .. 1, interpolated linearly (R's type 7, NumPy's default); NaN without values. */
export function quantile(values: Numbers, q: number): number {
  return quantileOfSorted(sortedCopy(values), q);
}

/** A sorted copy. Few values are sorted by insertion, which is several times faster for a bootstrap of trials. */
function sortedCopy(values: Numbers): Numbers {
  if (values.length > INSERTION_SORT_MAX) return Float64Array.from(values).sort();
  const sorted: number[] = [];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    let j = i - 1;
    for (; j >= 0 && (sorted[j] as number) > value; j--) sorted[j + 1] = sorted[j] as number;
    sorted[j + 1] = value;
  }
  return sorted;
}

/** The `q`-quantile of values in ascending order. */
export function quantileOfSorted(ascending: Numbers, q: number): number {
  const position = (ascending.length - 1) * q;
  const lowerValue = ascending[Math.floor(position)] ?? Number.NaN;
  const upperValue = ascending[Math.ceil(position)] ?? Number.NaN;
  return lowerValue + (upperValue - lowerValue) * (position - Math.floor(position));
}

export function median(values: Numbers): number {
  return quantile(values, 0.5);
}
