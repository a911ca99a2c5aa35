// Samples that a percentile needs to be passed, and chance in the counts of a Poisson schedule. Exact for independent samples; samples
// that resemble their neighbours bear less. Pure.
import type { OperationResult } from "../../results/result-schema.js";
import type { Threshold, ThresholdOperator } from "../../scenario/judgement.js";

/** Chance that all samples lie on the one side of the true percentile, at most. */
const MISSED_CHANCE = 0.05;
/** Standard deviations that a count may be off; one in 740 is off further on one side. */
const DEVIATIONS = 3;
/** Mean square of batch sizes over their squared mean, at most, where sizes are drawn evenly from 1 on. */
const BATCH_SPREAD = 4 / 3;

const LOWER: readonly ThresholdOperator[] = [">", ">="];
const UPPER: readonly ThresholdOperator[] = ["<", "<="];

/** Samples by which the percentile of a threshold has a limit on the side that is asked for, with 95 % confidence. */
export function samplesNeeded({ aggregate, percentile, operator }: Threshold): number {
  const share = aggregate === "med" ? 0.5 : (percentile ?? 100) / 100;
  if (share <= 0 || share >= 1) return 1; // the least and the largest as measured
  const beyond = [
    ...(LOWER.includes(operator) ? [] : [share]),
    ...(UPPER.includes(operator) ? [] : [1 - share]),
  ];
  return Math.ceil(Math.max(...beyond.map((each) => Math.log(MISSED_CHANCE) / Math.log(each))));
}

/** Counts of arrivals, and of what they did. */
const COUNTED = ["count", "rate", "events", "eventsPerSecond", "offered"];

/**
 * Why a bound on a count or rate is met although what was seen is beyond it: the Poisson schedule offered fewer or more
 * arrivals by chance, and of fewer all were served. Those under way at the window's end count as served. Else undefined.
 */
export function chanceOf(
  { aggregate, operator, bound }: Threshold,
  { transactions, transactionsPerSecond, events, offered, unfinished = 0 }: OperationResult,
): string | undefined {
  if (!COUNTED.includes(aggregate) || offered === undefined || transactions === 0) return undefined;
  const seconds = /rate|PerSecond/.test(aggregate) ? transactions / transactionsPerSecond : 1;
  const isOfEvents = aggregate.startsWith("events");
  const asked = (bound * seconds) / (isOfEvents ? events / transactions : 1);
  const margin = DEVIATIONS * Math.sqrt(asked * (isOfEvents ? BATCH_SPREAD : 1));
  const done = transactions + unfinished;
  const isMet = LOWER.includes(operator)
    ? aggregate === "offered" || done >= offered || done >= asked
    : UPPER.includes(operator);
  if (!isMet || !(Math.abs(offered - asked) <= margin)) return undefined;
  const [least, most] = [Math.ceil(asked - margin), Math.floor(asked + margin)];
  return `the schedule offered ${offered} arrivals, within chance of the ${Math.round(asked)} asked for (${least} to ${most})`;
}
