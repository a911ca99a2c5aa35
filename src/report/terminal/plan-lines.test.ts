import { expect, it } from "vitest";
import { exampleLatency, exampleResult } from "../../../test/support/example-result.js";
import { plainMarks } from "../../foundation/text/text-table.js";
import type { ResultDocument } from "../../results/result-schema.js";
import { renderNumbers } from "../html/sections/numbers.js";
import { keyFindings } from "../findings/key-findings.js";
import { PLANS_TITLE } from "../findings/notes.js";
import { renderPlans } from "./summary.js";
import { renderScreen } from "./screen.js";
import { renderSummary } from "./summary.js";

const FLIP = "Plan flip: add.events of text: Index Scan b in trials 2, 4; Seq Scan a in trial 6.";

/** A result in which the last trial of text has another plan, if asked for. */
function example(isFlipped: boolean): ResultDocument {
  const result = exampleResult(3);
  for (const { id, trials } of result.treatments)
    for (const trial of trials) {
      const isOther = isFlipped && id === "text" && trial.block === 2;
      const plan = isOther ? "Seq Scan a > Update events" : "Index Scan b > Update events";
      trial.plans = [{ statement: "add.events", hash: isOther ? "2" : "1", plan }];
      if (isOther) Object.assign(trial.operations.add ?? {}, { responseTimeMs: exampleLatency(900) });
    }
  return result;
}

it("plans are listed with their trials, and a flip is in summary, screen and report", () => {
  const result = example(true);
  expect(renderPlans(result, plainMarks)).toEqual([
    PLANS_TITLE,
    "add.events, jsonb, text (trials 2, 4): Index Scan b > Update events",
    "add.events, text (trial 6): Seq Scan a > Update events",
    "",
  ]);
  const summary = renderSummary(result, { directory: "d" });
  expect(summary).toContain(PLANS_TITLE);
  for (const text of [summary, renderScreen(result, { directory: "d" })])
    expect(text.replaceAll(/\n +/g, " ")).toContain(FLIP);
  expect(keyFindings(result).find(({ text }) => text.startsWith(FLIP))?.tone).toBe("warn");
  const { markup } = renderNumbers(result);
  expect(markup).toContain(PLANS_TITLE);
  expect(markup).toContain("Seq Scan a &gt; Update events");
  expect(markup).toContain("plans[add.events].plan");
});

it("plans without a flip yield no caveat, and a result without plans has no list", () => {
  const summary = renderSummary(example(false), { directory: "d" });
  expect(summary).toContain("add.events, all trials: Index Scan b > Update events");
  expect(summary).not.toContain("Plan flip");
  expect(renderPlans(exampleResult(3), plainMarks)).toEqual([]);
  expect(renderNumbers(exampleResult(3)).markup).not.toContain(PLANS_TITLE);
});
