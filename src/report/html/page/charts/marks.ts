// What is marked on every chart over time: where a trial became steady, and from when to when a fault was there. Trials of a
// treatment have the same faults at about the same times, so that several trials together show the medians of theirs.
import type { FaultRecord } from "../../../../results/fault-schema.js";
import { median } from "../../../../analysis/statistics/quantiles.js";
import type { Treatment, View } from "./drawing.js";

export interface Mark {
  /** Seconds into the window. */
  readonly x: number;
  /** Where it lasted. */
  readonly untilX?: number;
  readonly label: string;
}

/** Of the trials that are shown of one treatment. */
export function treatmentMarks(view: View, treatment: Treatment): Mark[] {
  return [...steadyMark(view, treatment), ...faultMarks(view, [treatment])];
}

/** Of all that is shown, for charts whose panels hold all treatments. */
export function trialMarks(view: View): Mark[] {
  return [
    ...view.treatments.flatMap((treatment) => steadyMark(view, treatment)),
    ...faultMarks(view, view.treatments),
  ];
}

/** Where a single trial became steady later than its window began. */
function steadyMark(view: View, treatment: Treatment): Mark[] {
  const trial = view.report.result.treatments
    .find(({ id }) => id === treatment.id)
    ?.trials.find(({ number }) => number === view.trials);
  const second = trial?.steadyState?.settledAfterSeconds;
  return second === undefined ? [] : [{ x: second, label: "steady from here" }];
}

function faultMarks(view: View, treatments: readonly Treatment[]): Mark[] {
  const shown = new Set(treatments.map(({ id }) => id));
  const groups = new Map<string, FaultRecord[]>();
  for (const fault of view.report.result.faults) {
    if (!shown.has(fault.treatment)) continue;
    if (typeof view.trials === "number" && fault.trial !== view.trials) continue;
    const same = `${fault.kind} ${fault.atSeconds}`;
    groups.set(same, [...(groups.get(same) ?? []), fault]);
  }
  return [...groups.values()].map((faults) => {
    const cleared = faults.flatMap(({ clearedAtSeconds }) => clearedAtSeconds ?? []);
    return {
      x: median(faults.map(({ injectedAtSeconds }) => injectedAtSeconds)),
      ...(cleared.length > 0 && { untilX: median(cleared) }),
      label: faults[0]?.kind ?? "",
    };
  });
}

/** `postgres-kill from 10.0 s to 12.1 s`. */
export function markText({ x, untilX, label }: Mark): string {
  const seconds = (value: number): string => `${value.toFixed(1)} s`;
  return untilX === undefined
    ? `${label} at ${seconds(x)}`
    : `${label} from ${seconds(x)} to ${seconds(untilX)}`;
}
