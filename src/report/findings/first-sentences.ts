// Sentences that the screen and the Markdown share.
import { warningsOf } from "../../analysis/diagnosis/diagnose.js";
import { verdictText } from "../../analysis/diagnosis/validity.js";
import { lintsOf } from "../../analysis/lint/lint.js";
import { counted } from "../../foundation/units.js";
import type { ResultDocument } from "../../results/result-schema.js";
import { assuranceFindings, caveatFindings } from "./key-findings.js";

/** The verdict on the run, with what its audits assure. */
export function verdictSentence(result: ResultDocument): string {
  const trials = result.treatments.flatMap((treatment) => treatment.trials);
  const complete = trials.filter(({ status }) => status === "complete").length;
  // An experiment that a stopping rule ended has all of its trials.
  const plannedTrials = result.stopping?.reason ? trials.length : result.scenario.trials;
  const words = [
    `Verdict: ${verdictText(result.verdict)}, ${complete} of ${counted(plannedTrials, "trial")} complete.`,
    ...assuranceFindings(result).map(({ text }) => text),
  ];
  return words.join(" ");
}

/** Caveats of the run, the most important first. */
export function caveatsOf(result: ResultDocument): string[] {
  const trials = result.treatments
    .flatMap((treatment) => treatment.trials)
    .sort((a, b) => a.number - b.number);
  const incompleteTrialTexts = trials.flatMap(({ number, status, reason = "no reason given" }) =>
    status === "complete"
      ? []
      : [`trial ${number} ${status === "failed" ? "failed" : "is partial"}: ${reason}`],
  );
  const unchecked = trials.filter(({ integrity }) => !integrity).length;
  const notAssessed = trials.flatMap(({ steadyState }) =>
    steadyState?.isSteady === null ? [`steady state: not assessed (${steadyState.reason})`] : [],
  );
  return [
    ...incompleteTrialTexts,
    ...(unchecked > 0 ? [`integrity: not checked in ${counted(unchecked, "trial")}`] : []),
    ...caveatFindings(result).map(({ text }) => text),
    ...warningsOf(result.treatments),
    ...new Set(notAssessed),
    ...lintsOf(result),
  ];
}
