// Times of one operation as one generator measured them, in milliseconds and ascending. Percentiles are HdrHistogram's: the
// least value with so many at or below it. A percentile of few samples is an accident, so it is taken of all rounds'
// samples together, and says how far it may be off by chance.
import hdr from "hdr-histogram-js";

/** Standard errors on each side of an estimate that hold it 19 times in 20. */
const Z = 1.96;

const ascending = (values) => Float64Array.from(values).sort();

/** Each at the middle of its bucket, which is 0.1 % wide. */
export function fromHistogram(histogram) {
  if (!(histogram instanceof hdr.JsHistogram))
    throw new Error("train-sim stored no histogram of the operation");
  const values = [];
  const last = histogram.countsArrayIndex(histogram.maxValue);
  for (let index = 0; index <= last; index++) {
    const middleUs = histogram.medianEquivalentValue(histogram.valueFromIndex(index));
    for (let left = histogram.getCountAtIndex(index); left > 0; left--) values.push(middleUs / 1000);
  }
  if (values.length !== histogram.totalCount)
    throw new Error("the histogram holds other samples than it counts");
  return ascending(values);
}

export const fromValues = ascending;

export const pooled = (rounds) => ascending(rounds.flatMap((samples) => [...samples]));

const atRank = (samples, rank) => samples[Math.min(samples.length, Math.max(1, Math.ceil(rank))) - 1];

function meanOf(samples) {
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
  const variance = samples.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (samples.length - 1);
  return { value: mean, error: Math.sqrt(variance / samples.length) / mean };
}

/** The error is that of the ranks between which it lies. */
function percentileOf(samples, share) {
  const rank = samples.length * share;
  const ranks = Math.sqrt(rank * (1 - share));
  const error = Math.log(atRank(samples, rank + ranks) / atRank(samples, rank - ranks)) / 2;
  return { value: atRank(samples, rank), error };
}

/** `mean` or `p95`: the value, and its standard error as a share of it, as if no sample had to do with another. */
export function estimate(samples, metric) {
  return metric === "mean" ? meanOf(samples) : percentileOf(samples, Number(metric.slice(1)) / 100);
}

/** By what factor the ratio of two estimates may be off by chance, 19 times in 20. */
export const chance = (ours, theirs) => Math.exp(Z * Math.hypot(ours.error, theirs.error));
