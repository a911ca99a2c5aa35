import { evidenceMetricOf } from "../../../../workloads/evidence.js";
import type { ReportData } from "../../report-data.js";
import { chosenValue, nothingToPlot, type Chart, type Control } from "./drawing.js";
import { trialMarks } from "./marks.js";
import { plotLines } from "./line-panels.js";
import { SECONDS_AXIS } from "./lines.js";
import { unitOf } from "./metric-unit.js";
import { metricFamilyPanels, lineNote, sampledLines, whyNoSeries } from "./trial-lines.js";

export const backlogAge: Chart = {
  id: "backlog-age",
  title: "Backlog and its age",
  lead: "How many events wait to be claimed, and how old the oldest of them is. An age that stays near zero means that every event is taken at once.",
  draw: (view) => {
    const panels = metricFamilyPanels(view, "queue");
    if (panels.length === 0) return nothingToPlot(whyNoSeries(view, "samples of the backlog"));
    return plotLines({ caption: "Backlog over time", panels, x: SECONDS_AXIS, note: lineNote(view) }, view);
  },
};

/** Metrics that stand first in the list, because they explain most. */
const PREFERRED_METRICS = [
  "wal.bytes",
  "tuples.dead",
  "locks.blocked",
  "transactions.commits",
  "blocks.written",
];

function metricsIn(report: ReportData): string[] {
  const names = new Set(report.series.flatMap(({ evidence }) => Object.keys(evidence)));
  const preferred = PREFERRED_METRICS.filter((name) => names.has(name));
  return [...preferred, ...[...names].filter((name) => !preferred.includes(name)).sort()];
}

const metricControl = (report: ReportData): Control => ({
  id: "metric",
  label: "Metric",
  choices: metricsIn(report).map((name) => [name, name]),
});

export const samples: Chart = {
  id: "samples",
  title: "Everything that was sampled",
  lead: "Any one metric of the database, the pooler and the machine, over time.",
  controls: (report) => [metricControl(report)],
  draw: (view) => {
    const metric = chosenValue(view, metricControl(view.report));
    const lines = sampledLines(view, metric);
    if (lines.length === 0)
      return nothingToPlot(whyNoSeries(view, metric === "" ? "samples" : `samples of ${metric}`));
    const meaning = evidenceMetricOf(metric)?.meaning ?? metric;
    const panel = { title: metric, unit: unitOf(metric), lines, marks: trialMarks(view) };
    const note = `${metric}: ${meaning}. ${lineNote(view)}`;
    return plotLines({ caption: `${metric}: ${meaning}`, panels: [panel], x: SECONDS_AXIS, note }, view);
  },
};
