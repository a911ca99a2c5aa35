// Lines about how far a treatment's numbers can be believed. A sentence that holds of many trials is said once.
import { textOnSameSide } from "../../foundation/text/numbers.js";
import { counted } from "../../foundation/units.js";
import type { TreatmentResult } from "../../results/result-schema.js";
import {
  isCeilingMeasured,
  UNKNOWN_CEILING_TEXT,
  shareOfCeiling,
} from "../../analysis/diagnosis/load-checks.js";
import { percent } from "../../analysis/diagnosis/check.js";
import { findingsOf, reasonsOf, warningsOf } from "../../analysis/diagnosis/diagnose.js";
import type { Note } from "./notes.js";

function steadyNotes({ trials }: TreatmentResult): Note[] {
  const judged = trials.flatMap(({ number, steadyState }) =>
    steadyState ? [{ number, ...steadyState }] : [],
  );
  const which = judged.length < trials.length ? "trial that was judged" : "trial";
  const unsteadyTrials = judged.filter(({ isSteady }) => isSteady === false);
  const notAssessed = judged.filter(({ isSteady }) => isSteady === null);
  const reasons = [...new Set(notAssessed.map(({ reason }) => reason))];
  return [
    ...unsteadyTrials.map(({ number, reason }): Note => {
      return { text: `no steady state in trial ${number}: ${reason}`, tone: "bad" };
    }),
    ...reasons.map((reason): Note => ({ text: `steady state: not assessed (${reason})`, tone: "plain" })),
    ...(judged.length > 0 && unsteadyTrials.length + notAssessed.length === 0
      ? [{ text: `steady state: yes, in every ${which}`, tone: "plain" } as const]
      : []),
  ];
}

function ceilingNotes({ trials, ceiling }: TreatmentResult): Note[] {
  const complete = trials.filter(({ status, windowSeconds }) => status === "complete" && windowSeconds > 0);
  if (!ceiling || ceiling.transactionsPerSecond === 0 || complete.length === 0) return [];
  const most = Math.max(...complete.map((trial) => shareOfCeiling(trial, ceiling)));
  const rate = Math.round(ceiling.transactionsPerSecond);
  const clients = counted(ceiling.clients, "client makes", "clients make");
  const text =
    `the same ${clients} ${rate} transactions/s of \`select 1\` through this pool; ` +
    `the trials made at most ${percent(most, 1)} of that`;
  return [
    {
      text: isCeilingMeasured(most) ? `ceiling: ${text}` : `probe: ${text}: ${UNKNOWN_CEILING_TEXT}`,
      tone: "plain",
    },
  ];
}

/** Note on the agents, with the largest clock error of all trials. */
function agentNotes({ trials }: TreatmentResult): Note[] {
  const agentsByTrial = trials.flatMap(({ agents = [] }) => (agents.length > 0 ? [agents] : []));
  const [first] = agentsByTrial;
  if (!first) return [];
  const errorMs = Math.max(...agentsByTrial.flat().map(({ clock }) => clock.errorMs));
  const names = first.map(({ name, workers }) => `${name} (${counted(workers, "worker")})`).join(", ");
  return [
    {
      text: `agents: ${names}; clocks known within ${textOnSameSide(errorMs, Number.NaN, 3)} ms`,
      tone: "plain",
    },
  ];
}

export function renderTrustNotes(treatment: TreatmentResult): Note[] {
  const against = reasonsOf(findingsOf([treatment])).filter(({ invalidates }) => invalidates.length > 0);
  return [
    ...against.map(({ invalidates, words }): Note => {
      return { text: `${invalidates.join(" and ")} not valid: ${words}`, tone: "bad" };
    }),
    ...warningsOf([treatment]).map((words): Note => ({ text: `warning: ${words}`, tone: "plain" })),
    ...steadyNotes(treatment),
    ...ceilingNotes(treatment),
    ...agentNotes(treatment),
  ];
}
