import { describe, expect, it } from "vitest";
import type { PoolerEvidence, TreatmentResult } from "../../results/result-schema.js";
import { exampleLatency, exampleOperation, exampleTrial } from "../../../test/support/example-result.js";
import { lifecycleNotes, poolerNotes } from "./lifecycle-notes.js";
import type { TreatmentFigures } from "./figures.js";

const NO_END = { completedMs: null, archivedMs: null };

function figuresWith(lifecycle: TreatmentFigures["lifecycle"], beginMs?: number): TreatmentFigures {
  const parts = beginMs === undefined ? [] : [{ name: "begin", meanMs: beginMs, calls: 1 }];
  const add = { ...exampleOperation(20), parts };
  const process = {
    ...exampleOperation(40),
    transactions: 900,
    parts: parts.map((part) => ({ ...part, meanMs: 14 })),
  };
  return { windowSeconds: 30, operations: { add, process }, lifecycle };
}

const POOLER: PoolerEvidence = {
  clientsWaiting: { mean: 14.2, max: 15 },
  maxWaitMs: 80,
  serversActive: { mean: 2, max: 2 },
  serversMax: 2,
  transactions: 1000,
  waitMsPerTransaction: 10,
  queryMsPerTransaction: 3,
};

function treatmentWith(...poolers: (PoolerEvidence | undefined)[]): TreatmentResult {
  const trials = poolers.map((pooler, index) => ({
    ...exampleTrial(index, index + 1, 10),
    database: pooler ? { pooler } : {},
  }));
  return { id: "a", levels: {}, trials, merged: null };
}

const textOf = (notes: { text: string }[]): string | undefined => notes[0]?.text;

describe("the lifecycle note", () => {
  it("has time spans, passes per event and drain time in one line", () => {
    const lifecycle = {
      completedMs: exampleLatency(100),
      archivedMs: exampleLatency(2000),
      passesPerEvent: 3.016,
      drainSeconds: 1.25,
    };
    expect(textOf(lifecycleNotes(figuresWith(lifecycle)))).toBe(
      "lifecycle: published to completed 90 ms (p50), 300 ms (p99); " +
        "published to archived 1800 ms (p50), 6000 ms (p99); 3.02 passes per event; queue drained in 1.3 s",
    );
  });

  it("is absent if nothing was measured", () => {
    expect(lifecycleNotes(figuresWith(NO_END))).toEqual([]);
  });
});

describe("the note on waits inside PgBouncer", () => {
  it("has the mean wait weighted by transactions, and the call in which clients see the wait", () => {
    const busier = { ...POOLER, transactions: 3000, waitMsPerTransaction: 14 };
    const text = textOf(poolerNotes(treatmentWith(POOLER, busier, undefined), figuresWith(NO_END, 10)));
    expect(text).toBe(
      "PgBouncer reports a mean wait of 13 ms for a server connection (all transactions, empty polls included). " +
        "Clients see it in begin, which took 13 ms; 14.2 clients waited on average, 15 at most, for 2 server connections",
    );
  });

  it("names the first statement if transactions have no BEGIN", () => {
    const text = textOf(poolerNotes(treatmentWith(POOLER), figuresWith(NO_END)));
    expect(text).toContain("Clients see it in the first statement of each transaction");
  });

  it("names the first statement if the pooler answers BEGIN itself", () => {
    const odyssey = { ...POOLER, product: "Odyssey" };
    const text = textOf(poolerNotes(treatmentWith(odyssey), figuresWith(NO_END, 10)));
    expect(text).toContain("Clients see it in the first statement of each transaction");
  });

  it("is absent without a pooler", () => {
    expect(poolerNotes(treatmentWith(undefined), figuresWith(NO_END))).toEqual([]);
  });
});
