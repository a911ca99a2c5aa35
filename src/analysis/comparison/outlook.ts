// Trials that would decide comparisons, if ratio and spread stay as seen. Pure: a page in the browser uses this file, too.
import { isHeadline } from "../../metrics/metric-lists.js";
import type { Comparison, ResultDocument } from "../../results/result-schema.js";
import { BLOCKS_MIN } from "../statistics/limits.js";
import { trialsToDecide } from "../statistics/trials-to-decide.js";
import { logarithmSeries, ratioSeries } from "../steady-state/series.js";
import { loadBounds } from "./load-bound.js";
import { headlineComparisons, NO_FACTOR } from "./noise-floor.js";
import { isSettled } from "./verdicts.js";

export type OutlookInputs = Pick<ResultDocument, "treatments" | "comparisons" | "workload">;

export interface Outlook {
  /**
   * Smallest and largest ratio of the blocks if they are too few for an interval; undefined otherwise, and with a single
   * block.
   */
  readonly ratioRange: readonly [low: number, high: number] | undefined;
  /**
   * Trials of each treatment that would decide the comparison; undefined if the spread is not known or more than 100 are
   * needed.
   */
  readonly trialsToDecide: number | undefined;
  /** True of a throughput that the load sets: its differences are chance, and more trials decide nothing. */
  readonly isSetByLoad: boolean;
}

const boundsByResult = new WeakMap<OutlookInputs, ReadonlyMap<string, string>>();

function isSetByLoad(result: OutlookInputs, { operation, metric }: Comparison): boolean {
  const bounds = boundsByResult.get(result) ?? loadBounds(result);
  boundsByResult.set(result, bounds);
  return metric === "eventsPerSecond" && bounds.has(operation);
}

/**
 * Outlook of a comparison that more trials may decide; undefined if it is settled, rests on invalid trials, or is no
 * headline comparison.
 */
export function outlookOf(result: OutlookInputs, comparison: Comparison): Outlook | undefined {
  const { operation, metric, blocks, factor, objection } = comparison;
  const hasTooFewBlocks = blocks < BLOCKS_MIN;
  if (objection !== undefined) return undefined;
  if (!hasTooFewBlocks && (isSettled(comparison) || !isHeadline(metric) || factor === NO_FACTOR))
    return undefined;
  const sides = [comparison.baseline, comparison.treatment].flatMap(
    (id) => result.treatments.find((treatment) => treatment.id === id) ?? [],
  );
  const [baseline, treatment] = sides;
  if (!baseline || !treatment) return undefined;
  const ratios = ratioSeries(
    logarithmSeries(treatment, operation, metric, sides),
    logarithmSeries(baseline, operation, metric, sides),
  );
  const values = [...ratios.values()];
  const neededTrials = trialsToDecide(values, headlineComparisons(result.comparisons).length);
  const hasNoOutlook = isSetByLoad(result, comparison);
  return {
    isSetByLoad: hasNoOutlook,
    ratioRange:
      hasTooFewBlocks && values.length > 1
        ? [Math.exp(Math.min(...values)), Math.exp(Math.max(...values))]
        : undefined,
    // The present number of trials did not decide the comparison, so it takes at least one more.
    trialsToDecide: hasNoOutlook ? undefined : neededTrials && Math.max(neededTrials, values.length + 1),
  };
}
