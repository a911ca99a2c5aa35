// The validity of counts and timings is derived here alone, from the findings of the diagnosis and from the audit.
import { trialsText } from "../../foundation/text/numbers.js";
import { metricNamed, requiredAspects } from "../../metrics/metric-lists.js";
import type {
  Aspect,
  ComparisonMetric,
  TreatmentResult,
  TrialResult,
  Validity,
  Verdict,
} from "../../results/result-schema.js";
import { findingsOf, reasonsOf } from "./diagnose.js";

export function reasonsAgainst(
  aspect: Aspect,
  { integrity, diagnosis = [] }: Pick<TrialResult, "integrity" | "diagnosis">,
): string[] {
  const auditViolations = aspect === "counts" ? (integrity?.violations ?? []) : [];
  const invalidatingFindings = diagnosis.filter(({ invalidates }) => invalidates.includes(aspect));
  return [...auditViolations, ...invalidatingFindings.map(({ words }) => words)];
}

/** Numbers of the trials in which an aspect is not valid, by aspect. */
export type InvalidTrials = Readonly<Record<Aspect, readonly number[]>>;

export function invalidTrials(trials: readonly TrialResult[]): InvalidTrials {
  const invalidNumbersOf = (aspect: Aspect): number[] =>
    trials
      .filter((trial) => trial.status === "complete" && reasonsAgainst(aspect, trial).length > 0)
      .map(({ number }) => number)
      .sort((a, b) => a - b);
  return { counts: invalidNumbersOf("counts"), timings: invalidNumbersOf("timings") };
}

export function disturbedTrialCount({ counts, timings }: InvalidTrials): number {
  return new Set([...counts, ...timings]).size;
}

/**
 * Objection such as `timings of trials 3 and 5 are not valid`; undefined if all aspects that a figure rests on are valid.
 */
export function objectionTo(restsOn: readonly Aspect[], invalid: InvalidTrials): string | undefined {
  const objections = restsOn.flatMap((aspect) => {
    const numbers = invalid[aspect];
    return numbers.length > 0 ? [`${aspect} of ${trialsText(numbers)} are not valid`] : [];
  });
  return objections.length > 0 ? objections.join("; ") : undefined;
}

export function objectionToMetric(
  metric: ComparisonMetric,
  treatments: readonly Pick<TreatmentResult, "trials">[],
): string | undefined {
  const trials = treatments.flatMap((treatment) => treatment.trials);
  return objectionTo(requiredAspects(metricNamed(metric)), invalidTrials(trials));
}

/** Validity of a whole experiment; `violations` are sentences about failed audits. */
export function validityOf(
  treatments: readonly Pick<TreatmentResult, "id" | "trials">[],
  violations: readonly string[],
): Pick<Verdict, Aspect> {
  const findingReasons = reasonsOf(findingsOf(treatments));
  const validityOfAspect = (aspect: Aspect, others: readonly string[] = []): Validity => {
    const aspectReasons = findingReasons.filter(({ invalidates }) => invalidates.includes(aspect));
    const reasons = [...others, ...aspectReasons.map(({ words }) => words)];
    return { isValid: reasons.length === 0, reasons };
  };
  return { counts: validityOfAspect("counts", violations), timings: validityOfAspect("timings") };
}

const aspectValidityText = (aspect: Aspect, { isValid }: Validity): string =>
  `${aspect} ${isValid ? "" : "not "}valid`;

/** `ok`; `counts valid, timings not valid`; `aborted`. */
export function verdictText({ status, counts, timings }: Verdict): string {
  const areAspectsValid = counts.isValid && timings.isValid;
  const parts = [
    ...(status === "aborted" ? [status] : []),
    ...(areAspectsValid
      ? []
      : [aspectValidityText("counts", counts), aspectValidityText("timings", timings)]),
  ];
  return parts.length > 0 ? parts.join(", ") : "ok";
}
