// Values depend on the machine, so the ratio between two published treatments is compared, by direction and size.
import { deriveSeed } from "../../foundation/prng.js";
import type { Agreement, PublishedRatio, PublishedResult } from "../../results/result-schema.js";
import type { PublishedFigure } from "../../scenario/judgement.js";
import { metricIdOf } from "../../scenario/threshold-metrics.js";
import { medianSummary } from "../comparison/findings.js";
import { DEFAULT_NEAR_FACTOR } from "../statistics/limits.js";
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

export function directionAgreement(published: number, ours: OurRatio): Agreement {
  const side = sideOf(ours);
  if (!side) return "inconclusive";
  return side === Math.sign(published - 1) ? "agrees" : "differs";
}

export function sizeAgreement(published: number, ours: OurRatio): Agreement {
  if (!ours || ours.ciLow === null || ours.ciHigh === null) return "inconclusive";
  const isWithinInterval = ours.ciLow <= published && published <= ours.ciHigh;
  const areRatiosNear =
    published <= ours.ratio * DEFAULT_NEAR_FACTOR && ours.ratio <= published * DEFAULT_NEAR_FACTOR;
  return isWithinInterval || areRatiosNear ? "agrees" : "differs";
}

function ratioBetween(
  figure: RunFigure,
  first: RunFigure | undefined,
  measured: MeasuredTrials,
): PublishedRatio | undefined {
  if (!first || first === figure || first.treatment === figure.treatment || first.value === 0)
    return undefined;
  const publishedRatio = figure.value / first.value;
  const ratio = ratioOf(figure, first, measured);
  const ourRatio =
    typeof ratio === "string"
      ? null
      : { blocks: ratio.blocks, ratio: ratio.ratio, ciLow: ratio.ciLow, ciHigh: ratio.ciHigh };
  const ratioFields = { against: first.treatment, published: publishedRatio, ours: ourRatio };
  const isJudged = objectionToRatio(figure, first, measured) === undefined;
  return isJudged
    ? {
        ...ratioFields,
        direction: directionAgreement(publishedRatio, ourRatio),
        size: sizeAgreement(publishedRatio, ourRatio),
      }
    : { ...ratioFields, direction: "inconclusive", size: "inconclusive" };
}

function measuredMedian(
  { quantity, treatment }: RunFigure,
  { values, seed }: MeasuredTrials,
): PublishedResult["ours"] {
  const treatmentValues = [...values.of(quantity, treatment).values()];
  if (treatmentValues.length === 0) return null;
  // The seed of the treatment's summary, so that both state the same interval if the summary has the metric.
  const summarySeed = deriveSeed(seed, "summary", treatment, quantity.source, metricIdOf(quantity));
  return { trials: treatmentValues.length, ...medianSummary(treatmentValues, summarySeed) };
}

export function comparePublished(
  figures: readonly PublishedFigure[],
  measured: MeasuredTrials,
): PublishedResult[] {
  const runFigures = figures.flatMap(({ treatment, ...figure }) =>
    treatment === undefined ? [] : [{ ...figure, treatment }],
  );
  return runFigures.map((figure) => {
    const { source, treatment, metric, value } = figure;
    const first = runFigures.find((each) => each.source === source && each.metric === metric);
    const ratio = ratioBetween(figure, first, measured);
    return {
      source,
      treatment,
      metric,
      value,
      ours: measuredMedian(figure, measured),
      ...(ratio && { ratio }),
    };
  });
}
