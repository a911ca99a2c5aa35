import { expect, it } from "vitest";
import { exampleTrial, EXAMPLE_WORKLOAD } from "../../../test/support/example-result.js";
import type { DatabaseEvidence, TreatmentResult } from "../../results/result-schema.js";
import { ALL_EVIDENCE } from "../../workloads/evidence.js";
import { WORKLOADS } from "../../workloads/registry.js";
import { evidenceNotes } from "./evidence-notes.js";

function treatment(levels: Record<string, string>, databases: DatabaseEvidence[]): TreatmentResult {
  const trials = databases.map((database, index) => ({ ...exampleTrial(index, index + 1, 10), database }));
  return { id: "a", levels, trials, merged: null };
}

it("evidence notes state medians of metrics that the workload names for its factors", () => {
  const databases = [{ indexBytes: 1_000, hotRatio: 0.2 }, { indexBytes: 3_000 }, { indexBytes: 2_000 }];
  expect(evidenceNotes(treatment({ claimIndex: "full" }, databases), EXAMPLE_WORKLOAD)).toEqual([
    { text: "evidence, median of trials: Indexes 2 kB; HOT updates 20 %", tone: "plain" },
  ]);
  expect(evidenceNotes(treatment({ pool: "direct" }, databases), EXAMPLE_WORKLOAD)).toEqual([]);
});

it.each(["fillfactor", "target.settings.autovacuum_vacuum_scale_factor", "retire"])(
  "evidence notes state HOT updates, dead rows and autovacuum if %s varies",
  (key) => {
    const databases = [
      { hotRatio: 0.9, deadTuples: { mean: 1500, max: 2000 }, autovacuums: 2 },
    ] as DatabaseEvidence[];
    expect(evidenceNotes(treatment({ [key]: "a" }, databases), EXAMPLE_WORKLOAD)).toEqual([
      {
        text: "evidence, median of trials: HOT updates 90 %; Dead rows, mean 1500; runs of autovacuum that ended on the workload's tables 2",
        tone: "plain",
      },
    ]);
  },
);

it("evidence notes are absent for partial trials and trials without these metrics", () => {
  expect(evidenceNotes(treatment({ claimIndex: "full" }, [{}]), EXAMPLE_WORKLOAD)).toEqual([]);
  const partial = treatment({ claimIndex: "full" }, [{ indexBytes: 1 }]);
  partial.trials = partial.trials.map((trial) => ({ ...trial, status: "partial" }));
  expect(evidenceNotes(partial, EXAMPLE_WORKLOAD)).toEqual([]);
});

it.each(WORKLOADS.filter(({ reporting }) => reporting?.factors).map((workload) => [workload.name, workload]))(
  "evidence metrics that workload %s names for its keys exist and have titles",
  (_, { reporting, settings }) => {
    const titled = ALL_EVIDENCE.filter(({ chart }) => chart).map(({ metric }) => metric.name);
    for (const [key, names] of Object.entries(reporting?.factors ?? {})) {
      expect(Object.keys(settings.keys)).toContain(key);
      for (const name of names) expect(titled).toContain(name);
    }
  },
);
