import { workloadOf } from "../../workloads/registry.js";
import { describe, expect, it } from "vitest";
import { DatabaseEvidence } from "../../results/result-schema.js";
import { DATABASE_EVIDENCE, evidenceMetricOf } from "../../workloads/evidence.js";
import { POSTGRES_SAMPLER } from "../../database/postgres/evidence/postgres-views.js";
import { STATISTICS_BEGAN } from "../../database/evidence.js";
import { waitsOf } from "./evidence-database.js";
import { perEventOf } from "./evidence-per-event.js";
import { windowFigures } from "./window-figures.js";
import { WindowSums } from "./window-sums.js";

function windowOf(first: Record<string, number>, ...samples: Record<string, number>[]): WindowSums {
  const sums = new WindowSums();
  sums.open(first, 0);
  samples.forEach((sample, i) => sums.sample(sample, (i + 1) * 1000));
  sums.close(samples.at(-1) ?? first);
  return sums;
}

const operation = (events: number) => ({ events, transactions: 1 });

const figuresIn = (window: WindowSums): object => windowFigures(window, DATABASE_EVIDENCE);

describe("windowFigures", () => {
  it("states totals, means, maxima and final sizes of metrics that were read", () => {
    const window = windowOf(
      { "tuples.updated": 10, "tuples.hotUpdated": 0, "size.tableBytes": 100, "wal.bytes": 5 },
      { "locks.blocked": 1, "locks.longestChain": 1, "tuples.updated": 14 },
      {
        "locks.blocked": 3,
        "locks.longestChain": 3,
        "tuples.updated": 20,
        "tuples.hotUpdated": 4,
        "size.tableBytes": 300,
      },
    );
    const summary = figuresIn(window);
    expect(summary).toEqual({
      rowsUpdated: 10,
      rowsHotUpdated: 4,
      hotRatio: 0.4,
      blocked: { mean: 2, max: 3 },
      longestChain: 3,
      tableBytes: 300,
    });
    expect(DatabaseEvidence.parse(summary)).toEqual(summary);
  });

  it("states the growth of a GIN pending list if it was read at both ends", () => {
    const pages = (...counts: number[]): Record<string, number>[] =>
      counts.map((count) => ({ "gin.pendingPages": count }));
    const grown = figuresIn(windowOf({ "gin.pendingPages": 40 }, ...pages(900, 700)));
    expect(grown).toEqual({ ginPendingPages: 900, ginPendingGrowthPages: 660 });
    const shrunk = figuresIn(windowOf({ "gin.pendingPages": 40 }, ...pages(30, 5)));
    expect(shrunk).toEqual({ ginPendingPages: 30, ginPendingGrowthPages: -35 });
    expect(DatabaseEvidence.parse(shrunk)).toEqual(shrunk);
    expect(figuresIn(windowOf({}, ...pages(9)))).toEqual({ ginPendingPages: 9 });
  });

  it("has no HOT ratio without updates", () => {
    const counts = { "tuples.updated": 1, "tuples.hotUpdated": 1 };
    expect(figuresIn(windowOf(counts, counts))).toEqual({
      rowsUpdated: 0,
      rowsHotUpdated: 0,
    });
  });
});

describe("waitsOf", () => {
  it("states each wait's share of the samples of active sessions", () => {
    const window = windowOf(
      {},
      { "sessions.active": 4, "wait.CPU": 1, "wait.Lock:tuple": 3 },
      { "queue.pending": 1 }, // a second in which the sessions were not read
      { "sessions.active": 0 },
    );
    expect(waitsOf(window)).toEqual([
      { event: "Lock:tuple", share: 0.75, sessions: 1.5 },
      { event: "CPU", share: 0.25, sessions: 0.5 },
    ]);
  });
});

const workload = workloadOf({});

describe("perEventOf", () => {
  const grown = windowOf(
    {
      "size.tableBytes": 100,
      "size.indexBytes": 90,
      "wal.bytes": 7,
      "tuples.updated": 5,
      "tuples.deleted": 0,
      "host.serverCpuMs": 100,
      "host.clientCpuMs": 3,
    },
    {
      "size.tableBytes": 300,
      "size.indexBytes": 50,
      "wal.bytes": 1007,
      "tuples.updated": 35,
      "tuples.deleted": 10,
      "host.serverCpuMs": 600,
      "host.clientCpuMs": 9,
    },
  );

  it("divides by published events, or by processed events without a producer", () => {
    const operations = { add: operation(20), process: operation(50) };
    expect(perEventOf({}, grown, { workload, operations, clientCpuSeconds: 0.1 })).toEqual({
      events: 20,
      walBytes: 50,
      tableBytes: 10,
      indexBytes: -2,
      deadTuples: 2,
      serverCpuMs: 25,
      clientCpuMs: 5,
    });
    const processed = { workload, operations: { process: operation(50) }, clientCpuSeconds: undefined };
    const cost = perEventOf({}, grown, processed);
    expect(cost).toMatchObject({ events: 50, walBytes: 20 });
    expect(cost).not.toHaveProperty("clientCpuMs");
  });

  it("divides by all transactions if the workload has no flow of events", () => {
    const done = {
      workload: workloadOf({ workload: "accounts" }),
      operations: { transfer: { events: 7, transactions: 20 }, look: { events: 30, transactions: 30 } },
      clientCpuSeconds: 0.1,
    };
    expect(perEventOf({}, grown, done)).toMatchObject({ events: 50, walBytes: 20, clientCpuMs: 2 });
  });

  it("is undefined without events", () => {
    expect(perEventOf({}, grown, { workload, operations: {}, clientCpuSeconds: 1 })).toBeUndefined();
  });

  it("counts dirtied buffers only if every statement reports dirtied buffers", () => {
    const one = { name: "a", query: "", calls: 1, rows: 1, totalMs: 1 };
    const done = { workload, operations: { add: operation(10) }, clientCpuSeconds: undefined };
    const known = [
      { ...one, blocksDirtied: 30 },
      { ...one, blocksDirtied: 10 },
    ];
    expect(perEventOf({ statements: known }, grown, done)?.buffersDirtied).toBe(4);
    expect(perEventOf({ statements: [...known, one] }, grown, done)).not.toHaveProperty("buffersDirtied");
  });
});

describe("views of the database sampler", () => {
  it("yield known metrics and the start of the statistics", () => {
    const given = POSTGRES_SAMPLER.groups
      .flatMap(({ views }) => views)
      .flatMap(({ metricNames }) => metricNames);
    const unknown = given.filter((metric) => evidenceMetricOf(metric) === undefined);
    expect(unknown).toEqual([STATISTICS_BEGAN]);
  });
});
