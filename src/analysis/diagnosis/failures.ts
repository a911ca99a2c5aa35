// Whether more transactions failed than the budget allows: the latencies of those that succeeded are then
// those of a lighter load than was asked for.
// Retries that succeed are no failures; where faults were asked for, failures are what they were asked for, and a warning. The worst operation speaks for the trial; a cycle is made of the others.
import { counted } from "../../foundation/units.js";
import { failuresOf } from "../../metrics/catalogue.js";
import { above, percent, type Check } from "./check.js";
import { isRound } from "../../metrics/operations.js";

export const failures: Check = ({ trial, bounds }) => {
  const ratios = Object.entries(trial.operations).flatMap(([operation, result]) => {
    const failed = failuresOf(result);
    const all = result.transactions + failed;
    return isRound(operation) || all === 0 ? [] : [{ operation, failed, all, ratio: failed / all }];
  });
  const [worst] = ratios.sort((a, b) => b.ratio - a.ratio);
  return above(
    "failures",
    (trial.faults?.length ?? 0) > 0 ? "warning" : "taint",
    worst?.ratio,
    bounds.maxFailureRatio,
    (seen) =>
      `${worst?.failed ?? 0} of ${counted(worst?.all ?? 0, "transaction")} of ${worst?.operation ?? ""} failed ` +
      `(${percent(seen, bounds.maxFailureRatio)}, bound ${percent(bounds.maxFailureRatio)})`,
  );
};
