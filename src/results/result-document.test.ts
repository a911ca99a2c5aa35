import { describe, expect, it } from "vitest";
import { Recorder } from "../metrics/recorder.js";
import { Tally } from "../metrics/tally.js";
import { conservationOf } from "../workloads/train-events/model/conservation.js";
import type { Experiment, TreatmentSettings } from "../scenario/settings.js";
import {
  EXAMPLE_BOUNDS,
  EXAMPLE_INTEGRITY,
  exampleFacts,
  exampleTrial,
  EXAMPLE_VERDICT,
} from "../../test/support/example-result.js";
import { exampleExperiment } from "../../test/support/example-live.js";
import { operationResults, operationsOf } from "./operation-results.js";
import { buildResult, mergedResult } from "./result-document.js";
import { integrityOf, ResultDocument, resultJsonSchema } from "./result-schema.js";
import type { RoleSettings } from "../clients/settings.js";

function group(clients: number, workers: number): RoleSettings {
  return {
    workers,
    load: { executor: "constant-clients", clients, thinkTimeMs: { min: 0, max: 0 }, rampUpMs: 0 },
  };
}

const settings = {
  integrity: { allow: [] },
  actors: { consumers: group(8, 2), producers: group(3, 1) },
} as Pick<TreatmentSettings, "actors"> as TreatmentSettings;

function windowSummary() {
  const recorder = new Recorder(["add", "process"]);
  recorder.setWindow(0, 1000);
  recorder.transaction("add", { finishedMs: 1, events: 4, serviceMs: 2, responseMs: 2, poolWaitMs: 0 });
  const tally = new Tally(["add", "process"], 1);
  tally.add(0, recorder.take(Infinity));
  return tally.summary(2);
}

const experiment: Experiment = {
  name: "x",
  seed: 1,
  treatments: [
    { id: "jsonb", levels: { payload: "jsonb" }, settings },
    { id: "text", levels: { payload: "text" }, settings },
  ],
  trials: [
    { number: 1, block: 0, treatmentId: "text", seed: 5 },
    { number: 2, block: 0, treatmentId: "jsonb", seed: 5 },
  ],
  thresholds: [],
  ratioThresholds: [],
  published: [],
  diagnosis: EXAMPLE_BOUNDS,
  yaml: "name: x\n",
};

describe("buildResult", () => {
  it("lists treatments in the experiment's order, each with its trials and merged figures", () => {
    const complete = exampleTrial(0, 1, 10);
    const document = buildResult({
      experiment,
      trials: [
        { treatmentId: "text", result: complete },
        { treatmentId: "jsonb", result: { ...exampleTrial(0, 2, 10), status: "partial", reason: "stopped" } },
      ],
      merged: new Map([["text", mergedResult(windowSummary(), [complete], settings)]]),
      environment: { versions: {}, settings: {}, machine: {} },
      verdict: { ...EXAMPLE_VERDICT, status: "aborted", reasons: ["stopped by SIGINT"] },
    });
    expect(ResultDocument.parse(document)).toEqual(document);
    expect(document.treatments.map(({ id, trials }) => [id, trials.map((trial) => trial.number)])).toEqual([
      ["jsonb", [2]],
      ["text", [1]],
    ]);
    expect(document.treatments[0]?.merged).toBeNull();
    expect(document.treatments[1]?.merged).toMatchObject({
      trials: 1,
      windowSeconds: 2,
      operations: {
        add: { transactions: 1, eventsPerSecond: 2, clients: 3, threads: 1 },
        process: { transactions: 0, responseTimeMs: null, clients: 8, threads: 2 },
      },
    });
    expect(document.scenario).toMatchObject({ seed: 1, trials: 2 });
  });
});

describe("operations of a treatment", () => {
  it("follow from its roles", () => {
    expect(operationsOf(settings)).toEqual(["add", "process"]);
    expect(operationsOf({ ...settings, actors: { cycle: group(4, 2) } })).toEqual([
      "add",
      "process",
      "archive",
      "__cycle__",
    ]);
  });

  it.each([
    ["documents", "mix: { insert: 2, slice: 0 }", ["insert"]],
    ["connections", "weights: { script: 0 }", ["account"]],
  ])("leave out operations of weight 0 in workload %s with %s", (workload, mix, operations) => {
    const [treatment] = exampleExperiment(`name: x\nworkload: ${workload}\n${mix}`).treatments;
    expect(operationsOf(treatment?.settings ?? settings)).toEqual(operations);
  });

  it("carry the number of clients and threads that performed them", () => {
    const summary = windowSummary();
    expect(operationResults(summary, { ...settings, actors: { cycle: group(4, 2) } }).add).toMatchObject({
      clients: 4,
      threads: 2,
    });
  });
});

describe("integrityOf", () => {
  it("states the audit's findings and whether the queue was drained", () => {
    const counts = {
      pending: 0,
      processing: 0,
      complete: 0,
      failed: 0,
      archived: 15000,
      orphaned: 0,
      duplicated: 0,
    };
    expect(integrityOf(conservationOf(exampleFacts(15000), counts), true)).toEqual(EXAMPLE_INTEGRITY);
  });
});

describe("the JSON Schema of results", () => {
  it("names every top-level field and allows no others", () => {
    const schema = resultJsonSchema();
    expect(schema).toMatchObject({ type: "object", additionalProperties: false });
    expect(Object.keys(schema.properties as object)).toEqual([
      "version",
      "scenario",
      "workload",
      "environment",
      "verdict",
      "stopping",
      "thresholds",
      "published",
      "treatments",
      "comparisons",
      "effects",
      "interactions",
      "sweeps",
      "outlyingTrials",
      "capacity",
      "diagnosis",
      "faults",
    ]);
  });
});
