// A violation of integrity outranks everything; then the early end of the experiment; then thresholds.
import { ExitCode, type TrainSimError } from "../../foundation/errors.js";
import { counted } from "../../foundation/units.js";
import { validityOf } from "../../analysis/diagnosis/validity.js";
import type { Capacity } from "../../results/capacity-schema.js";
import type { ThresholdResult, TreatmentResult, Verdict } from "../../results/result-schema.js";

export interface Facts {
  readonly treatments: readonly TreatmentResult[];
  readonly violations: readonly string[];
  readonly thresholds: readonly ThresholdResult[];
  readonly failure: TrainSimError | undefined;
  readonly stopReason: string | undefined;
  readonly abortedBy: TrainSimError | undefined;
  readonly completeTrials: number;
  readonly plannedTrials: number;
  /** Search results of the searched treatments; undefined unless the session searches for capacity. */
  readonly capacity?: readonly Pick<Capacity, "outcome">[] | undefined;
}

/**
 * The sentence that says why the experiment stopped early; undefined if it did not, also if a signal came after the last
 * trial.
 */
function stopSentence({ stopReason, abortedBy, completeTrials, plannedTrials }: Facts): string | undefined {
  if (stopReason === undefined || (completeTrials === plannedTrials && !abortedBy)) return undefined;
  return `${stopReason} after ${completeTrials} of ${counted(plannedTrials, "trial")}`;
}

export function verdictOf(facts: Facts): Verdict {
  const { failure, violations, treatments } = facts;
  const reasons = [failure?.message, stopSentence(facts)].filter((reason) => reason !== undefined);
  const status = reasons.length > 0 ? "aborted" : "complete";
  return { status, reasons, ...validityOf(treatments, violations) };
}

export function exitCodeOf(facts: Facts): ExitCode {
  if (facts.violations.length > 0) return ExitCode.integrityViolation;
  if (facts.failure) return facts.failure.exitCode;
  if (facts.abortedBy) return facts.abortedBy.exitCode;
  if (stopSentence(facts) !== undefined) return ExitCode.interrupted;
  const isCapacityMissing =
    facts.capacity?.some(({ outcome }) => outcome === "none" || outcome === "inconclusive") ?? false;
  return isCapacityMissing || facts.thresholds.some(({ ok }) => ok !== true)
    ? ExitCode.thresholdFailed
    : ExitCode.done;
}
