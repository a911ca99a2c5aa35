// Puts the result document together from its parts: the experiment as planned, the trials as they went, and the
// window summaries of each treatment's merged histograms. Pure; comparisons are the report's business and are
// handed in, since statistics see stored trials only.
import { NO_SPANS } from "./result-schema.js";
import type { WindowSummary } from "../metrics/totals.js";
import { canonical } from "../scenario/plan/levels.js";
import type { Experiment } from "../scenario/settings.js";
import { mergedSplit } from "./endpoint-results.js";
import { mergedEnding } from "./lifecycle-results.js";
import { workloadOf } from "../workloads/registry.js";
import { operationResults, withLosses } from "./operation-results.js";
import {
  RESULT_VERSION,
  type Ceiling,
  type Environment,
  type ResultDocument,
  type StoppingResult,
  type ThresholdResult,
  type TreatmentResult,
  type TrialResult,
  type Verdict,
} from "./result-schema.js";
import { workloadResult } from "./vocabulary.js";

export interface ResultParts {
  readonly experiment: Experiment;
  /** In the order in which they ran. */
  readonly trials: readonly { readonly treatmentId: string; readonly result: TrialResult }[];
  /** By treatment id: the histograms of its complete trials merged, over the sum of their windows. */
  readonly merged: ReadonlyMap<string, WindowSummary>;
  readonly environment: Environment;
  readonly verdict: Verdict;
  readonly stopping?: StoppingResult | undefined;
  readonly thresholds?: readonly ThresholdResult[] | undefined;
  /** By treatment id. */
  readonly ceilings?: ReadonlyMap<string, Ceiling>;
  readonly comparisons?: ResultDocument["comparisons"];
  readonly diagnosis?: ResultDocument["diagnosis"];
}

/** Treatments as the experiment names them, each with its trials; also what comparisons are made from. */
export function treatmentResults(
  parts: Pick<ResultParts, "experiment" | "trials" | "merged" | "ceilings">,
): TreatmentResult[] {
  const firstWith = new Map<string, string>();
  return parts.experiment.treatments.map((treatment) => {
    const settings = canonical(treatment.settings);
    const sameAs = firstWith.get(settings);
    if (sameAs === undefined) firstWith.set(settings, treatment.id);
    const trials = parts.trials.filter((trial) => trial.treatmentId === treatment.id);
    const complete = trials.flatMap(({ result }) => (result.status === "complete" ? [result] : []));
    const merged = parts.merged.get(treatment.id);
    const ceiling = parts.ceilings?.get(treatment.id);
    return {
      id: treatment.id,
      levels: { ...treatment.levels },
      ...(ceiling && { ceiling }),
      ...(sameAs !== undefined && { sameAs }),
      trials: trials.map((trial) => trial.result),
      merged: merged
        ? {
            trials: complete.length,
            windowSeconds: merged.windowSeconds,
            operations: withLosses(
              operationResults(merged, treatment.settings),
              complete.map(({ integrity }) => integrity),
              treatment.settings,
            ),
            lifecycle: { ...NO_SPANS, ...merged.lifecycle, ...mergedEnding(complete) },
            ...mergedSplit(complete),
          }
        : null,
    };
  });
}

export function buildResult(parts: ResultParts): ResultDocument {
  const { experiment } = parts;
  const [first = workloadOf({}), ...others] = experiment.treatments.map(({ settings }) =>
    workloadOf(settings),
  );
  return {
    version: RESULT_VERSION,
    scenario: {
      name: experiment.name,
      seed: experiment.seed,
      trials: experiment.trials.length,
      trialOrder: experiment.trials.map(({ treatmentId }) => treatmentId),
      yaml: experiment.yaml,
    },
    workload: workloadResult(first, others),
    environment: parts.environment,
    verdict: parts.verdict,
    ...(parts.stopping && { stopping: parts.stopping }),
    ...(parts.thresholds && { thresholds: [...parts.thresholds] }),
    treatments: treatmentResults(parts),
    comparisons: parts.comparisons ?? [],
    diagnosis: parts.diagnosis ?? [],
    faults: parts.trials.flatMap(({ result }) => result.faults ?? []),
  };
}
