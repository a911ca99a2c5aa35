// One sentence says that the load sets the throughput, in place of ratios near 1.
import { expect, it } from "vitest";
import type { OperationResult } from "../../results/result-schema.js";
import { EXAMPLE_WORKLOAD, exampleResult } from "../../../test/support/example-result.js";
import { PAYMENTS } from "../../../test/support/payments.js";
import { withAnalysis } from "./analysis.js";
import { loadBoundSentences } from "../../report/findings/claims.js";
import { outlookText } from "../../report/findings/outlook-text.js";
import { loadBounds } from "./load-bound.js";
import { outlookOf } from "./outlook.js";

type Change = Partial<OperationResult>;

/** Eight clients with ten transactions a second of 10 ms: they are busy for an 80th of the time. */
function boundsOf(
  add: Change,
  process: Change,
  second: Change = {},
  workload = EXAMPLE_WORKLOAD,
): [string, string][] {
  const result = { ...exampleResult(5, 1), workload };
  for (const [i, { merged, trials }] of result.treatments.entries())
    for (const { operations } of [...trials, ...(merged ? [merged] : [])]) {
      Object.assign(operations.add ?? {}, add, i === 1 ? second : {});
      Object.assign(operations.process ?? {}, process);
    }
  return [...loadBounds(withAnalysis(result))];
}

it("the load bounds clients with think time, kept schedules, and operations that wait for their work", () => {
  const waiting = { emptyPolls: 300 };
  expect(boundsOf({}, waiting)).toEqual([
    ["add", "think time"],
    ["process", "the work of add"],
  ]);
  expect(boundsOf({ offered: 1000, dropped: 2 }, waiting)[0]).toEqual(["add", "the arrival rate"]);
  expect(boundsOf({ transactionsPerSecond: 700 }, waiting)).toEqual([]);
  expect(boundsOf({ offered: 1000, dropped: 200 }, waiting)).toEqual([]);
  expect(boundsOf({ offered: 1000, dropped: 0, failures: { "57P01": 80 } }, waiting)).toEqual([]);
});

it("arrivals bound an operation at the end of their way that keeps up, and think time one that does not", () => {
  const process = { verb: "processes", unit: "events", flow: "out" as const };
  const workload = { ...EXAMPLE_WORKLOAD, operations: { ...EXAMPLE_WORKLOAD.operations, process } };
  const arriving = { offered: 1000, dropped: 0, eventsPerSecond: 100 };
  const boundOf = (eventsPerSecond: number) =>
    new Map(boundsOf(arriving, { eventsPerSecond }, {}, workload)).get("process");
  expect(boundOf(97)).toBe("the work of add");
  expect(boundOf(50)).toBe("think time");
});

it("no number of trials is suggested for a throughput that the load sets", () => {
  const result = withAnalysis(exampleResult(5, 1));
  const outlooks = ["eventsPerSecond", "p99"].map((metric) => {
    const compared = result.comparisons.find((each) => each.operation === "add" && each.metric === metric);
    if (!compared) throw new Error(`the example compares ${metric} of add`);
    const exploratory = { ...compared, verdict: "exploratory" as const };
    return [outlookOf(result, exploratory)?.isSetByLoad, outlookText(result, exploratory)];
  });
  expect(outlooks).toEqual([
    [true, "the load sets it"],
    [false, expect.stringMatching(/trials of each would/)],
  ]);
});

it("the load does not bound throughput if rates differ by more than a tenth or clients of a treatment are busy", () => {
  expect(boundsOf({}, {}, { eventsPerSecond: 430 }).map(([operation]) => operation)).toEqual(["process"]);
  expect(boundsOf({}, {}, { transactionsPerSecond: 700 }).map(([operation]) => operation)).toEqual([
    "process",
  ]);
});

it("one sentence states the bounded operations with the range of ratios, and none if no operation is bounded", () => {
  const result = withAnalysis(exampleResult(5, 1));
  expect(loadBoundSentences(result, loadBounds(result))).toEqual([
    "The load limits throughput, not the database: think time limits add, process (ratios 1.00x to 1.00x). Compare response times.",
  ]);
  expect(loadBoundSentences(result, new Map())).toEqual([]);
});

it("think time bounds no operation of a role that spends its time in another operation", () => {
  const busy = { transactionsPerSecond: 300 };
  expect(boundsOf({}, busy)).toEqual([["add", "think time"]]);
  expect(boundsOf({}, busy, {}, PAYMENTS)).toEqual([]);
  expect(boundsOf({}, {}, {}, PAYMENTS)).toEqual([
    ["add", "think time"],
    ["process", "think time"],
  ]);
});

it("think time limits the throughput of every operation in the cycle of its clients", () => {
  const result = exampleResult(5, 1);
  for (const { merged, trials } of result.treatments)
    for (const each of [...trials, ...(merged ? [merged] : [])]) {
      const { add, process } = each.operations;
      if (!add || !process) throw new Error("the example has both");
      Object.assign(process, { transactionsPerSecond: 150 });
      each.operations = { add, process, archive: add, __cycle__: { ...process } };
    }
  expect([...loadBounds(withAnalysis(result)).keys()]).toEqual(["add", "process", "archive", "__cycle__"]);
});
