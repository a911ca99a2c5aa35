// Trials that a median hides: throughput zero, or beyond a factor of two of their treatment's median.
import { operationsIn } from "../../metrics/operations.js";
import type { ComparedOperation, OutlyingTrial, TreatmentResult } from "../../results/result-schema.js";
import { OUTLYING_FACTOR } from "../statistics/limits.js";
import { completeTrials } from "../steady-state/series.js";
import { mean, median } from "../statistics/quantiles.js";

/** Minimum number of trials that have a median to compare with. */
const TRIALS_MIN = 3;
/** Standard deviations of a Poisson count within which chance explains a number of transactions. */
const CHANCE_DEVIATIONS = 4;

/** True if chance explains this number of transactions in a trial in which `expected` are usual. */
export function isWithinChance(transactions: number, expected: number): boolean {
  return Math.abs(transactions - expected) <= CHANCE_DEVIATIONS * Math.sqrt(expected);
}

function isRateOutlying(rate: number, medianRate: number): boolean {
  return rate === 0 || (medianRate > 0 && Math.max(rate / medianRate, medianRate / rate) > OUTLYING_FACTOR);
}

/**
 * Complete trials with a throughput of 0 or beyond a factor of two of their treatment's median, unless chance explains it;
 * empty with fewer than three trials.
 */
export function outlyingTrials(treatments: readonly TreatmentResult[]): OutlyingTrial[] {
  return treatments.flatMap((treatment) => {
    const completedTrials = completeTrials(treatment);
    return operationsIn(completedTrials.map(({ operations }) => operations)).flatMap((operation) => {
      const values = completedTrials.flatMap(({ number, operations, windowSeconds }) => {
        const result = operations[operation];
        const { eventsPerSecond: rate = 0, transactions = 0 } = result ?? {};
        return result ? [{ number, rate, transactions, windowSeconds }] : [];
      });
      if (values.length < TRIALS_MIN) return [];
      const medianRate = median(values.map(({ rate }) => rate));
      const transactionsPerSecond = values.map(
        ({ transactions, windowSeconds }) => transactions / windowSeconds,
      );
      // If most trials did nothing, the median is 0 and the mean takes its place.
      const usualPerSecond = median(transactionsPerSecond) || mean(transactionsPerSecond);
      return values
        .filter(({ rate }) => isRateOutlying(rate, medianRate))
        .filter(
          ({ transactions, windowSeconds }) => !isWithinChance(transactions, usualPerSecond * windowSeconds),
        )
        .map(({ number, rate }) => ({
          treatment: treatment.id,
          trial: number,
          operation,
          eventsPerSecond: rate,
          median: medianRate,
        }));
    });
  });
}

/** True if a treatment has an outlying trial in the operation or, for a span of an event's life, in any operation. */
export function hasOutlyingTrial(
  treatments: readonly TreatmentResult[],
  operation: ComparedOperation,
): boolean {
  const isLifecycleSpan = operation.startsWith("lifecycle.");
  return outlyingTrials(treatments).some((each) => isLifecycleSpan || each.operation === operation);
}
