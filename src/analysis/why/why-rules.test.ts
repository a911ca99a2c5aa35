import { describe, expect, it } from "vitest";
import type { TrialResult } from "../../results/result-schema.js";
import { exampleResult } from "../../../test/support/example-result.js";
import {
  becauseOf,
  comparedBy,
  highOf,
  isOf,
  lowOf,
  putOf,
  RULES,
} from "../../../test/support/moving-evidence.js";
import { whyRules, type WhyRule } from "./why-rules.js";
import { workloadOf } from "../../workloads/registry.js";

const named = RULES.map((rule) => [`${rule.words} [${rule.worse}]`, rule] as const);

/** Sentences if text is worse, then if it is better, from the value in each block on the worse side and on the better. */
function explanation(rule: WhyRule, worse: (block: number) => number, better: (block: number) => number) {
  return [true, false].map((isWorse) => {
    const put = (trial: TrialResult, isText: boolean, block: number): void =>
      putOf(rule)(trial, (isText === isWorse ? worse : better)(block));
    return becauseOf(comparedBy(rule), put, { isWorse }).filter((sentence) => isOf(rule, sentence));
  });
}

describe.each(named)("evidence: %s", (_, rule) => {
  const [more, less] = [highOf(rule), lowOf(rule)];
  const wobblingValues = (value: number) => (block: number) => value * (1 + block / 50);
  const [worse, better] = rule.worse === "more" ? [more, less] : [less, more];

  it("is stated for a slower and for a faster treatment, with both values", () => {
    const [slower, faster] = explanation(rule, wobblingValues(worse), wobblingValues(better));
    for (const sentences of [slower, faster]) expect(sentences).toHaveLength(1);
    const { text } = rule.unit;
    const trial = exampleResult(1).treatments[0]?.trials[0] as TrialResult;
    const statedText = (value: number): string => {
      putOf(rule)(trial, wobblingValues(value)(2));
      return text(rule.read(trial, comparedBy(rule).operation) ?? Number.NaN);
    };
    expect(slower?.[0]).toContain(statedText(worse));
    expect(slower?.[0]).toContain(`against ${statedText(better)}`);
    expect(faster?.[0]).toContain(`against ${statedText(worse)}`);
  });

  it("is not stated if it moved in the direction opposite to the difference", () => {
    expect(explanation(rule, wobblingValues(better), wobblingValues(worse))).toEqual([[], []]);
  });

  it("is not stated if trials of one treatment differ as much among themselves", () => {
    const mixedValues = (usual: number, once: number) => (block: number) => (block === 3 ? once : usual);
    expect(explanation(rule, mixedValues(worse, better), mixedValues(better, worse))).toEqual([[], []]);
  });

  it("is not stated if it differs surely, but too little to matter", () => {
    const close = less + rule.unit.floor * 0.8;
    const [a, b] = rule.worse === "more" ? [close, less] : [less, close];
    expect(
      explanation(
        rule,
        () => a,
        () => b,
      ),
    ).toEqual([[], []]);
  });
});

it("evidence of a workload without a flow of events is per transaction", () => {
  const words = whyRules([], workloadOf({ workload: "accounts" })).map((rule) => rule.words);
  expect(words.filter((each) => each.includes("per event"))).toEqual([]);
  expect(words).toContain("{who} wrote {now} of WAL per transaction against {then}");
});
