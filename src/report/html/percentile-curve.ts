// A distribution as HdrHistogram plots draw it, with as many points between 99 and 99.9 as between 90 and 99. It ends at the largest
// sample and shows no percentile that so few samples cannot tell apart from it.
import { percentileMs, type Histogram } from "../../metrics/histograms.js";
import { rounded } from "./buckets.js";

/** Between the smallest value and the last percentile that is not simply the largest one. */
const STEPS = 80;

/** Of a histogram with samples. Percentiles ascend from 0 to 100; of values that repeat, the ends are kept. */
export function percentileCurve(histogram: Histogram): [percentile: number, ms: number][] {
  const { totalCount } = histogram;
  const percentiles = Array.from({ length: STEPS + 1 }, (_, i) => 100 * (1 - totalCount ** (-i / STEPS)));
  const points = [...percentiles, 100].map((percentile): [number, number] => [
    Number(percentile.toFixed(7)),
    rounded(percentileMs(histogram, percentile)),
  ]);
  return points.filter(
    ([percentile, ms], i) =>
      i === 0 ||
      i === points.length - 1 ||
      (percentile > (points[i - 1]?.[0] ?? 0) && (ms !== points[i - 1]?.[1] || ms !== points[i + 1]?.[1])),
  );
}
