// The load is back with a second at 90 % of the last undisturbed seconds, if three seconds hold that on the mean.
import { mean } from "../statistics/quantiles.js";
import type { FaultRecord } from "../../results/result-schema.js";

/** Share of the throughput before a fault at which the load counts as recovered. */
const RECOVERED_RATIO = 0.9;
/** Whole seconds for which the recovered throughput must hold. */
export const RECOVERY_HOLD_SECONDS = 3;
/** Maximum number of undisturbed seconds over which the throughput before a fault is averaged. */
export const UNDISTURBED_SECONDS_MAX = 10;

/** Moments at which a fault was injected and cleared, in seconds from the start of the window. */
export type FaultMoments = Pick<FaultRecord, "injectedAtSeconds" | "clearedAtSeconds">;

export type Recovery = Pick<FaultRecord, "recoverySeconds" | "recoveryReason">;

/**
 * Recovery of the throughput after each fault, in the order of injection; `commitsBySecond` are the commits of each whole
 * second.
 */
export function recoveriesOf(
  commitsBySecond: readonly number[],
  faults: readonly FaultMoments[],
): Recovery[] {
  const disturbedSeconds = new Set<number>();
  return faults.map((fault) => {
    const before = undisturbedCommitsBefore(commitsBySecond, fault, disturbedSeconds);
    const recovery = recoveryOf(commitsBySecond, fault, before, nextFaultSecond(fault, faults));
    const { clearedAtSeconds } = fault;
    const untilSeconds =
      clearedAtSeconds === null || recovery.recoverySeconds === null
        ? commitsBySecond.length
        : clearedAtSeconds + recovery.recoverySeconds;
    for (let second = Math.floor(fault.injectedAtSeconds); second < untilSeconds; second++)
      disturbedSeconds.add(second);
    return recovery;
  });
}

function undisturbedCommitsBefore(
  commitsBySecond: readonly number[],
  { injectedAtSeconds }: FaultMoments,
  disturbedSeconds: ReadonlySet<number>,
): number[] {
  return commitsBySecond
    .slice(0, Math.floor(injectedAtSeconds))
    .filter((_, second) => !disturbedSeconds.has(second))
    .slice(-UNDISTURBED_SECONDS_MAX);
}

/** Second at which the next fault begins after the end of this one; Infinity if no fault follows. */
export function nextFaultSecond({ clearedAtSeconds }: FaultMoments, faults: readonly FaultMoments[]): number {
  if (clearedAtSeconds === null) return Number.POSITIVE_INFINITY;
  const laterFaultSeconds = faults
    .map((each) => each.injectedAtSeconds)
    .filter((at) => at >= clearedAtSeconds);
  return Math.min(Number.POSITIVE_INFINITY, ...laterFaultSeconds);
}

function recoveryOf(
  commitsBySecond: readonly number[],
  { clearedAtSeconds }: FaultMoments,
  before: readonly number[],
  nextFaultAtSeconds: number,
): Recovery {
  if (clearedAtSeconds === null) return unknownRecovery("it was never cleared");
  if (before.length === 0) return unknownRecovery("the window has no undisturbed second before it");
  const recoveredPerSecond = RECOVERED_RATIO * mean(before);
  if (recoveredPerSecond === 0) return unknownRecovery("nothing was committed before it");
  const end = Math.min(commitsBySecond.length, Math.floor(nextFaultAtSeconds));
  for (let second = Math.floor(clearedAtSeconds); second + RECOVERY_HOLD_SECONDS <= end; second++) {
    const heldCounts = commitsBySecond.slice(second, second + RECOVERY_HOLD_SECONDS);
    if ((heldCounts[0] ?? 0) >= recoveredPerSecond && mean(heldCounts) >= recoveredPerSecond)
      return { recoverySeconds: Math.max(0, second - clearedAtSeconds) };
  }
  const endingText = end < commitsBySecond.length ? "the next fault came" : "the window ended";
  return unknownRecovery(`${endingText} before throughput had been back for ${RECOVERY_HOLD_SECONDS} s`);
}

function unknownRecovery(recoveryReason: string): Recovery {
  return { recoverySeconds: null, recoveryReason };
}
