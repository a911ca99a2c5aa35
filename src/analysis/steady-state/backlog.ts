// A queue is back with a sample that, like the mean of three seconds, is not above the highest of the last undisturbed ones.
import { mean } from "../statistics/quantiles.js";
import type { BacklogRecovery } from "../../results/fault-schema.js";
import {
  UNDISTURBED_SECONDS_MAX,
  RECOVERY_HOLD_SECONDS,
  nextFaultSecond,
  type FaultMoments,
} from "./recovery.js";

/**
 * Minimum number of samples before a fault: fewer do not show how far a queue rises by itself, so that a longer queue may
 * be back already.
 */
const UNDISTURBED_SAMPLES_MIN = 3;

export interface BacklogSample {
  /** Seconds from the start of the window. */
  readonly atSeconds: number;
  readonly events: number;
}

/**
 * Return of the backlog to its size before each fault, in the order of injection; `samples` are of one queue, oldest first.
 */
export function backlogRecoveriesOf(
  samples: readonly BacklogSample[],
  faults: readonly FaultMoments[],
  windowSeconds: number,
): BacklogRecovery[] {
  let undisturbedSamples = samples;
  return faults.map((fault) => {
    const { injectedAtSeconds, clearedAtSeconds } = fault;
    const before = undisturbedSamples
      .filter(({ atSeconds }) => atSeconds <= injectedAtSeconds)
      .slice(-UNDISTURBED_SECONDS_MAX);
    const nextFaultAtSeconds = nextFaultSecond(fault, faults);
    const recovery = backlogRecoveryOf(samples, fault, before, { nextFaultAtSeconds, windowSeconds });
    const untilSeconds = (clearedAtSeconds ?? Infinity) + (recovery.recoverySeconds ?? Infinity);
    undisturbedSamples = undisturbedSamples.filter(
      ({ atSeconds }) => atSeconds <= injectedAtSeconds || atSeconds >= untilSeconds,
    );
    return recovery;
  });
}

function backlogRecoveryOf(
  samples: readonly BacklogSample[],
  { injectedAtSeconds, clearedAtSeconds }: FaultMoments,
  undisturbedSamples: readonly BacklogSample[],
  {
    nextFaultAtSeconds,
    windowSeconds,
  }: { readonly nextFaultAtSeconds: number; readonly windowSeconds: number },
): BacklogRecovery {
  if (undisturbedSamples.length === 0) return unknownRecovery("no undisturbed sample came before it");
  const before = largestBacklogOf(undisturbedSamples);
  const samplesSince = samples.filter(
    ({ atSeconds }) => atSeconds > injectedAtSeconds && atSeconds <= nextFaultAtSeconds,
  );
  if (samplesSince.length === 0) return { before, ...unknownRecovery("there is no sample after it") };
  if (clearedAtSeconds === null)
    return { before, most: largestBacklogOf(samplesSince), ...unknownRecovery("it was never cleared") };
  const latestRecoverySeconds = Math.min(nextFaultAtSeconds, windowSeconds) - (RECOVERY_HOLD_SECONDS - 1);
  const recoverySample = samplesSince.find(({ atSeconds: from, events }) => {
    const heldSamples = samplesSince.filter(
      ({ atSeconds }) => atSeconds >= from && atSeconds < from + RECOVERY_HOLD_SECONDS,
    );
    const isRecoveryHeld =
      from <= latestRecoverySeconds && mean(heldSamples.map((sample) => sample.events)) <= before;
    return from >= clearedAtSeconds && events <= before && isRecoveryHeld;
  });
  if (!recoverySample) {
    const hasBacklogNeverRisen =
      largestBacklogOf(samplesSince) <= before &&
      samplesSince.some(({ atSeconds }) => atSeconds >= clearedAtSeconds);
    if (hasBacklogNeverRisen) return { before, most: largestBacklogOf(samplesSince), recoverySeconds: 0 };
    const endingText = nextFaultAtSeconds === Infinity ? "the window ended" : "the next fault came";
    const hasEnoughSamples = undisturbedSamples.length >= UNDISTURBED_SAMPLES_MIN;
    const fewSamplesText = `, and only ${undisturbedSamples.length} of ${UNDISTURBED_SAMPLES_MIN} undisturbed samples came before the fault`;
    const reason = `${endingText} before it had been back for ${RECOVERY_HOLD_SECONDS} s${hasEnoughSamples ? "" : fewSamplesText}`;
    return { before, most: largestBacklogOf(samplesSince), ...unknownRecovery(reason) };
  }
  const most = largestBacklogOf(samplesSince.slice(0, samplesSince.indexOf(recoverySample) + 1));
  return { before, most, recoverySeconds: most > before ? recoverySample.atSeconds - clearedAtSeconds : 0 };
}

function largestBacklogOf(samples: readonly BacklogSample[]): number {
  return samples.reduce((most, { events }) => Math.max(most, events), 0);
}

function unknownRecovery(
  recoveryReason: string,
): Pick<BacklogRecovery, "recoverySeconds" | "recoveryReason"> {
  return { recoverySeconds: null, recoveryReason };
}
