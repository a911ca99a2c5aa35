// Runs of one scenario on successive days.
import type { StoredRun } from "../../src/analysis/comparison/run-comparison.js";
import type { ResultDocument } from "../../src/results/result-schema.js";
import { exampleResult } from "./example-result.js";

/** Makes a run that began on day `number`; its text treatment is `slowdown` times as slow as jsonb. */
export function exampleRun(
  number: number,
  slowdown: number,
  change?: (result: ResultDocument) => void,
): StoredRun {
  const result = exampleResult(3, slowdown * (1 + 0.002 * (number % 3)));
  for (const trial of result.treatments.flatMap(({ trials }) => trials))
    Object.assign(trial, { startedAt: `2026-11-${String(number).padStart(2, "0")}T10:00:00.000Z` });
  change?.(result);
  return { directory: `results/${number}`, result };
}
