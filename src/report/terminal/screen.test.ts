import { describe, expect, it } from "vitest";
import type { ResultDocument } from "../../results/result-schema.js";
import {
  EXAMPLE_INTEGRITY,
  exampleOperation,
  exampleResult,
  exampleDisturbance,
  EXAMPLE_VERDICT,
} from "../../../test/support/example-result.js";
import { withAnalysis } from "../../analysis/comparison/analysis.js";
import { renderScreen } from "./screen.js";

function linesOf(result: ResultDocument): string[] {
  const text = renderScreen(withAnalysis(result), { directory: "results/x" });
  expect(text.endsWith("\n")).toBe(true);
  return text.slice(0, -1).split("\n");
}

/** Three treatments and three operations, of which the second and third treatment are slower. */
function large(trials = 8): ResultDocument {
  const result = exampleResult(trials, 3);
  const [first, second] = result.treatments;
  if (!first || !second) throw new Error("the example has two treatments");
  const third = structuredClone({ ...second, id: "a-payload-with-a-long-name" });
  result.treatments.push(third);
  for (const [i, { trials: own, merged }] of result.treatments.entries()) {
    for (const trial of own) {
      trial.number = trial.block * 3 + i + 1;
      trial.operations.archive = exampleOperation((10 + trial.block) * (1 + i));
    }
    if (merged) merged.operations.archive = exampleOperation(11 * (1 + i), trials);
  }
  return result;
}

describe("the screen", () => {
  it("begins with the most important finding and has one table", () => {
    const lines = linesOf(exampleResult(8));
    expect(lines[0]).toMatch(
      /^Mean response time of process is 2\.00 times as long with text as with jsonb \(2\.00x, 95 % CI \[2\.00, 2\.00\]\); p99 2\.00x/,
    );
    expect(lines.filter((line) => line.startsWith("Verdict: "))).toEqual([
      expect.stringMatching(/^Verdict: ok, 16 of 16 trials complete\. No event was lost or duplicated/),
    ]);
    const start = lines.findIndex((line) => line.startsWith("operation"));
    expect(lines.slice(start, start + 6)).toEqual([
      "operation  treatment        events/s               p50(ms)               p99(ms)     failed",
      "---------  ---------  -----------------  --------------------  --------------------  ------",
      "add        jsonb      500 [500, 500]     12.2 [9.44, 14.8]     40.5 [31.5, 49.5]          0",
      "add        text       500 [500, 500] ~   24.3 [19.7, 28.8] +       81 [65.7, 96] *        0",
      "process    jsonb      500 [500, 500]     24.3 [19.7, 28.8]         81 [65.7, 96]          0",
      "process    text       500 [500, 500] ~   48.6 [39.4, 59.4] +      162 [131, 196] *        0",
    ]);
    expect(lines.at(-1)).toBe("Details: summary.txt, charts: report.html, in results/x");
  });

  it("has at most 40 lines of 120 columns with many failures, and keeps each alarm", () => {
    const result = large();
    const long =
      "a reason that goes on and on, as reasons of such a kind do, until it needs a second line on any terminal that has so few columns";
    result.verdict = exampleDisturbance(...Array.from({ length: 9 }, (_, i) => `trial ${i}: ${long}`));
    result.thresholds = Array.from({ length: 12 }, (_, i) => {
      return { metric: "add", expression: `p(99)<${i}`, treatment: "text", seen: 90, ok: false };
    });
    const trial = result.treatments[0]?.trials[0];
    if (!trial) throw new Error("the example has trials");
    const violations = ["3 of 15000 acknowledged events are in no table"];
    const named = [{ kind: "lost" as const, id: "key-1", words: "it is gone\u001b[31m" }];
    trial.integrity = { ...EXAMPLE_INTEGRITY, verdict: "violated", lost: 3, violations, named };
    result.diagnosis = Array.from({ length: 9 }, (_, i) => ({ kind: "lint", rule: `r${i}`, words: long }));
    const lines = linesOf(result);
    const alarms = lines.join("\n");
    for (const words of [
      "TIMINGS NOT VALID: ",
      "Integrity is violated in trial 1",
      "- lost key-1: it is gone",
      "Thresholds: 12 of 12 FAILED.",
    ])
      expect(alarms).toContain(words);
    expect(lines.filter((line) => /^- and \d+ more in summary\.txt$/.test(line)).length).toBeGreaterThan(2);
    expect(lines.length).toBeLessThanOrEqual(40);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(120);
    expect(alarms).not.toContain("\u001b");
  });

  it("has at most 40 lines without failures", () => {
    expect(linesOf(large()).length).toBeLessThanOrEqual(40);
  });

  it("begins with the number of inconclusive comparisons if trials are few", () => {
    expect(linesOf(exampleResult(3))[0]).toMatch(
      /^Of 8 comparisons \(mean, p99, events\/s\), 8 are inconclusive: 3 trials of each treatment;/,
    );
    expect(linesOf(exampleResult(3)).join("\n")).toMatch(/^add +text +500 500\.\.500 +19\.8 18\.\.21\.6/m);
  });

  it("states rates if there is one treatment, and that nothing was measured without trials", () => {
    const sole = exampleResult(5);
    sole.treatments.length = 1;
    expect(linesOf(sole)[0]).toBe("add: 500 events/s, response time 9.9 ms (p50), 33 ms (p99).");
    const none = exampleResult(1);
    none.verdict = { ...EXAMPLE_VERDICT, status: "aborted", reasons: ["stopped by SIGINT"] };
    for (const treatment of none.treatments) {
      treatment.merged = null;
      treatment.trials = [];
    }
    expect(linesOf(none)).toEqual([
      "ABORTED: these results are partial.",
      "- stopped by SIGINT",
      "Nothing is compared: 0 complete trials of each treatment.",
      "Verdict: aborted, 0 of 2 trials complete.",
      "",
      "Nothing was measured.",
      "",
      "Details: summary.txt, charts: report.html, in results/x",
    ]);
  });

  it("states recovery times after faults", () => {
    const result = exampleResult(5);
    const fault = {
      trial: 1,
      treatment: "text",
      kind: "postgres-kill" as const,
      atSeconds: 5,
      forSeconds: 1,
      words: "",
      errors: { "57P01": 4 },
    };
    const times = { injectedAtSeconds: 5, clearedAtSeconds: 6 };
    result.faults = [2, 3.5].map((recoverySeconds) => ({ ...fault, ...times, recoverySeconds }));
    expect(linesOf(result).join("\n")).toContain(
      "- postgres-kill (text): throughput was back to 90 % after 2.0 to 3.5 s in 2 of 2 faults; 8 failed attempts.",
    );
  });
});
