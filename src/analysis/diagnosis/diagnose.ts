// The registry of checks, and what becomes of their findings: a trial's list, entries of the result's `diagnosis`, the
// reasons of a tainted verdict. A new check is one file and one line here.
// It judges complete trials only: a partial one is marked as that already.
import type { Finding, ResultDocument, TreatmentResult } from "../../results/result-schema.js";
import { lintEntry } from "../lint/lint.js";
import { nearCeiling } from "./ceiling.js";
import type { Check, Examined } from "./check.js";
import { agentClock } from "./agent-clock.js";
import { clockStep } from "./clock-step.js";
import { closure } from "./closure.js";
import { dropped } from "./dropped.js";
import { eventLoopDelay } from "./event-loop-delay.js";
import { failures } from "./failures.js";
import { foreignSessions, foreignTransactions } from "./foreign-work.js";
import { loadBefore, otherCpu, otherIo, steal } from "./machine.js";
import { newLogFiles } from "./new-log-files.js";
import { outlasted } from "./outlasted.js";
import { pendingIndexWork } from "./pending-index-work.js";
import { retries } from "./retries.js";
import { stall } from "./stall.js";
import { serverChange } from "./server-change.js";
import { withoutRows } from "./without-rows.js";
import { workerUtilization } from "./worker-utilization.js";

const CHECKS: Readonly<Record<Finding["check"], Check>> = {
  "event-loop-delay": eventLoopDelay,
  "worker-utilization": workerUtilization,
  closure,
  dropped,
  "clock-step": clockStep,
  "agent-clock": agentClock,
  failures,
  retries,
  "without-rows": withoutRows,
  steal,
  "other-cpu": otherCpu,
  "load-before": loadBefore,
  ceiling: nearCeiling,
  outlasted,
  "pending-index-work": pendingIndexWork,
  "new-log-files": newLogFiles,
  stall,
  "server-change": serverChange,
  "foreign-sessions": foreignSessions,
  "foreign-transactions": foreignTransactions,
  "other-io": otherIo,
};

/** What is to be said against a trial; nothing about one that is not complete. */
export function diagnose(examined: Examined): Finding[] {
  if (examined.trial.status !== "complete") return [];
  return Object.values(CHECKS).flatMap((check) => check(examined) ?? []);
}

export function isTainted(findings: readonly Finding[] = []): boolean {
  return findings.some(({ severity }) => severity === "taint");
}

/** A finding with its trial. */
export interface TrialFinding extends Finding {
  readonly trial: number;
  readonly treatment: string;
}

/** In the order of the experiment's trials. */
export function findingsOf(treatments: readonly Pick<TreatmentResult, "id" | "trials">[]): TrialFinding[] {
  return treatments
    .flatMap(({ id, trials }) =>
      trials.flatMap(({ number, diagnosis = [] }) =>
        diagnosis.map((finding) => ({ trial: number, treatment: id, ...finding })),
      ),
    )
    .sort((a, b) => a.trial - b.trial);
}

/** Once each: what could have disturbed trials without being noticed. */
function notAssessedIn(treatments: readonly Pick<TreatmentResult, "trials">[]): string[] {
  const all = treatments.flatMap(({ trials }) => trials.flatMap(({ notAssessed = [] }) => notAssessed));
  return [...new Set(all.map(({ what, reason }) => `not assessed: ${what}: ${reason}`))];
}

/** Findings, and disturbances that could not be looked for, as `diagnosis` of the result holds them. */
export function diagnosisEntries(
  treatments: readonly Pick<TreatmentResult, "id" | "trials">[],
): ResultDocument["diagnosis"] {
  return [
    ...findingsOf(treatments).map((finding) => ({ kind: "finding", ...finding })),
    ...notAssessedIn(treatments).map((words) => lintEntry({ rule: "not-assessed", words })),
  ];
}

/** One sentence a check: the worst trial in words, and which others it happened to. */
export function reasonsOf(findings: readonly TrialFinding[], severity: Finding["severity"]): string[] {
  return Object.keys(CHECKS).flatMap((check) => {
    const own = findings.filter((finding) => finding.check === check && finding.severity === severity);
    const [worst] = [...own].sort((a, b) => b.seen - a.seen);
    if (!worst) return [];
    const others = own.filter((finding) => finding !== worst).map(({ trial }) => trial);
    const more =
      others.length > 0 ? ` (also in trial${others.length > 1 ? "s" : ""} ${others.join(", ")})` : "";
    return [`trial ${worst.trial} (${worst.treatment}): ${worst.words}${more}`];
  });
}
