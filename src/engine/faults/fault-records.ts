// Faults as results state them: from monotonic moments to seconds of the window, with what failed meanwhile and how long
// the load took to come back. Pure.
import { nextAfter, recoveriesOf, type FaultMoments, type Recovery } from "../../report/recovery.js";
import type { FaultRecord } from "../../results/result-schema.js";
import type { TrialInputs } from "../trial-parts.js";
import type { FaultSpan } from "./fault.js";
import type { LoadSeconds } from "./load-seconds.js";

/** `startMs` is the monotonic moment at which the window began; spans in the order of their injection. */
export function faultRecords(
  { trial, treatment }: Pick<TrialInputs, "trial" | "treatment">,
  spans: readonly FaultSpan[],
  startMs: number,
  windowSeconds: number,
  load: LoadSeconds,
): FaultRecord[] {
  const secondsAt = (atMs: number): number => Math.max(0, atMs - startMs) / 1000;
  const moments = spans.map(({ injectedMs, clearedMs }): FaultMoments => ({
    injectedAtSeconds: secondsAt(injectedMs),
    clearedAtSeconds: clearedMs === undefined ? null : secondsAt(clearedMs),
  }));
  const recoveries = recoveriesOf(load.transactionsOver(windowSeconds), moments);
  return spans.map(({ fault, words }, index) => {
    const moment = moments[index] as FaultMoments;
    const recovery = recoveries[index] as Recovery;
    return {
      trial: trial.number,
      treatment: treatment.id,
      kind: fault.kind,
      atSeconds: fault.atMs / 1000,
      forSeconds: fault.forMs / 1000,
      ...moment,
      ...recovery,
      errors: load.errorsBetween(
        Math.floor(moment.injectedAtSeconds),
        lastSecondOf(moment, recovery, moments),
      ),
      words,
    };
  });
}

/** Of its errors. Where the load did not come back they end with the next fault, to which later ones belong. */
function lastSecondOf(
  moment: FaultMoments,
  { recoverySeconds }: Recovery,
  all: readonly FaultMoments[],
): number {
  const { clearedAtSeconds } = moment;
  if (clearedAtSeconds === null) return Number.POSITIVE_INFINITY;
  // Who waited for the fault to go hears of it a moment later.
  const leastSecond = Math.floor(clearedAtSeconds + 1);
  if (recoverySeconds !== null) return Math.max(leastSecond, Math.floor(clearedAtSeconds + recoverySeconds));
  return Math.max(leastSecond, Math.ceil(nextAfter(moment, all)) - 1);
}
