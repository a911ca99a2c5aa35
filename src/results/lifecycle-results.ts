// Ends of events' lives over several trials. If one trial does not tell, the trials together do not either. Pure.
import type { LifecycleResult, TrialResult } from "./result-schema.js";

/** Events whose passes a trial's `passesPerEvent` is the mean of. */
function endedEvents({ integrity }: Pick<TrialResult, "integrity">): number {
  const { complete = 0, failed = 0, archived = 0 } = integrity ?? {};
  return complete + failed + archived;
}

/** Passes over all events of these trials; the mean drain of trials that all drained. */
export function mergedEnding(
  trials: readonly Pick<TrialResult, "lifecycle" | "integrity">[],
): Pick<LifecycleResult, "passesPerEvent" | "drainSeconds"> {
  const ended = trials.map((trial) => ({
    events: endedEvents(trial),
    passesPerEvent: trial.lifecycle.passesPerEvent,
  }));
  const withEvents = ended.filter(({ events }) => events > 0);
  const events = withEvents.reduce((sum, each) => sum + each.events, 0);
  const passes = withEvents.reduce((sum, each) => sum + each.events * (each.passesPerEvent ?? Number.NaN), 0);
  const drains = trials.flatMap(({ lifecycle }) => lifecycle.drainSeconds ?? []);
  const hasAllDrains = drains.length === trials.length && drains.length > 0;
  return {
    ...(events > 0 && !Number.isNaN(passes) && { passesPerEvent: passes / events }),
    ...(hasAllDrains && { drainSeconds: drains.reduce((sum, each) => sum + each, 0) / drains.length }),
  };
}
