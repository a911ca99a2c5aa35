// Whether the clients spent the window on trying again: a retry storm. What the server was asked is then not the load
// that the scenario names, however few transactions failed in the end. It invalidates nothing: retries are the cost of that
// locking, isolation or fault. The worst operation speaks for the trial.
import { failuresOf, retriesPerTransaction } from "../../metrics/figures.js";
import type { OperationResult } from "../../results/result-schema.js";
import { above, percent, type Check } from "./check.js";
import { isRound } from "../../metrics/operations.js";

/** Empty polls are none: a role that finds nothing for most of the window would hide a storm in them. */
function ended(result: OperationResult): number {
  return result.transactions + failuresOf(result);
}

export function hasEnded(result: OperationResult): boolean {
  return ended(result) > 0;
}

/** `, mostly 55P03`. */
function mostly({ retriesBySqlstate }: OperationResult): string {
  const [most] = Object.entries(retriesBySqlstate).sort(([, a], [, b]) => b - a);
  return most ? `, mostly ${most[0]}` : "";
}

/** `; backoff was 40 % of their response time`, where that was measured. */
function inBackoff({ parts = [], responseTimeMs }: OperationResult): string {
  const backoff = parts.find(({ name }) => name === "backoff");
  if (!backoff || !responseTimeMs || responseTimeMs.mean === 0) return "";
  return `; backoff was ${percent(backoff.meanMs / responseTimeMs.mean)} of the response time`;
}

export const retries: Check = ({ trial, bounds }) => {
  const all = Object.entries(trial.operations).flatMap(([operation, result]) => {
    const ratio = retriesPerTransaction(result);
    return isRound(operation) ? [] : [{ operation, result, ratio }];
  });
  const [worst] = all.sort((a, b) => b.ratio - a.ratio);
  if (!worst) return undefined;
  const { operation, result, ratio } = worst;
  return above(
    ratio,
    bounds.maxRetriesPerTransaction,
    (seen) =>
      `retry storm: ${result.retries} attempts of ${operation} failed and were tried again for ${ended(result)} that ended ` +
      `(${Number(seen.toPrecision(3))} each, bound ${bounds.maxRetriesPerTransaction}${mostly(result)})${inBackoff(result)}`,
  );
};
