// Values depend on the machine, so the ratio between two published treatments is compared, by direction and size.
import { deriveSeed } from "../../foundation/prng.js";
import type { Agreement, PublishedRatio, PublishedResult } from "../../results/result-schema.js";
import type { PublishedFigure } from "../../scenario/judgement.js";
import { metricIdOf } from "../../scenario/threshold-metrics.js";
import { ownMedian } from "../comparison/findings.js";
import { NEAR } from "../statistics/limits.js";
import { objectionToRatio, ratioOf, type MeasuredTrials } from "../thresholds/ratio-thresholds.js";

type RunFigure = PublishedFigure & { readonly treatment: string };
type OurRatio = PublishedRatio["ours"];

/**
 * Side of 1 on which the interval of the measured ratio lies: 1, -1, or 0 if it includes 1; undefined without an interval.
 */
function sideOf(ours: OurRatio): number | undefined {
  if (!ours || ours.ciLow === null || ours.ciHigh === null) return undefined;
  return ours.ciLow > 1 ? 1 : ours.ciHigh < 1 ? -1 : 0;
}

export function directionOf(published: number, ours: OurRatio): Agreement {
  const side = sideOf(ours);
  if (!side) return "inconclusive";
  return side === Math.sign(published - 1) ? "agrees" : "differs";
}

export function sizeOf(published: number, ours: OurRatio): Agreement {
  if (!ours || ours.ciLow === null || ours.ciHigh === null) return "inconclusive";
  const isWithin = ours.ciLow <= published && published <= ours.ciHigh;
  const isNear = published <= ours.ratio * NEAR && ours.ratio <= published * NEAR;
  return isWithin || isNear ? "agrees" : "differs";
}

function ratioBetween(
  figure: RunFigure,
  first: RunFigure | undefined,
  measured: MeasuredTrials,
): PublishedRatio | undefined {
  if (!first || first === figure || first.treatment === figure.treatment || first.value === 0)
    return undefined;
  const published = figure.value / first.value;
  const ratio = ratioOf(figure, first, measured);
  const ours =
    typeof ratio === "string"
      ? null
      : { blocks: ratio.blocks, ratio: ratio.ratio, ciLow: ratio.ciLow, ciHigh: ratio.ciHigh };
  const about = { against: first.treatment, published, ours };
  const isJudged = objectionToRatio(figure, first, measured) === undefined;
  return isJudged
    ? { ...about, direction: directionOf(published, ours), size: sizeOf(published, ours) }
    : { ...about, direction: "inconclusive", size: "inconclusive" };
}

function measuredRatio(
  { quantity, treatment }: RunFigure,
  { values, seed }: MeasuredTrials,
): PublishedResult["ours"] {
  const own = [...values.of(quantity, treatment).values()];
  if (own.length === 0) return null;
  // The seed of the treatment's summary, so that both state the same interval if the summary has the metric.
  const ownSeed = deriveSeed(seed, "summary", treatment, quantity.source, metricIdOf(quantity));
  return { trials: own.length, ...ownMedian(own, ownSeed) };
}

export function comparePublished(
  figures: readonly PublishedFigure[],
  measured: MeasuredTrials,
): PublishedResult[] {
  const run = figures.flatMap(({ treatment, ...figure }) =>
    treatment === undefined ? [] : [{ ...figure, treatment }],
  );
  return run.map((figure) => {
    const { source, treatment, metric, value } = figure;
    const first = run.find((each) => each.source === source && each.metric === metric);
    const ratio = ratioBetween(figure, first, measured);
    return {
      source,
      treatment,
      metric,
      value,
      ours: measuredRatio(figure, measured),
      ...(ratio && { ratio }),
    };
  });
}
