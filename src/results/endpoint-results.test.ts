// The split of a result by endpoint, from deltas of workers to sums over trials and regions. Its
// percentiles come from merged samples.
import { describe, expect, it } from "vitest";
import { EndpointSplit, type EndpointDelta } from "../metrics/endpoint-split.js";
import { createHistogram, recordableUs, summaryMs } from "../metrics/histograms.js";
import { Recorder } from "../metrics/recorder.js";
import { parseScenario } from "../scenario/loader.js";
import type { TreatmentSettings } from "../scenario/settings.js";
import {
  endpointResults,
  mergedEndpointSplit,
  endpointSplitOf,
  withoutHistograms,
} from "./endpoint-results.js";
import { EndpointResult, RegionResult } from "./endpoint-schema.js";
import type { ResultDocument } from "./result-schema.js";

const at = (host: string, region?: string, weight?: number) => ({
  scheme: "postgresql",
  host,
  port: 5432,
  database: "d",
  user: "u",
  password: "hunter2",
  ...(region !== undefined && { region }),
  ...(weight !== undefined && { weight }),
});
const ENDPOINTS = [at("a", "east", 2), at("b", "west"), at("::1", "east")];

function settings(more = ""): TreatmentSettings {
  const [first] = parseScenario(`name: x\nclients: 4\n${more}`, "x.yaml").treatments;
  if (!first) throw new Error("a scenario has a treatment");
  return first.settings;
}

/** Delta of a worker with these response times at each endpoint. */
function worker(
  responsesMs: readonly (readonly number[])[],
  contacts = { connects: 1, refused: 0, lost: 0 },
) {
  const split = new EndpointSplit(responsesMs.length);
  responsesMs.forEach((own, number) => own.forEach((ms) => split.transaction(number, "add", 10, ms)));
  return split.operations().map((operations): EndpointDelta => ({ ...contacts, operations }));
}

const allMs = (responsesMs: readonly number[]) => {
  const histogram = createHistogram();
  for (const ms of responsesMs) histogram.recordValue(recordableUs(ms));
  return summaryMs(histogram);
};

describe("endpointResults", () => {
  const workers = [worker([[1, 2, 3], [50], []]), worker([[400], [5, 6], [7]])];
  const results = endpointResults(ENDPOINTS, workers, settings()) ?? [];

  it("states the clients of each endpoint by its weight, without the password", () => {
    expect(
      results.map(({ endpoint, region, weight, clients }) => [endpoint, region, weight, clients]),
    ).toEqual([
      ["a:5432", "east", 2, 6],
      ["b:5432", "west", 1, 3],
      ["[::1]:5432", "east", 1, 3],
    ]);
    expect(JSON.stringify(results)).not.toContain("hunter2");
    for (const result of results) EndpointResult.parse(result);
  });

  it("merges counts and histograms of the workers", () => {
    expect(results[0]).toMatchObject({ connects: 2, refused: 0, lost: 0 });
    expect(results[0]?.operations.add).toMatchObject({
      transactions: 4,
      events: 40,
      retries: 0,
      failures: 0,
    });
    expect(results[0]?.operations.add?.responseTimeMs).toEqual(allMs([1, 2, 3, 400]));
    expect(results[2]?.operations.add?.responseTimeMs).toEqual(allMs([7]));
  });

  it("states connections instead of clients for a pg-pool", () => {
    const pool = endpointResults(ENDPOINTS, workers, settings("pool: { strategy: pg-pool, size: 8 }"));
    expect(pool?.map(({ clients, connections }) => [clients, connections])).toEqual([
      [undefined, 4],
      [undefined, 2],
      [undefined, 2],
    ]);
  });

  it("is undefined for a single endpoint without region and without deltas of workers", () => {
    expect(endpointResults([at("a")], [worker([[1]])], settings())).toBeUndefined();
    expect(endpointResults(ENDPOINTS, [], settings())).toBeUndefined();
    expect(endpointResults([at("a", "east")], [worker([[1]])], settings())).toHaveLength(1);
  });

  it("sums endpoints of a region", () => {
    const { regions = [] } = endpointSplitOf(results);
    expect(regions.map(({ region, endpoints, clients }) => [region, endpoints, clients])).toEqual([
      ["east", 2, 9],
      ["west", 1, 3],
    ]);
    expect(regions[0]?.operations.add?.responseTimeMs).toEqual(allMs([1, 2, 3, 400, 7]));
    for (const region of regions) RegionResult.parse(region);
  });

  it("merges stored trials and omits their histograms", () => {
    const second = endpointResults(ENDPOINTS, [worker([[9], [10], [11]])], settings());
    const { endpoints = [], regions = [] } = mergedEndpointSplit([
      { endpoints: results },
      { endpoints: second },
    ]);
    expect(endpoints[0]?.operations.add?.responseTimeMs).toEqual(allMs([1, 2, 3, 400, 9]));
    expect(regions[0]?.operations.add?.responseTimeMs).toEqual(allMs([1, 2, 3, 400, 7, 9, 11]));
    expect(JSON.stringify(endpoints)).not.toContain("responseHistogram");
    expect(mergedEndpointSplit([{ endpoints: results }, {}])).toEqual({});
    expect(mergedEndpointSplit([])).toEqual({});
  });

  it("replaces a port that differs between trials by a star", () => {
    const other = results.map((result, number) => ({ ...result, endpoint: `a:${number}` }));
    const { endpoints } = mergedEndpointSplit([
      { endpoints: results.slice(0, 1) },
      { endpoints: other.slice(0, 1) },
    ]);
    expect(endpoints?.[0]?.endpoint).toBe("a:* (1)");
  });

  it("omits histograms in the document for pages", () => {
    const document = { treatments: [{ trials: [{ endpoints: results }, {}] }] } as unknown as ResultDocument;
    expect(JSON.stringify(withoutHistograms(document))).not.toContain("responseHistogram");
    expect(JSON.stringify(document)).toContain("responseHistogram");
  });
});

describe("a recorder with an endpoint split", () => {
  it("splits only samples within the measurement window", () => {
    const split = new EndpointSplit(2);
    const recorder = new Recorder(["add"], split);
    recorder.setWindow(1000, 2000);
    const sample = { events: 3, serviceMs: 1, responseMs: 2, poolWaitMs: 0, endpoint: 1 };
    for (const finishedMs of [999, 1000, 1500, 2000]) recorder.transaction("add", { ...sample, finishedMs });
    for (const finishedMs of [500, 1999])
      recorder.failure("add", { finishedMs, serviceMs: 1, sqlstate: "40001", endpoint: 0 });
    for (const atMs of [1001, 2001]) recorder.retry("add", "08006", atMs, 0);
    recorder.transaction("add", { events: 1, serviceMs: 1, responseMs: 1, poolWaitMs: 0, finishedMs: 1100 });
    expect(split.operations()).toMatchObject([
      { add: { transactions: 0, events: 0, retries: 1, failures: 1 } },
      { add: { transactions: 2, events: 6, retries: 0, failures: 0 } },
    ]);
  });
});
