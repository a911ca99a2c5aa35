// Times of one operation from one generator, in milliseconds and ascending. Percentiles are HdrHistogram's: the least value
// with the wanted share at or below it. A percentile of few samples varies widely, so it is taken from all rounds' samples
// together and has a standard error.
import hdr from "hdr-histogram-js";

/** Half width of a 95 % interval, in standard errors. */
const Z = 1.96;

const sortAscending = (values) => Float64Array.from(values).sort();

/** Samples of a histogram. Each counts as the middle of its bucket, which is 0.1 % wide. */
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
  return sortAscending(values);
}

export const fromValues = sortAscending;

export const poolSamples = (rounds) => sortAscending(rounds.flatMap((samples) => [...samples]));

const atRank = (samples, rank) => samples[Math.min(samples.length, Math.max(1, Math.ceil(rank))) - 1];

function meanOf(samples) {
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
  const variance = samples.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (samples.length - 1);
  return { value: mean, error: Math.sqrt(variance / samples.length) / mean };
}

/** A percentile with its standard error, estimated from the values at nearby ranks. */
function percentileOf(samples, share) {
  const rank = samples.length * share;
  const ranks = Math.sqrt(rank * (1 - share));
  const error = Math.log(atRank(samples, rank + ranks) / atRank(samples, rank - ranks)) / 2;
  return { value: atRank(samples, rank), error };
}

/**
 * Value of `mean` or of a percentile such as `p95`, and its standard error as a share of the value, as if samples were
 * independent.
 */
export function estimate(samples, metric) {
  return metric === "mean" ? meanOf(samples) : percentileOf(samples, Number(metric.slice(1)) / 100);
}

/** Factor by which chance alone changes the ratio of two estimates, at most, in 19 of 20 cases. */
export const chance = (ours, theirs) => Math.exp(Z * Math.hypot(ours.error, theirs.error));
