// How near a trial came to what the generator can do at all through this pool: `select 1` in a closed loop, without
// think time, with the same clients. Near its ceiling, a difference between treatments is hidden by the generator.
// It invalidates nothing: a transaction is several statements, so a trial cannot reach the ceiling, and half is near.
import type { Ceiling, TrialResult } from "../../results/result-schema.js";
import { above, percent, type Check } from "./check.js";
import { isRound } from "../../metrics/operations.js";

const SHARE_MAX = 0.5;

/** Share of the ceiling's transactions a second that the trial made, failed ones and empty polls included. */
export function shareOfCeiling(
  trial: Pick<TrialResult, "operations" | "windowSeconds">,
  ceiling: Ceiling,
): number {
  const count = Object.entries(trial.operations).reduce((sum, [operation, result]) => {
    if (isRound(operation)) return sum;
    const failed = Object.values(result.failures).reduce((total, one) => total + one, 0);
    return sum + result.transactions + failed + result.emptyPolls;
  }, 0);
  return count / trial.windowSeconds / ceiling.transactionsPerSecond;
}

export const nearCeiling: Check = ({ trial, ceiling }) => {
  const isKnown = ceiling && ceiling.transactionsPerSecond > 0 && trial.windowSeconds > 0;
  return above(
    isKnown ? shareOfCeiling(trial, ceiling) : undefined,
    SHARE_MAX,
    (seen) =>
      `the trial made ${percent(seen, 1)} of the transactions/s that the same clients made of \`select 1\`${meaningOf(seen)}`,
  );
};

/** A trial cannot exceed a ceiling: more than all of it says that the probe was slowed. */
function meaningOf(share: number): string {
  return isCeiling(share) ? ": the generator is near its ceiling" : ` in a short probe: ${NO_CEILING}`;
}

/** Words about a probe that a trial outran. */
export const NO_CEILING = "something slowed the probe, so the generator's ceiling is not known";

/** Whether the probe can be the ceiling of a trial that made that share of its transactions. */
export function isCeiling(share: number): boolean {
  return share <= 1;
}
