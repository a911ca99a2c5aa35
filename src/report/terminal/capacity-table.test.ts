import { expect, it } from "vitest";
import type { Capacity } from "../../results/capacity-schema.js";
import { parseResult } from "../../results/reader.js";
import { exampleResult } from "../../../test/support/example-result.js";
import { withAnalysis } from "../../analysis/comparison/analysis.js";
import { renderSummary } from "./summary.js";

const CAPACITY: Capacity = {
  treatment: "text",
  metric: "add",
  expression: "p(99)<50",
  operation: "add",
  clients: 8,
  ratePerSecond: 423,
  outcome: "found",
  failsAtPerSecond: 445,
  confirmations: 3,
  probes: [
    {
      trial: 1,
      purpose: "bracket",
      ratePerSecond: 800,
      offeredPerSecond: 803,
      achievedPerSecond: 512,
      dropped: 1455,
      seen: 2801,
      p99Ms: 2801,
      held: false,
      reason: "p(99)<50 was 2800; 1463 of 4015 arrivals were not done in the window",
      doubts: [{ check: "event-loop-delay", words: "the event loop of a worker was 80 ms late" }],
    },
    {
      trial: 2,
      purpose: "confirm",
      ratePerSecond: 423,
      offeredPerSecond: 420,
      achievedPerSecond: 419.8,
      dropped: 0,
      seen: 31.2,
      p99Ms: 31.2,
      held: true,
    },
  ],
};

function summaryOf(capacity: Capacity): string {
  const result = { ...exampleResult(3), capacity: [capacity] };
  expect(parseResult("result.json", result).capacity).toEqual([capacity]);
  return renderSummary(result, { directory: "results/x" });
}

it("the capacity table has the rate, each probe and doubts about probes", () => {
  const lines = summaryOf(CAPACITY).split("\n");
  const start = lines.findIndex((line) => line.startsWith("text: add") && !line.endsWith("."));
  expect(lines.slice(start, start + 6)).toEqual([
    "text: add: p(99)<50 holds up to 423 arrivals/s (repeated 3 times), not at 445/s, with at most 8 clients at work",
    "trial  probe    asked/s  offered/s  done/s  p99(ms)  held",
    "-----  -------  -------  ---------  ------  -------  --------------------------------------------------------",
    "    1  bracket      800        803     512     2801  no: p(99)<50 was 2800; 1463 of…re not done in the window",
    "    2  confirm      423        420     420     31.2  yes",
    "in doubt, 1 of 2 probes: the event loop of a worker was 80 ms late",
  ]);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
});

it("the capacity table has the interval, discarded probes and a width that exceeds the precision", () => {
  const [first, second] = CAPACITY.probes;
  if (!first || !second) throw new Error("there are two probes");
  const noisy: Capacity = {
    ...CAPACITY,
    ciLow: 401.2,
    ciHigh: 461.4,
    resolution: 0.15,
    windowSeconds: 2,
    probes: [
      { ...first, discarded: true },
      second,
      { ...second, trial: 3, held: false, reason: "p(99)<50 was 80" },
    ],
  };
  const text = summaryOf(noisy).replaceAll("\n", " ");
  expect(text).toContain("up to 423 arrivals/s (95 % CI [401, 461], held 3 of 4 repetitions), not at 445/s");
  expect(text).toMatch(/ 1 +bracket .* discarded/);
  expect(text).toContain("Trial 1 is discarded: the first probe meets a cold server.");
  expect(text).toContain(
    "The interval is 15 % wide, the search aims at 5 %: probes near the capacity disagree.",
  );
  expect(text).not.toContain("in doubt");
});

it.each([
  [
    { drift: { firstPerSecond: 120.04, lastPerSecond: 80 } },
    "text: inconclusive for add: p(99)<50: the capacity fell from 120 to 80 arrivals/s during the search, with at most 8 clients at work",
    "Find the cause (another load, a growing table, a hot processor), then search again.",
  ],
  [
    {},
    "text: inconclusive for add: p(99)<50: 2 probes contradict each other, with at most 8 clients at work",
    "Use more trials or a longer trial.duration.",
  ],
])("the capacity table states why a search is inconclusive, with a remedy (%j)", (drift, answer, remedy) => {
  const { probes } = CAPACITY;
  const recovered = probes.map((probe) => ({ ...probe, purpose: "recover" as const }));
  const text = summaryOf({
    ...CAPACITY,
    outcome: "inconclusive",
    ratePerSecond: null,
    confirmations: 0,
    probes: recovered,
    ...drift,
  }).replaceAll("\n", " ");
  expect(text).toContain(answer);
  expect(text).toContain(`2 recover probes do not count: each follows an overload, 1 failed. ${remedy}`);
});

it("a result with capacities has no comparison between treatments", () => {
  const searched = withAnalysis({ ...exampleResult(8), capacity: [CAPACITY] });
  expect(searched).toMatchObject({ comparisons: [], effects: [], interactions: [], sweeps: [] });
  expect(searched.treatments.every(({ summary = [] }) => summary.length > 0)).toBe(true);
  const text = renderSummary(searched, { directory: "results/x" });
  expect(text).toMatch(/^text +27 \[21, 33\] +/m);
  expect(text).not.toContain("ratio to");
  expect(text.replaceAll("\n", " ")).toContain("compare the rates, not what was measured at them.");
  expect(withAnalysis(exampleResult(8)).comparisons).not.toEqual([]);
});

it("the capacity table states that the search found no rate or was stopped", () => {
  const none = { ...CAPACITY, ratePerSecond: null, outcome: "none" as const };
  expect(summaryOf(none)).toContain("text: no rate was found at which add: p(99)<50 holds");
  expect(summaryOf({ ...none, outcome: "stopped" })).toContain(
    "stopped after 2 probes: no rate is confirmed",
  );
});
