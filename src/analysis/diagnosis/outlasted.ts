// Whether a transaction that the window's end found under way took longer than all that were measured. It is in no
// histogram, so the tail is understated: by one client that stood still, as behind the one that cleans up a GIN pending
// list for all. It invalidates nothing: each measured time is true. The worst operation speaks for the trial.
import type { OperationResult } from "../../results/result-schema.js";
import { above, ms, type Check } from "./check.js";
import { isRound } from "../../metrics/operations.js";

const LEAST_MS = 1_000;
/** Long ones are more likely to be under way at any moment than short ones: a little longer than any is chance. */
const TIMES_THE_SLOWEST = 2;

/** Of those that ended in the window, failed ones included. */
export function slowestMs({ responseTimeMs, failedTimeMs }: OperationResult): number {
  return Math.max(responseTimeMs?.max ?? 0, failedTimeMs?.max ?? 0);
}

export const outlasted: Check = ({ trial }) => {
  const all = Object.entries(trial.operations).flatMap(([operation, result]) => {
    const slowest = slowestMs(result);
    const bound = Math.max(LEAST_MS, TIMES_THE_SLOWEST * slowest);
    return isRound(operation) ? [] : [{ operation, slowest, bound, longest: result.outlastedMs ?? 0 }];
  });
  const [worst] = all.sort((a, b) => b.longest - b.bound - (a.longest - a.bound));
  if (!worst) return undefined;
  return above(
    worst.longest,
    worst.bound,
    (seen) =>
      `a transaction of ${worst.operation} in flight at the end of the window took ${ms(seen)}; ` +
      (worst.slowest > 0
        ? `the slowest measured took ${ms(worst.slowest)}: the tail is longer than measured; lengthen the window`
        : "none had ended in the window: look at the server's log, locks and disk at that time"),
  );
};
