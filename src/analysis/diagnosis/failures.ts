// Whether more transactions failed than the budget allows: the latencies of the others are then those of a lighter load than
// was asked for. Conflicts that outlasted their retries are a result of isolation and locking, and faults were asked for:
// both only warn. A bound that the scenario states covers conflicts too. The worst operation speaks for the trial.
import { isConflict } from "../../database/registry.js";
import { counted } from "../../foundation/units.js";
import { failuresOf } from "../../metrics/figures.js";
import { isRound } from "../../metrics/operations.js";
import { above, percent, warningAbove, type Check } from "./check.js";

const DEFAULT_MAX = 0.01;

export const failures: Check = ({ trial, bounds: { maxFailureRatio } }) => {
  const bound = maxFailureRatio ?? DEFAULT_MAX;
  const isFaulty = (trial.faults?.length ?? 0) > 0;
  const isResult = (sqlstate: string): boolean =>
    isFaulty || (maxFailureRatio === undefined && isConflict(sqlstate));
  const ratios = Object.entries(trial.operations).flatMap(([operation, result]) => {
    const failed = failuresOf(result);
    const ended = result.transactions + failed;
    if (isRound(operation) || ended === 0) return [];
    const results = Object.entries(result.failures).filter(([sqlstate]) => isResult(sqlstate));
    const others = results.reduce((left, [, count]) => left - count, failed);
    const codes = results.map(([sqlstate]) => sqlstate).join(", ");
    return [{ operation, failed, ended, codes, ratio: failed / ended, invalidRatio: others / ended }];
  });
  const [worst] = ratios.sort((a, b) => b.invalidRatio - a.invalidRatio || b.ratio - a.ratio);
  if (!worst) return undefined;
  const { operation, failed, ended, codes, ratio, invalidRatio } = worst;
  const words =
    `${failed} of ${counted(ended, "transaction")} of ${operation} failed ` +
    `(${percent(ratio, bound)}, bound ${percent(bound)})`;
  if (invalidRatio > bound) return above(ratio, bound, () => words);
  return warningAbove(ratio, bound, () => `${words}, with ${codes}: latencies are those of the others`);
};
