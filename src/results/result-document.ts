// Puts the result document together from its parts: the experiment as planned, the trials as they went, and the
// window summaries of each treatment's merged histograms. Pure; comparisons are the report's business and are
// handed in, since statistics see stored trials only.
import type { WindowSummary } from "../metrics/totals.js";
import type { Experiment } from "../scenario/settings.js";
import { operationResults } from "./operation-results.js";
import {
  RESULT_VERSION,
  type Environment,
  type ResultDocument,
  type TreatmentResult,
  type TrialResult,
  type Verdict,
} from "./result-schema.js";

export interface ResultParts {
  readonly experiment: Experiment;
  /** In the order in which they ran. */
  readonly trials: readonly { readonly treatmentId: string; readonly result: TrialResult }[];
  /** By treatment id: the histograms of its complete trials merged, over the sum of their windows. */
  readonly merged: ReadonlyMap<string, WindowSummary>;
  readonly environment: Environment;
  readonly verdict: Verdict;
  readonly comparisons?: ResultDocument["comparisons"];
  readonly diagnosis?: ResultDocument["diagnosis"];
  readonly faults?: ResultDocument["faults"];
}

/** Treatments as the experiment names them, each with its trials; also what comparisons are made from. */
export function treatmentResults(
  parts: Pick<ResultParts, "experiment" | "trials" | "merged">,
): TreatmentResult[] {
  return parts.experiment.treatments.map((treatment) => {
    const trials = parts.trials.filter((trial) => trial.treatmentId === treatment.id);
    const merged = parts.merged.get(treatment.id);
    return {
      id: treatment.id,
      levels: { ...treatment.levels },
      trials: trials.map((trial) => trial.result),
      merged: merged
        ? {
            trials: trials.filter((trial) => trial.result.status === "complete").length,
            windowSeconds: merged.windowSeconds,
            operations: operationResults(merged, treatment.settings),
            lifecycle: merged.lifecycle,
          }
        : null,
    };
  });
}

export function buildResult(parts: ResultParts): ResultDocument {
  const { experiment } = parts;
  return {
    version: RESULT_VERSION,
    scenario: {
      name: experiment.name,
      seed: experiment.seed,
      trials: experiment.trials.length,
      yaml: experiment.yaml,
    },
    environment: parts.environment,
    verdict: parts.verdict,
    treatments: treatmentResults(parts),
    comparisons: parts.comparisons ?? [],
    diagnosis: parts.diagnosis ?? [],
    faults: parts.faults ?? [],
  };
}
