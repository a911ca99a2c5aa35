// The registry of checks. A new check is a function in the file of its kind and one line here.
import type { Aspect, Finding, ResultDocument, TreatmentResult } from "../../results/result-schema.js";
import { trialsText } from "../../foundation/text/numbers.js";
import { DIAGNOSIS_CHECKS as CHECK_NAMES } from "../../results/result-schema.js";
import { lintEntry } from "../lint/lint.js";
import type { Check, CheckInputs } from "./check.js";
import {
  agentClock,
  clockStep,
  checkClosure,
  checkDropped,
  eventLoopDelay,
  checkFailures,
  checkNearCeiling,
  inFlightAtEnd,
  checkRetries,
  checkStall,
  withoutRows,
  workerUtilization,
} from "./load-checks.js";
import {
  foreignSessions,
  foreignTransactions,
  lateFault,
  loadBefore,
  newLogFiles,
  otherCpu,
  otherIo,
  pendingIndexWork,
  serverChange,
  checkSteal,
  tableChange,
} from "./server-checks.js";

/** Each check with the aspects of a trial that it makes invalid beyond its bound; a check without aspects only warns. */
const CHECKS_BY_FINDING: Readonly<
  Record<Finding["check"], readonly [examine: Check, ...invalidates: Aspect[]]>
> = {
  "event-loop-delay": [eventLoopDelay, "timings"],
  "worker-utilization": [workerUtilization, "timings"],
  closure: [checkClosure, "counts", "timings"],
  dropped: [checkDropped, "timings"],
  "clock-step": [clockStep, "timings"],
  "agent-clock": [agentClock, "timings"],
  failures: [checkFailures, "timings"],
  retries: [checkRetries],
  "without-rows": [withoutRows],
  steal: [checkSteal, "timings"],
  "other-cpu": [otherCpu, "timings"],
  "load-before": [loadBefore],
  ceiling: [checkNearCeiling],
  outlasted: [inFlightAtEnd],
  "pending-index-work": [pendingIndexWork],
  "new-log-files": [newLogFiles],
  stall: [checkStall, "timings"],
  "late-fault": [lateFault],
  "server-change": [serverChange, "timings"],
  "table-change": [tableChange, "timings"],
  "foreign-sessions": [foreignSessions, "timings"],
  "foreign-transactions": [foreignTransactions, "timings"],
  "other-io": [otherIo, "timings"],
};

/** Findings on a trial; empty if the trial is not complete. */
export function diagnose(examined: CheckInputs): Finding[] {
  if (examined.trial.status !== "complete") return [];
  return CHECK_NAMES.flatMap((check): Finding[] => {
    const [examine, ...aspects] = CHECKS_BY_FINDING[check];
    const observation = examine(examined);
    if (!observation) return [];
    const { invalidates = aspects, ...finding } = observation;
    return [{ check, invalidates: [...invalidates], ...finding }];
  });
}

export interface TrialFinding extends Finding {
  readonly trial: number;
  readonly treatment: string;
}

export function findingsOf(treatments: readonly Pick<TreatmentResult, "id" | "trials">[]): TrialFinding[] {
  return treatments
    .flatMap(({ id, trials }) =>
      trials.flatMap(({ number, diagnosis = [] }) =>
        diagnosis.map((finding) => ({ trial: number, treatment: id, ...finding })),
      ),
    )
    .sort((a, b) => a.trial - b.trial);
}

/** Disturbances that could not be looked for, each once. */
function notAssessedTexts(treatments: readonly Pick<TreatmentResult, "trials">[]): string[] {
  const all = treatments.flatMap(({ trials }) => trials.flatMap(({ notAssessed = [] }) => notAssessed));
  return [...new Set(all.map(({ what, reason }) => `not assessed: ${what}: ${reason}`))];
}

/** Evidence that no sample of a trial has, a line for each reason; disturbances not looked for are listed separately. */
function skippedEvidenceTexts(treatments: readonly Pick<TreatmentResult, "trials">[]): string[] {
  const trials = treatments.flatMap((treatment) => treatment.trials);
  const reasons = new Set(trials.flatMap(({ notAssessed = [] }) => notAssessed.map(({ reason }) => reason)));
  const sourcesByReason = new Map<string, Set<string>>();
  for (const { source, reason, isPartial } of trials.flatMap(({ database }) => database.skipped ?? []))
    if (isPartial !== true && !reasons.has(reason))
      sourcesByReason.set(reason, (sourcesByReason.get(reason) ?? new Set()).add(source));
  return [...sourcesByReason].map(
    ([reason, names]) => `evidence skipped: ${[...names].join(", ")}: ${reason}`,
  );
}

/** Findings, disturbances that could not be looked for, and missing evidence, as `diagnosis` of the result holds them. */
export function diagnosisEntries(
  treatments: readonly Pick<TreatmentResult, "id" | "trials">[],
): ResultDocument["diagnosis"] {
  return [
    ...findingsOf(treatments).map((finding) => ({ kind: "finding", ...finding })),
    ...notAssessedTexts(treatments).map((words) => lintEntry({ rule: "not-assessed", words })),
    ...skippedEvidenceTexts(treatments).map((words) => lintEntry({ rule: "evidence-skipped", words })),
  ];
}

/** The findings of one check, for all its trials, in one sentence. */
export interface Reason {
  readonly invalidates: readonly Aspect[];
  /** The finding on the worst trial, and the numbers of the other trials. */
  readonly words: string;
}

const invalidatedAspectsOf = ({ invalidates }: Finding): string => invalidates.join(" ");

/** Reasons in the order of checks. Findings of one check that invalidate different aspects are separate reasons. */
export function reasonsOf(findings: readonly TrialFinding[]): Reason[] {
  return CHECK_NAMES.flatMap((check) => {
    const findingsOfCheck = findings.filter((finding) => finding.check === check);
    return [...new Set(findingsOfCheck.map(invalidatedAspectsOf))].flatMap((effect) => {
      const findingsOfEffect = findingsOfCheck.filter((finding) => invalidatedAspectsOf(finding) === effect);
      const [worst, ...others] = findingsOfEffect.toSorted((a, b) => b.seen - a.seen);
      if (!worst) return [];
      const otherTrialNumbers = others.map(({ trial }) => trial).sort((a, b) => a - b);
      const otherTrialsText =
        otherTrialNumbers.length > 0 ? ` (also in ${trialsText(otherTrialNumbers)})` : "";
      const words = `trial ${worst.trial} (${worst.treatment}): ${worst.words}${otherTrialsText}`;
      return [{ invalidates: worst.invalidates, words }];
    });
  });
}

export function warningsOf(treatments: readonly Pick<TreatmentResult, "id" | "trials">[]): string[] {
  const warnings = reasonsOf(findingsOf(treatments)).filter(({ invalidates }) => invalidates.length === 0);
  return warnings.map(({ words }) => words);
}
