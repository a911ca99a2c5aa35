// The load is back with a second at 90 % of the last undisturbed seconds, if three seconds hold that on the mean.
import { mean } from "../statistics/quantiles.js";
import type { FaultRecord } from "../../results/result-schema.js";

/** Share of the throughput before a fault at which the load counts as recovered. */
const BACK_RATIO = 0.9;
/** Whole seconds for which the recovered throughput must hold. */
export const HELD_SECONDS = 3;
/** Most undisturbed seconds over which the throughput before a fault is averaged. */
export const BEFORE_SECONDS_MAX = 10;

/** Moments at which a fault was injected and cleared, in seconds from the start of the window. */
export type FaultMoments = Pick<FaultRecord, "injectedAtSeconds" | "clearedAtSeconds">;

export type Recovery = Pick<FaultRecord, "recoverySeconds" | "recoveryReason">;

/**
 * Recovery of the throughput after each fault, in the order of injection; `transactions` are the commits of each whole
 * second.
 */
export function recoveriesOf(transactions: readonly number[], faults: readonly FaultMoments[]): Recovery[] {
  const disturbed = new Set<number>();
  return faults.map((fault) => {
    const before = undisturbedBefore(transactions, fault, disturbed);
    const recovery = recoveryOf(transactions, fault, before, nextAfter(fault, faults));
    const { clearedAtSeconds } = fault;
    const untilSeconds =
      clearedAtSeconds === null || recovery.recoverySeconds === null
        ? transactions.length
        : clearedAtSeconds + recovery.recoverySeconds;
    for (let second = Math.floor(fault.injectedAtSeconds); second < untilSeconds; second++)
      disturbed.add(second);
    return recovery;
  });
}

function undisturbedBefore(
  transactions: readonly number[],
  { injectedAtSeconds }: FaultMoments,
  disturbed: ReadonlySet<number>,
): number[] {
  return transactions
    .slice(0, Math.floor(injectedAtSeconds))
    .filter((_, second) => !disturbed.has(second))
    .slice(-BEFORE_SECONDS_MAX);
}

/** Second at which the next fault begins after the end of this one; Infinity if no fault follows. */
export function nextAfter({ clearedAtSeconds }: FaultMoments, faults: readonly FaultMoments[]): number {
  if (clearedAtSeconds === null) return Number.POSITIVE_INFINITY;
  const later = faults.map((each) => each.injectedAtSeconds).filter((at) => at >= clearedAtSeconds);
  return Math.min(Number.POSITIVE_INFINITY, ...later);
}

function recoveryOf(
  transactions: readonly number[],
  { clearedAtSeconds }: FaultMoments,
  before: readonly number[],
  nextAtSeconds: number,
): Recovery {
  if (clearedAtSeconds === null) return unknownRecovery("it was never cleared");
  if (before.length === 0) return unknownRecovery("the window has no undisturbed second before it");
  const backAt = BACK_RATIO * mean(before);
  if (backAt === 0) return unknownRecovery("nothing was committed before it");
  const end = Math.min(transactions.length, Math.floor(nextAtSeconds));
  for (let second = Math.floor(clearedAtSeconds); second + HELD_SECONDS <= end; second++) {
    const held = transactions.slice(second, second + HELD_SECONDS);
    if ((held[0] ?? 0) >= backAt && mean(held) >= backAt)
      return { recoverySeconds: Math.max(0, second - clearedAtSeconds) };
  }
  const first = end < transactions.length ? "the next fault came" : "the window ended";
  return unknownRecovery(`${first} before throughput had been back for ${HELD_SECONDS} s`);
}

function unknownRecovery(recoveryReason: string): Recovery {
  return { recoverySeconds: null, recoveryReason };
}
