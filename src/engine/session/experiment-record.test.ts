import hdr from "hdr-histogram-js";
import { afterEach, expect, it, vi } from "vitest";
import { EndpointSplit } from "../../metrics/endpoint-split.js";
import { Totals } from "../../metrics/totals.js";
import { endpointResults, endpointSplitOf } from "../../results/endpoint-results.js";
import { parseScenario } from "../../scenario/loader.js";
import { EXAMPLE_VERDICT, exampleTrial } from "../../../test/support/example-result.js";
import { ExperimentRecord } from "./experiment-record.js";

const experiment = parseScenario(
  'name: a\ntrials: 4\nfactors: { payload: [text, jsonb] }\nthresholds: { add: ["p(99)<50"] }\n',
  "scenario.yaml",
);
const ENDPOINTS = ["a", "b"].map((host) => ({
  scheme: "postgresql",
  host,
  port: 5432,
  database: "d",
  user: "u",
}));
const environment = { versions: {}, settings: {}, machine: {} };

/** Adds the planned trial, which measured one transaction at each of two endpoints. */
function add(record: ExperimentRecord, number: number): void {
  const planned = experiment.trials[number - 1];
  const treatment = experiment.treatments.find(({ id }) => id === planned?.treatmentId);
  if (!planned || !treatment) throw new Error(`there is no trial ${number}`);
  const totals = new Totals(["add"]);
  const split = new EndpointSplit(2);
  for (const endpoint of [0, 1]) {
    totals.histograms.at("add.response").recordValue(1000 * number);
    split.transaction(endpoint, "add", 10, number);
  }
  const worker = split.operations().map((operations) => ({ connects: 1, refused: 0, lost: 0, operations }));
  const endpoints = endpointResults(ENDPOINTS, [worker], treatment.settings);
  record.add(
    treatment.id,
    { ...exampleTrial(planned.block, number, 10), ...endpointSplitOf(endpoints) },
    totals,
  );
}

/** Calls that the end of an experiment makes to its record. */
function conclude(record: ExperimentRecord) {
  const diagnosis = record.diagnosis(environment);
  const thresholds = record.thresholds();
  record.publishedResults();
  return record.document({ environment, verdict: EXAMPLE_VERDICT, thresholds, diagnosis });
}

afterEach(() => vi.restoreAllMocks());

it("the record merges a treatment's trials once, and again only after another trial", () => {
  const record = new ExperimentRecord(experiment);
  for (let number = 1; number <= 6; number++) add(record, number);
  const summaries = vi.spyOn(Totals.prototype, "summary");
  const merges = vi.spyOn(hdr.JsHistogram.prototype, "recordValueWithCount");
  const first = conclude(record);
  expect(summaries).toHaveBeenCalledTimes(2);
  expect(merges).toHaveBeenCalledTimes(6 * 2);
  expect(conclude(record)).toEqual(first);
  expect(summaries).toHaveBeenCalledTimes(2);
  expect(merges).toHaveBeenCalledTimes(6 * 2);
  vi.restoreAllMocks();
  add(record, 7);
  const again = vi.spyOn(Totals.prototype, "summary");
  conclude(record);
  expect(again).toHaveBeenCalledTimes(1);
  const fresh = new ExperimentRecord(experiment);
  for (let number = 1; number <= 7; number++) add(fresh, number);
  expect(conclude(record)).toEqual(conclude(fresh));
});
