// A run as test cases: its trials, its audits and its thresholds. A case fails if and only if it makes the exit code fail.
import type { ResultDocument, TrialResult } from "../../results/result-schema.js";
import { judgedTreatmentText, measuredThresholdText, thresholdNote } from "../findings/threshold-text.js";
import type { TestCase, TestSuite } from "./junit.js";

function trialCase(treatment: string, { number, status, reason = "no reason given" }: TrialResult): TestCase {
  const name = `trial ${number} of ${treatment} is complete`;
  return status === "complete" ? { name } : { name, problem: { kind: "error", message: reason } };
}

function auditCase(treatment: string, { number, integrity }: TrialResult): TestCase {
  const name = `trial ${number} of ${treatment} holds its data`;
  if (!integrity) return { name, problem: { kind: "skipped", message: "not audited" } };
  if (integrity.verdict === "ok") return { name };
  return { name, problem: { kind: "failure", message: integrity.violations.join("; ") } };
}

function validityCase(
  what: "counts" | "timings",
  { isValid, reasons }: ResultDocument["verdict"]["counts"],
): TestCase {
  const name = `${what} are valid`;
  return isValid ? { name } : { name, problem: { kind: "skipped", message: reasons.join("; ") } };
}

function thresholdCases({ thresholds = [] }: ResultDocument): TestCase[] {
  return thresholds.map((each): TestCase => {
    const name = `${each.metric} ${each.expression}: ${judgedTreatmentText(each)}`;
    if (each.ok === true) return { name };
    const note = thresholdNote(each);
    const message = `measured ${measuredThresholdText(each)}${note === "" ? "" : `; ${note}`}`;
    return { name, problem: { kind: each.ok === null ? "error" : "failure", message } };
  });
}

export function suitesOfRun(result: ResultDocument): TestSuite[] {
  const casesOf = (make: (treatment: string, trial: TrialResult) => TestCase): TestCase[] =>
    result.treatments.flatMap(({ id, trials }) => trials.map((trial) => make(id, trial)));
  const suites: TestSuite[] = [
    { name: "trials", cases: casesOf(trialCase) },
    { name: "integrity", cases: casesOf(auditCase) },
    {
      name: "verdict",
      cases: (["counts", "timings"] as const).map((what) => validityCase(what, result.verdict[what])),
    },
    { name: "thresholds", cases: thresholdCases(result) },
  ];
  return suites.filter(({ cases }) => cases.length > 0);
}
