// A metric of the database is one entry of the catalogue of evidence: the test adds only an entry, and all outputs of
// evidence show it.
import { expect, it, vi } from "vitest";
import { assess } from "../../src/analysis/thresholds/thresholds.js";
import { perEventOf } from "../../src/engine/evidence/evidence-per-event.js";
import { windowFigures } from "../../src/engine/evidence/window-figures.js";
import { WindowSums } from "../../src/engine/evidence/window-sums.js";
import { EvidenceGauges } from "../../src/live/evidence-gauges.js";
import { evidenceTable } from "../../src/live/page/live-words.js";
import type { LiveView } from "../../src/live/page/live-data.js";
import type { EvidenceMetric } from "../../src/metrics/evidence-metric.js";
import { HistogramSet } from "../../src/metrics/histograms.js";
import { DEFAULT_FILTER_STATE } from "../../src/report/html/page/charts/filter-state.js";
import { CHARTS } from "../../src/report/html/page/charts/registry.js";
import { LIGHT } from "../../src/report/html/page/charts/theme.js";
import { viewOf } from "../../src/report/html/page/charts/view.js";
import { renderSummary } from "../../src/report/terminal/summary.js";
import { DatabaseEvidence, ResultDocument } from "../../src/results/result-schema.js";
import { parseThreshold } from "../../src/scenario/thresholds.js";
import { DATABASE_EVIDENCE } from "../../src/workloads/evidence.js";
import { workloadOf } from "../../src/workloads/registry.js";
import { Registry } from "prom-client";
import { exampleReport } from "./example-report.js";
import { exampleResult } from "./example-result.js";
import { becauseOf, PROCESS_MEAN } from "./moving-evidence.js";

const { spilled } = vi.hoisted(() => ({
  spilled: {
    name: "spill.bytes",
    kind: "counter",
    unit: "bytes",
    meaning: "spilled to the swamp",
    window: { field: "spilledBytes", take: "total", isThreshold: true, chart: "Spilled" },
    perEvent: {
      field: "spilledBytes",
      isThreshold: true,
      chart: "Spilled per event",
      reason: { topic: "spill", least: 10, words: "{who} spilled {now} per event against {then}" },
    },
  } satisfies EvidenceMetric,
}));

vi.mock("../../src/metrics/evidence-catalogue.js", async (original) => {
  const { EVIDENCE } = await original<{ EVIDENCE: readonly EvidenceMetric[] }>();
  return { EVIDENCE: [...EVIDENCE, spilled] };
});

const { name } = spilled;

/** Evidence of a window of two seconds in which 3000 bytes were spilled and 10 events added. */
function measureEvidence(): DatabaseEvidence {
  const sums = new WindowSums();
  sums.open({ [name]: 1000 }, 0);
  expect(sums.sample({ [name]: 2000 }, 1000)).toEqual({ [name]: 1000 });
  sums.sample({ [name]: 4000 }, 2000);
  sums.close({ [name]: 4000 });
  const done = {
    workload: workloadOf({}),
    operations: { add: { events: 10, transactions: 1 } },
    clientCpuSeconds: undefined,
  };
  return { ...windowFigures(sums, DATABASE_EVIDENCE), perEvent: perEventOf({}, sums, done) };
}

it("a metric added to the evidence catalogue is summed over the window, divided by events, and stored", () => {
  const stored = DatabaseEvidence.parse(measureEvidence());
  expect(stored).toMatchObject({ spilledBytes: 3000, perEvent: { events: 10, spilledBytes: 300 } });
  expect(DatabaseEvidence.safeParse({ spilledBytes: -1 }).success).toBe(false);
});

it.each([
  ["database", 3000],
  ["database.perEvent", 300],
])("a metric added to the evidence catalogue is available to thresholds on %s", (metric, seen) => {
  const parsed = parseThreshold(metric, {
    ...{ threshold: "spilledBytes<1000", abortOnFail: false, delayAbortEvalMs: 0 },
  });
  if (!("value" in parsed)) throw new Error(parsed.message);
  const trials = { operations: {}, histograms: new HistogramSet(), audits: [], invalid: undefined };
  expect(assess(parsed.value, { ...trials, databases: [measureEvidence()] })).toEqual({
    seen,
    ok: seen < 1000,
  });
});

it("a metric added to the evidence catalogue is in the summary if a threshold names it", () => {
  const result = exampleResult();
  const judged = { metric: "database", expression: "spilledBytes<1000", treatment: "jsonb" };
  result.thresholds = [{ ...judged, seen: 3000, ok: false }];
  expect(renderSummary(ResultDocument.parse(result), { directory: "results" })).toContain(
    "spilledBytes<1000",
  );
});

it("a metric added to the evidence catalogue is a reason for a difference that it moved with", () => {
  const sentences = becauseOf(PROCESS_MEAN, ({ database }, isText, block) => {
    database.perEvent = Object.assign({ events: 10 }, { spilledBytes: (isText ? 900 : 100) + block });
  });
  expect(sentences).toContainEqual(
    expect.stringMatching(/^text spilled 90\d B per event against 10\d B \(8\.\d+x\)/),
  );
});

it.each(["per-event", "sizes"])("a metric added to the evidence catalogue has bars in the chart %s", (id) => {
  const report = exampleReport();
  for (const { trials } of report.result.treatments)
    for (const trial of trials) Object.assign(trial, { database: measureEvidence() });
  const drawing = CHARTS.find((each) => each.id === id)?.draw(
    viewOf(report, DEFAULT_FILTER_STATE, id, LIGHT, 1000),
  );
  expect(drawing?.kind === "plot" && JSON.stringify(drawing.table())).toContain("Spilled");
});

it("a metric added to the evidence catalogue is on the live page and in Prometheus", async () => {
  const registry = new Registry();
  new EvidenceGauges(registry).show({ [name]: 1500 }, "text");
  expect(await registry.metrics()).toContain('train_sim_spill_bytes_per_second{treatment="text"} 1500');
  const { rows } = evidenceTable({ evidence: { [name]: 1500 } } as unknown as LiveView);
  expect(rows).toEqual([[name, expect.stringMatching(/^1\.5 kB\/s$/), spilled.meaning]]);
});
