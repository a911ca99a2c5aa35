// Thresholds on a trial that is still running, of the whole window so far, once a second.
import { operationResults, randomArrivals } from "../../results/operation-results.js";
import { assess, type Measured } from "../../analysis/thresholds/thresholds.js";
import type { Threshold } from "../../scenario/judgement.js";
import type { Treatment } from "../../scenario/settings.js";
import type { RunningThreshold } from "./observer.js";
import type { WatchTotals } from "../trial/trial-parts.js";

export type OnThresholds = (
  states: readonly RunningThreshold[],
  measured: Measured,
  elapsedMs: number,
) => void;

/** Undefined where there is nothing to watch: totals are then not summed up either. */
export function watchThresholds(
  thresholds: readonly Threshold[],
  treatment: Treatment,
  onThresholds: OnThresholds,
): WatchTotals | undefined {
  if (thresholds.length === 0) return undefined;
  let seconds = 0;
  return (totals, windowSeconds) => {
    seconds = Math.max(seconds, windowSeconds);
    const operations = operationResults(totals.summary(seconds), treatment.settings);
    const { histograms } = totals;
    const measured = {
      operations,
      histograms,
      audits: [],
      invalid: undefined,
      randomArrivals: randomArrivals(treatment.settings),
    };
    onThresholds(
      thresholds.map((each) => stateOf(each, measured)),
      measured,
      seconds * 1000,
    );
  };
}

function stateOf(threshold: Threshold, measured: Measured): RunningThreshold {
  const { metric, expression } = threshold;
  const { seen = null, ok = null } = assess(threshold, measured) ?? {};
  return { metric, expression, seen, ok };
}
