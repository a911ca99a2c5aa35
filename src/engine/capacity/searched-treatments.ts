// Refuses, before anything starts, a search whose every probe would have no sample.
import { UsageError } from "../../foundation/errors.js";
import type { Threshold } from "../../scenario/judgement.js";
import type { Treatment, Experiment } from "../../scenario/settings.js";
import { isSelected, thresholdProblem } from "../../scenario/thresholds.js";
import { treatmentAt, ratePerSecondOf } from "./capacity-probe.js";
import { CAPACITY_PRECISION, type Capacity } from "../../results/capacity-schema.js";
import type { SearchOptions } from "./capacity-search.js";

const START_RATE_PER_SECOND = 50;

function refusal({ metric, expression }: Threshold, problem: string): UsageError {
  return new UsageError(
    `--find-capacity ${JSON.stringify(`${metric}: ${expression}`)}: ${problem}`,
    "Name a metric that the scenario measures; `run --plan` lists its treatments.",
  );
}

/** The treatments that the threshold selects. Throws a UsageError if any of them cannot be searched. */
export function searchedTreatments(treatments: readonly Treatment[], threshold: Threshold): Treatment[] {
  const selected = treatments.filter((treatment) => isSelected(threshold, treatment));
  if (selected.length === 0) {
    const problem = thresholdProblem(threshold, treatments);
    throw refusal(threshold, problem ?? "no treatment has these levels");
  }
  for (const treatment of selected) {
    const problem = thresholdProblem(threshold, [treatmentAt(treatment, START_RATE_PER_SECOND)]);
    if (problem !== undefined) throw refusal(threshold, `${problem} (treatment ${treatment.id})`);
  }
  return selected;
}

const SEARCH_LIMITS = {
  leastRatePerSecond: 1,
  mostRatePerSecond: 100_000,
  precision: CAPACITY_PRECISION,
} as const;

/** The bounds of a treatment's search; `before` are the treatments that were searched before it. */
export function searchOptions(
  { trials, treatments }: Pick<Experiment, "trials" | "treatments">,
  treatment: Treatment,
  before: readonly Capacity[],
): SearchOptions {
  return {
    startRatePerSecond: ratePerSecondOf(treatment) ?? before.at(-1)?.ratePerSecond ?? START_RATE_PER_SECOND,
    confirmations: trials.length / treatments.length,
    ...SEARCH_LIMITS,
  };
}
