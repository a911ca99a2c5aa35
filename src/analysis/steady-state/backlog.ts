// A queue is back with a sample that, like the mean of three seconds, is not above the highest of the last undisturbed ones.
import { mean } from "../statistics/quantiles.js";
import type { BacklogRecovery } from "../../results/fault-schema.js";
import { BEFORE_SECONDS_MAX, HELD_SECONDS, nextAfter, type FaultMoments } from "./recovery.js";

/**
 * Fewest samples before a fault: fewer do not show how far a queue rises by itself, so that a longer queue may be back
 * already.
 */
const BEFORE_SAMPLES_MIN = 3;

export interface BacklogSample {
  /** Seconds from the start of the window. */
  readonly atSeconds: number;
  readonly events: number;
}

/**
 * Return of the backlog to its size before each fault, in the order of injection; `samples` are of one queue, oldest first.
 */
export function backlogsOf(
  samples: readonly BacklogSample[],
  faults: readonly FaultMoments[],
  windowSeconds: number,
): BacklogRecovery[] {
  let calm = samples;
  return faults.map((fault) => {
    const { injectedAtSeconds, clearedAtSeconds } = fault;
    const before = calm.filter(({ atSeconds }) => atSeconds <= injectedAtSeconds).slice(-BEFORE_SECONDS_MAX);
    const nextAtSeconds = nextAfter(fault, faults);
    const backlog = backlogOf(samples, fault, before, { nextAtSeconds, windowSeconds });
    const untilSeconds = (clearedAtSeconds ?? Infinity) + (backlog.recoverySeconds ?? Infinity);
    calm = calm.filter(({ atSeconds }) => atSeconds <= injectedAtSeconds || atSeconds >= untilSeconds);
    return backlog;
  });
}

function backlogOf(
  samples: readonly BacklogSample[],
  { injectedAtSeconds, clearedAtSeconds }: FaultMoments,
  calm: readonly BacklogSample[],
  { nextAtSeconds, windowSeconds }: { readonly nextAtSeconds: number; readonly windowSeconds: number },
): BacklogRecovery {
  if (calm.length === 0) return unknownRecovery("no undisturbed sample came before it");
  const before = mostOf(calm);
  const since = samples.filter(
    ({ atSeconds }) => atSeconds > injectedAtSeconds && atSeconds <= nextAtSeconds,
  );
  if (since.length === 0) return { before, ...unknownRecovery("there is no sample after it") };
  if (clearedAtSeconds === null)
    return { before, most: mostOf(since), ...unknownRecovery("it was never cleared") };
  const lastHeld = Math.min(nextAtSeconds, windowSeconds) - (HELD_SECONDS - 1);
  const back = since.find(({ atSeconds: from, events }) => {
    const held = since.filter(({ atSeconds }) => atSeconds >= from && atSeconds < from + HELD_SECONDS);
    const isHeld = from <= lastHeld && mean(held.map((sample) => sample.events)) <= before;
    return from >= clearedAtSeconds && events <= before && isHeld;
  });
  if (!back) {
    const hasNeverRisen =
      mostOf(since) <= before && since.some(({ atSeconds }) => atSeconds >= clearedAtSeconds);
    if (hasNeverRisen) return { before, most: mostOf(since), recoverySeconds: 0 };
    const first = nextAtSeconds === Infinity ? "the window ended" : "the next fault came";
    const isSure = calm.length >= BEFORE_SAMPLES_MIN;
    const few = `, and only ${calm.length} of ${BEFORE_SAMPLES_MIN} undisturbed samples came before the fault`;
    const reason = `${first} before it had been back for ${HELD_SECONDS} s${isSure ? "" : few}`;
    return { before, most: mostOf(since), ...unknownRecovery(reason) };
  }
  const most = mostOf(since.slice(0, since.indexOf(back) + 1));
  return { before, most, recoverySeconds: most > before ? back.atSeconds - clearedAtSeconds : 0 };
}

function mostOf(samples: readonly BacklogSample[]): number {
  return samples.reduce((most, { events }) => Math.max(most, events), 0);
}

function unknownRecovery(
  recoveryReason: string,
): Pick<BacklogRecovery, "recoverySeconds" | "recoveryReason"> {
  return { recoverySeconds: null, recoveryReason };
}
