// Marks on charts over time; several trials show medians, since their faults are at about the same times.
import type { FaultRecord } from "../../../../results/fault-schema.js";
import { median } from "../../../../analysis/statistics/quantiles.js";
import type { Treatment, View } from "./drawing.js";

export interface Mark {
  /** Start of the mark in seconds into the window. */
  readonly x: number;
  /** End of the mark in seconds into the window; left out if the mark has no duration. */
  readonly untilX?: number;
  readonly label: string;
}

export function treatmentMarks(view: View, treatment: Treatment): Mark[] {
  return [...steadyMark(view, treatment), ...faultMarks(view, [treatment])];
}

export function trialMarks(view: View): Mark[] {
  return [
    ...view.treatments.flatMap((treatment) => steadyMark(view, treatment)),
    ...faultMarks(view, view.treatments),
  ];
}

/** Mark at the second at which a single shown trial became steady; empty if it was steady from the start of its window. */
function steadyMark(view: View, treatment: Treatment): Mark[] {
  const trial = view.report.result.treatments
    .find(({ id }) => id === treatment.id)
    ?.trials.find(({ number }) => number === view.trials);
  const second = trial?.steadyState?.settledAfterSeconds;
  return second === undefined ? [] : [{ x: second, label: "steady from here" }];
}

function faultMarks(view: View, treatments: readonly Treatment[]): Mark[] {
  const ids = new Set(treatments.map(({ id }) => id));
  const groups = new Map<string, FaultRecord[]>();
  for (const fault of view.report.result.faults) {
    if (!ids.has(fault.treatment)) continue;
    if (typeof view.trials === "number" && fault.trial !== view.trials) continue;
    const groupKey = `${fault.kind} ${fault.atSeconds}`;
    groups.set(groupKey, [...(groups.get(groupKey) ?? []), fault]);
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

/** Text of a mark, such as `postgres-kill from 10.0 s to 12.1 s`. */
export function markText({ x, untilX, label }: Mark): string {
  const seconds = (value: number): string => `${value.toFixed(1)} s`;
  return untilX === undefined
    ? `${label} at ${seconds(x)}`
    : `${label} from ${seconds(x)} to ${seconds(untilX)}`;
}
