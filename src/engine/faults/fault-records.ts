// Faults as results state them: from monotonic moments to seconds of the window, with what failed meanwhile and how long
// the load took to come back. Pure.
import type { FaultRecord } from "../../results/result-schema.js";
import type { TrialInputs } from "../trial-parts.js";
import type { FaultSpan } from "./fault.js";

/** What the load did about one fault. */
export type FaultEffect = Pick<FaultRecord, "errors" | "recoverySeconds">;

/** `startMs` is the monotonic moment at which the window began. */
export function faultRecords(
  { trial, treatment }: Pick<TrialInputs, "trial" | "treatment">,
  spans: readonly FaultSpan[],
  startMs: number,
  effectOf: (injectedAtSeconds: number, clearedAtSeconds: number | null) => FaultEffect,
): FaultRecord[] {
  const secondsAt = (atMs: number): number => Math.max(0, atMs - startMs) / 1000;
  return spans.map(({ fault, injectedMs, clearedMs, words }) => {
    const injectedAtSeconds = secondsAt(injectedMs);
    const clearedAtSeconds = clearedMs === undefined ? null : secondsAt(clearedMs);
    const { errors, recoverySeconds } = effectOf(injectedAtSeconds, clearedAtSeconds);
    return {
      trial: trial.number,
      treatment: treatment.id,
      kind: fault.kind,
      atSeconds: fault.atMs / 1000,
      forSeconds: fault.forMs / 1000,
      ...{ injectedAtSeconds, clearedAtSeconds, recoverySeconds, errors, words },
    };
  });
}
