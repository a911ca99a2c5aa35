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

/** Least and greatest published ratio, which are equal unless a range was published. */
type PublishedRange = readonly [number, number];

/** A ratio of 1 differs from an interval that excludes 1. A range with only one end on our side of 1 is inconclusive. */
export function directionAgreement(range: PublishedRange, ours: OurRatio): Agreement {
  const side = sideOf(ours);
  if (!side) return "inconclusive";
  const endsOnSide = range.filter((end) => Math.sign(end - 1) === side).length;
  return endsOnSide === range.length ? "agrees" : endsOnSide > 0 ? "inconclusive" : "differs";
}

export function sizeAgreement([low, high]: PublishedRange, ours: OurRatio): Agreement {
  if (!ours || ours.ciLow === null || ours.ciHigh === null) return "inconclusive";
  const overlapsInterval = ours.ciLow <= high && low <= ours.ciHigh;
  const areRatiosNear = low <= ours.ratio * DEFAULT_NEAR_FACTOR && ours.ratio <= high * DEFAULT_NEAR_FACTOR;
  return overlapsInterval || areRatiosNear ? "agrees" : "differs";
}

/**
 * Side of the figure that a published ratio refers to, and the range of that ratio: as published, or the quotient of two
 * values. Undefined if no other figure is given, or if its value is 0.
 */
function publishedRatio(
  figure: RunFigure,
  figures: readonly RunFigure[],
): { readonly under: Pick<RunFigure, "quantity" | "treatment">; readonly range: PublishedRange } | undefined {
  const { source, metric, quantity, value, ratio, against } = figure;
  if (ratio && against !== undefined) return { under: { quantity, treatment: against }, range: ratio };
  const under = figures.find(
    (each) =>
      each.source === source &&
      each.metric === metric &&
      each.value !== undefined &&
      (against ?? each.treatment) === each.treatment,
  );
  if (value === undefined || !under?.value || under.treatment === figure.treatment) return undefined;
  return { under, range: [value / under.value, value / under.value] };
}

function ratioBetween(
  figure: RunFigure,
  figures: readonly RunFigure[],
  measured: MeasuredTrials,
): PublishedRatio | undefined {
  const theirs = publishedRatio(figure, figures);
  if (!theirs) return undefined;
  const { under, range } = theirs;
  const [low, high] = range;
  const ratio = ratioOf(figure, under, measured);
  const ours =
    typeof ratio === "string"
      ? null
      : { blocks: ratio.blocks, ratio: ratio.ratio, ciLow: ratio.ciLow, ciHigh: ratio.ciHigh };
  const isJudged = objectionToRatio(figure, under, measured) === undefined;
  return {
    against: under.treatment,
    published: low,
    ...(high !== low && { publishedHigh: high }),
    ours,
    direction: isJudged ? directionAgreement(range, ours) : "inconclusive",
    size: isJudged ? sizeAgreement(range, ours) : "inconclusive",
  };
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
    const ratio = ratioBetween(figure, runFigures, measured);
    return {
      source,
      treatment,
      metric,
      ...(value !== undefined && { value }),
      ours: measuredMedian(figure, measured),
      ...(ratio && { ratio }),
    };
  });
}
