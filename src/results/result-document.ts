// Assembles the result document from its parts. Pure; comparisons are handed in, since statistics see stored trials only.
import {
  type GeneratorCeiling,
  type Environment,
  type LifecycleResult,
  type MergedResult,
  NULL_SPANS,
  RESULT_VERSION,
  type ResultDocument,
  type StoppingResult,
  type ThresholdResult,
  type TreatmentResult,
  type TrialResult,
  type Verdict,
} from "./result-schema.js";
import type { WindowSummary } from "../metrics/totals.js";
import { canonicalText } from "../scenario/plan/levels.js";
import type { Experiment, TreatmentSettings } from "../scenario/settings.js";
import { mergedEndpointSplit } from "./endpoint-results.js";
import { workloadOf } from "../workloads/registry.js";
import { operationResults, addLossCounts } from "./operation-results.js";
import { workloadResult } from "./vocabulary.js";

export interface ResultParts {
  readonly experiment: Experiment;
  readonly trials: readonly { readonly treatmentId: string; readonly result: TrialResult }[];
  readonly merged: ReadonlyMap<string, MergedResult>;
  readonly environment: Environment;
  readonly verdict: Verdict;
  readonly stopping?: StoppingResult | undefined;
  readonly thresholds?: readonly ThresholdResult[] | undefined;
  readonly ceilings?: ReadonlyMap<string, GeneratorCeiling>;
  readonly comparisons?: ResultDocument["comparisons"];
  readonly diagnosis?: ResultDocument["diagnosis"];
}

/** The result of a treatment's complete trials together: merged histograms, rates over the sum of their windows. */
export function mergedResult(
  summary: WindowSummary,
  trials: readonly TrialResult[],
  settings: TreatmentSettings,
): MergedResult {
  const audits = trials.map(({ integrity }) => integrity);
  return {
    trials: trials.length,
    windowSeconds: summary.windowSeconds,
    operations: addLossCounts(operationResults(summary, settings), audits, settings),
    lifecycle: { ...NULL_SPANS, ...summary.lifecycle, ...mergedPassesAndDrain(trials) },
    ...mergedEndpointSplit(trials),
  };
}

/** Treatments in the order of the experiment, each with its trials; comparisons are derived from them, too. */
export function treatmentResults(
  parts: Pick<ResultParts, "experiment" | "trials" | "merged" | "ceilings">,
): TreatmentResult[] {
  const firstIdBySettings = new Map<string, string>();
  return parts.experiment.treatments.map((treatment) => {
    const settings = canonicalText(treatment.settings);
    const sameAs = firstIdBySettings.get(settings);
    if (sameAs === undefined) firstIdBySettings.set(settings, treatment.id);
    const trials = parts.trials.filter((trial) => trial.treatmentId === treatment.id);
    const ceiling = parts.ceilings?.get(treatment.id);
    return {
      id: treatment.id,
      levels: { ...treatment.levels },
      ...(ceiling && { ceiling }),
      ...(sameAs !== undefined && { sameAs }),
      trials: trials.map((trial) => trial.result),
      merged: parts.merged.get(treatment.id) ?? null,
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

/** Number of events over which a trial's `passesPerEvent` is the mean. */
function endedEventCount({ integrity }: Pick<TrialResult, "integrity">): number {
  const { complete = 0, failed = 0, archived = 0 } = integrity ?? {};
  return complete + failed + archived;
}

/**
 * Passes per event over all events of these trials, and the mean drain if all trials drained. If one trial lacks a value,
 * the result lacks it, too.
 */
export function mergedPassesAndDrain(
  trials: readonly Pick<TrialResult, "lifecycle" | "integrity">[],
): Pick<LifecycleResult, "passesPerEvent" | "drainSeconds"> {
  const ended = trials.map((trial) => ({
    events: endedEventCount(trial),
    passesPerEvent: trial.lifecycle.passesPerEvent,
  }));
  const trialsWithEvents = ended.filter(({ events }) => events > 0);
  const events = trialsWithEvents.reduce((sum, each) => sum + each.events, 0);
  const passCount = trialsWithEvents.reduce(
    (sum, each) => sum + each.events * (each.passesPerEvent ?? Number.NaN),
    0,
  );
  const drainTimesSeconds = trials.flatMap(({ lifecycle }) => lifecycle.drainSeconds ?? []);
  const hasAllDrains = drainTimesSeconds.length === trials.length && drainTimesSeconds.length > 0;
  return {
    ...(events > 0 && !Number.isNaN(passCount) && { passesPerEvent: passCount / events }),
    ...(hasAllDrains && {
      drainSeconds: drainTimesSeconds.reduce((sum, each) => sum + each, 0) / drainTimesSeconds.length,
    }),
  };
}
