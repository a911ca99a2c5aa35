// One number per treatment. A trial that lacks the value is left out, never taken for 0.
import { median } from "../../../../analysis/statistics/quantiles.js";
import type { TrialResult } from "../../../../results/result-schema.js";
import type { Bar, BarPanel } from "./bar-panels.js";
import { nothingToPlot, type NothingToPlot, type View } from "./drawing.js";
import type { Unit } from "./values.js";

export interface TrialValue {
  readonly title: string;
  readonly unit: Unit;
  readonly of: (trial: TrialResult) => number | undefined;
}

function barOf(view: View, treatment: string, of: TrialValue["of"]): Bar | undefined {
  const trials = view.report.result.treatments.find(({ id }) => id === treatment)?.trials ?? [];
  const shownTrials =
    typeof view.trials === "number"
      ? trials.filter(({ number }) => number === view.trials)
      : trials.filter(({ status }) => status === "complete");
  const values = shownTrials.flatMap((trial) => of(trial) ?? []);
  if (values.length === 0) return undefined;
  const range = [Math.min(...values), Math.max(...values)] as const;
  return { value: median(values), ...(values.length > 1 && { range }) };
}

/** Panels of bars, one for each value that at least one shown treatment has. */
export function valuePanels(view: View, values: readonly TrialValue[]): BarPanel[] {
  return values.flatMap(({ title, unit, of }) => {
    const bars = new Map<string, Bar>();
    for (const { id } of view.treatments) {
      const bar = barOf(view, id, of);
      if (bar) bars.set(id, bar);
    }
    return bars.size > 0 ? [{ title, unit, parts: new Map([["", bars]]) }] : [];
  });
}

/** Drops panels in which every value is 0, and returns a note that names them. */
export function dropZeroPanels(panels: readonly BarPanel[]): { panels: BarPanel[]; note: string } {
  const isAllZero = (panel: BarPanel): boolean =>
    [...panel.parts.values()].every((bars) =>
      [...bars.values()].every(({ value, range = [0, 0] }) => [value, ...range].every((each) => each === 0)),
    );
  const zeroPanelTitles = panels.filter(isAllZero).map(({ title }) => title);
  const note = zeroPanelTitles.length > 0 ? `0 throughout: ${zeroPanelTitles.join(", ")}.` : "";
  return { panels: panels.filter((panel) => !isAllZero(panel)), note };
}

/** Reason why the chosen trials have no values; undefined if a trial to show exists. */
function whyNoTrial(view: View): string | undefined {
  const ids = view.treatments.map(({ id }) => id);
  const trials = view.report.result.treatments
    .filter(({ id }) => ids.includes(id))
    .flatMap((treatment) => treatment.trials);
  if (typeof view.trials === "number")
    return trials.some(({ number }) => number === view.trials)
      ? undefined
      : `trial ${view.trials} is of none of the treatments that are shown.`;
  if (trials.length === 0 || trials.some(({ status }) => status === "complete")) return undefined;
  return "no trial of the treatments that are shown is complete; a single one can be chosen above.";
}

/**
 * Reason why a chart is empty: `zeros` (the note of `dropZeroPanels`) if all values are 0, the reason of `whyNoTrial` if no
 * trial can be shown, `otherwise` in other cases.
 */
export function whyNoValues(view: View, zeros: string, otherwise: string): NothingToPlot {
  return nothingToPlot(`There is nothing to draw: ${zeros || (whyNoTrial(view) ?? otherwise)}`);
}

export function valueNote(view: View): string {
  return typeof view.trials === "number"
    ? `Trial ${view.trials}.`
    : "Bars: medians over complete trials. Whiskers: from the lowest to the highest trial.";
}
