// Differences that a plan can find before it runs, from the spread of an earlier result.
import { HEADLINE_METRICS } from "../../metrics/metric-lists.js";
import {
  comparedOperations,
  type ComparedOperation,
  type ComparisonMetric,
  type ResultDocument,
  type TreatmentResult,
} from "../../results/result-schema.js";
import { BLOCKS_MIN } from "../statistics/limits.js";
import { pooledDeviation } from "../statistics/place-effect.js";
import { effectFound, trialsToFind } from "../statistics/trials-to-decide.js";
import { differencesOf, logarithmSeries, placeSeries, ratioSeries } from "../steady-state/series.js";

/** Sizes of differences, as shares, for which a plan states the number of trials that finds them. */
export const DIFFERENCE_SIZES = [0.05, 0.1, 0.2] as const;

export interface PlannedReach {
  readonly operation: ComparedOperation;
  readonly metric: ComparisonMetric;
  /** Standard deviation of the ratio by block, as a share: 0.1 is 10 %. */
  readonly spread: number;
  /**
   * Smallest slow-down or gain that 4 of 5 experiments of the planned size find, as a share; undefined with fewer than 5
   * trials.
   */
  readonly finds: number | undefined;
  /** Trials of each treatment that find each of `DIFFERENCE_SIZES`; undefined if more than 100 are needed. */
  readonly trials: readonly (number | undefined)[];
}

export interface PlannedTrials {
  /** Largest number of trials of each treatment. */
  readonly trials: number;
  readonly compared: number;
  /** Level at which the last look at the results claims. */
  readonly level: number;
}

/**
 * Standard deviation, as a logarithm, of ratios to the baseline by block or, with a single treatment, of ratios between its
 * trials.
 */
function spreadOf(
  [baseline, ...others]: readonly TreatmentResult[],
  operation: ComparedOperation,
  metric: ComparisonMetric,
): number | undefined {
  if (!baseline) return undefined;
  const seriesOf = (treatment: TreatmentResult, comparedTreatments: readonly TreatmentResult[]) =>
    logarithmSeries(treatment, operation, metric, comparedTreatments);
  if (others.length === 0) {
    const trialDeviation = pooledDeviation([[...differencesOf(seriesOf(baseline, [baseline])).values()]]);
    return trialDeviation === undefined ? undefined : trialDeviation * Math.SQRT2;
  }
  return pooledDeviation(
    others.map((treatment) => {
      const sides = [baseline, treatment];
      const places = ratioSeries(placeSeries(treatment), placeSeries(baseline));
      return [
        ...differencesOf(ratioSeries(seriesOf(treatment, sides), seriesOf(baseline, sides)), places).values(),
      ];
    }),
  );
}

/**
 * Reach of a planned experiment by operation and headline metric, estimated from an earlier result; empty if none of the
 * result's treatments has two complete trials.
 */
export function plannedReach(
  { treatments }: Pick<ResultDocument, "treatments">,
  { trials, compared, level }: PlannedTrials,
): PlannedReach[] {
  const knownSpreads = comparedOperations(treatments).flatMap((operation) =>
    HEADLINE_METRICS.flatMap((metric) => {
      const spread = spreadOf(treatments, operation, metric);
      return spread === undefined || spread === 0 ? [] : [{ operation, metric, spread }];
    }),
  );
  const questions = knownSpreads.length * Math.max(1, compared);
  return knownSpreads.map(({ operation, metric, spread }) => ({
    operation,
    metric,
    spread: Math.expm1(spread),
    finds: trials < BLOCKS_MIN ? undefined : Math.expm1(effectFound(trials, questions, level) * spread),
    trials: DIFFERENCE_SIZES.map((size) => trialsToFind(Math.log1p(size) / spread, questions)),
  }));
}
