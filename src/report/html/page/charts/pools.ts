import { plotBars } from "./bar-panels.js";
import { chosenValue, nothingToPlot, type Chart, type Control } from "./drawing.js";
import { plotLines } from "./line-panels.js";
import { SECONDS_AXIS } from "./lines.js";
import { metricFamilyPanels, lineNote } from "./trial-lines.js";
import { valueNote, valuePanels, whyNoValues, dropZeroPanels, type TrialValue } from "./trial-values.js";
import { operationName } from "./view.js";

const WAIT_STATISTICS = ["p99", "mean", "p50", "max"] as const;
const STATISTIC_CONTROL: Control = {
  id: "of",
  label: "Pool wait",
  choices: WAIT_STATISTICS.map((each) => [each, each === "max" ? "maximum" : each]),
};

export const poolWait: Chart = {
  id: "pool-wait",
  title: "Waiting for a connection",
  lead: "How long a transaction waited until it had a connection. It is part of its service time; a percentile here is of the waits, not of the slowest transactions.",
  controls: () => [STATISTIC_CONTROL],
  draw: (view) => {
    const measure = WAIT_STATISTICS.find((each) => each === chosenValue(view, STATISTIC_CONTROL)) ?? "p99";
    const values = view.operations.map((operation): TrialValue => ({
      title: operationName(operation),
      unit: "ms",
      of: ({ operations }) => operations[operation]?.poolWaitMs?.[measure],
    }));
    const { panels, note } = dropZeroPanels(valuePanels(view, values));
    if (panels.length === 0) return whyNoValues(view, note, "no waits for a connection were recorded.");
    return plotBars(
      {
        caption: `Wait for a connection, ${measure}, by operation and treatment`,
        panels,
        hasOneScale: true,
        note: `${valueNote(view)} ${note}`.trim(),
      },
      view,
    );
  },
};

export const pooler: Chart = {
  id: "pgbouncer",
  title: "Pooler",
  lead: "The pooler's own account. Clients that wait while all server connections are in use want a larger pool, or shorter transactions.",
  draw: (view) => {
    const panels = metricFamilyPanels(view, "pooler");
    if (panels.length === 0)
      return nothingToPlot(
        "There is nothing to draw: none of what is shown went through a pooler whose statistics could be read.",
      );
    return plotLines({ caption: "Pooler over time", panels, x: SECONDS_AXIS, note: lineNote(view) }, view);
  },
};
