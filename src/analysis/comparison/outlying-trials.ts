// Trials that a median hides: those whose throughput is zero, or beyond a factor of two of their own treatment's median. They
// are found in any experiment, named, and keep two treatments from being called the same. Response times are left out: the
// p99 of short windows is beyond a factor of two by chance too often, and a stalled trial may have none.
import { operationsIn } from "../../metrics/operations.js";
import { unitOf, type Vocabulary } from "../../workloads/vocabulary.js";
import type { ComparedOperation, OutlyingTrial, TreatmentResult } from "../../results/result-schema.js";
import { OUTLYING } from "../statistics/limits.js";
import { shortNumber } from "../../foundation/text/numbers.js";
import { completeTrials } from "../steady-state/series.js";
import { mean, median } from "../statistics/quantiles.js";

/** Fewer trials have no median to be beside. */
const TRIALS_MIN = 3;
/** A count of transactions that is within so many of its standard deviations (were it Poisson's) is chance. */
const CHANCE_DEVIATIONS = 4;

/** Whether so many transactions, where `expected` are usual, are within what chance explains. */
export function isChance(transactions: number, expected: number): boolean {
  return Math.abs(transactions - expected) <= CHANCE_DEVIATIONS * Math.sqrt(expected);
}

function isBeyond(rate: number, middle: number): boolean {
  return rate === 0 || (middle > 0 && Math.max(rate / middle, middle / rate) > OUTLYING);
}

/** Complete trials at zero or beyond a factor of two of the treatment's median; none of fewer than three trials. */
export function outlyingTrials(treatments: readonly TreatmentResult[]): OutlyingTrial[] {
  return treatments.flatMap((treatment) => {
    const complete = completeTrials(treatment);
    return operationsIn(complete.map(({ operations }) => operations)).flatMap((operation) => {
      const values = complete.flatMap(({ number, operations, windowSeconds }) => {
        const result = operations[operation];
        const { eventsPerSecond: rate = 0, transactions = 0 } = result ?? {};
        return result ? [{ number, rate, transactions, windowSeconds }] : [];
      });
      if (values.length < TRIALS_MIN) return [];
      const middle = median(values.map(({ rate }) => rate));
      const perSecond = values.map(({ transactions, windowSeconds }) => transactions / windowSeconds);
      // Of trials that mostly did nothing, the mean.
      const usual = median(perSecond) || mean(perSecond);
      return values
        .filter(({ rate }) => isBeyond(rate, middle))
        .filter(({ transactions, windowSeconds }) => !isChance(transactions, usual * windowSeconds))
        .map(({ number, rate }) => ({
          ...{ treatment: treatment.id, trial: number, operation },
          ...{ eventsPerSecond: rate, median: middle },
        }));
    });
  });
}

/** Whether one of these treatments has such a trial in the operation, or, of the span of an event's life, in any. */
export function hasOutlyingTrial(
  treatments: readonly TreatmentResult[],
  operation: ComparedOperation,
): boolean {
  const isSpan = operation.startsWith("lifecycle.");
  return outlyingTrials(treatments).some((each) => isSpan || each.operation === operation);
}

/** `trial 7 did 0, trial 9 did 12 events/s against a median of 850`, of one operation. */
export function outlyingText(trials: readonly OutlyingTrial[], unit: string): string {
  const words = trials.map(
    ({ trial, eventsPerSecond }) => `trial ${trial} did ${shortNumber(eventsPerSecond)}`,
  );
  const [first] = trials;
  return `${words.join(", ")} ${unit}/s against a median of ${shortNumber(first?.median ?? 0)}`;
}

/** By treatment and operation, in order. */
export function byOperation(trials: readonly OutlyingTrial[]): OutlyingTrial[][] {
  const groups = new Map<string, OutlyingTrial[]>();
  for (const trial of trials) {
    const key = JSON.stringify([trial.treatment, trial.operation]);
    groups.set(key, [...(groups.get(key) ?? []), trial]);
  }
  return [...groups.values()];
}

/** A sentence for each treatment and operation that has such trials. */
export function outlyingSentences(treatments: readonly TreatmentResult[], vocabulary: Vocabulary): string[] {
  return byOperation(outlyingTrials(treatments)).map((trials) => {
    const [first] = trials;
    const { operation = "", treatment = "" } = first ?? {};
    const text = outlyingText(trials, unitOf(vocabulary, operation));
    return `Outlying: ${operation} of ${treatment}: ${text}. Find out why before using this treatment's median.`;
  });
}
