// Published figures compared with known trials: values, ratios, and when direction and size agree.
import { describe, expect, it, test } from "vitest";
import { exampleResult } from "../../../test/support/example-result.js";
import { PublishedResult, type ResultDocument } from "../../results/result-schema.js";
import { renderScreen } from "../../report/terminal/screen.js";
import { renderSummary } from "../../report/terminal/summary.js";
import type { PublishedFigure } from "../../scenario/judgement.js";
import { summaryOf } from "../comparison/analysis.js";
import { TrialValues } from "../thresholds/quantities.js";
import type { MeasuredTrials } from "../thresholds/ratio-thresholds.js";
import { comparePublished, directionAgreement, sizeAgreement } from "./published.js";

const quantity = { source: "add", aggregate: "avg" };

function figure(treatment: string | undefined, value: number, source = "a blog"): PublishedFigure {
  return { source, metric: "add avg", quantity, value, treatment };
}

/** Trials in which jsonb takes 10 + b ms to add in block b, and text twice that, slightly more in later blocks. */
function measureTrials(blocks: number): MeasuredTrials {
  const { treatments } = exampleResult(blocks);
  const values = new TrialValues([quantity]);
  for (const { id, trials } of treatments)
    for (const { block } of trials)
      values.add(id, block, () => (10 + block) * (id === "text" ? 2 + block / 100 : 1));
  return { values, treatments, seed: 42, level: 0.05 };
}

describe("a published figure", () => {
  it("is compared with the measured median, and with the ratio to the first figure of its source and metric", () => {
    const compared = comparePublished(
      [figure("jsonb", 100), figure("text", 204), figure("text", 30, "another blog"), figure(undefined, 7)],
      measureTrials(5),
    );
    compared.forEach((each) => PublishedResult.parse(each));
    expect(compared).toMatchObject([
      { treatment: "jsonb", value: 100, ours: { trials: 5, median: 12 } },
      {
        treatment: "text",
        value: 204,
        ours: { trials: 5, median: 12 * 2.02 },
        ratio: { against: "jsonb", published: 2.04, direction: "agrees", size: "agrees" },
      },
      { source: "another blog", treatment: "text" },
    ]);
    expect(compared[1]?.ratio?.ours?.ratio).toBeCloseTo(2.02, 10);
    expect(compared.map(({ ratio }) => ratio !== undefined)).toEqual([false, true, false]);
  });

  it("is compared with the treatment that it names, and needs no values if a ratio was published", () => {
    const quantityOf = { quantity, metric: "add avg", source: "a blog" };
    const compared = comparePublished(
      [
        figure("jsonb", 100),
        { ...figure("text", 204), against: "text" },
        { ...figure("jsonb", 51), against: "text", source: "another blog" },
        figure("text", 102, "another blog"),
        { ...quantityOf, treatment: "text", against: "jsonb", ratio: [1.4, 1.9] },
      ],
      measureTrials(5),
    );
    compared.forEach((each) => PublishedResult.parse(each));
    expect(compared.map(({ ratio }) => ratio?.against)).toEqual([
      undefined,
      undefined,
      "text",
      "jsonb",
      "jsonb",
    ]);
    expect(compared[2]?.ratio).toMatchObject({ published: 0.5, direction: "agrees", size: "agrees" });
    expect(compared[4]).toMatchObject({
      ours: { trials: 5, median: 12 * 2.02 },
      ratio: { published: 1.4, publishedHigh: 1.9, direction: "agrees", size: "agrees" },
    });
    expect(compared[4]).not.toHaveProperty("value");
  });

  it("is compared with the interval of the treatment's summary", () => {
    const { treatments } = exampleResult(16);
    const [jsonb] = treatments;
    for (const { block, operations } of jsonb?.trials ?? [])
      Object.assign(operations.add?.responseTimeMs ?? {}, { mean: 10 + ((block * 7) % 16) ** 1.7 });
    const values = new TrialValues([quantity]);
    for (const { block, operations } of jsonb?.trials ?? [])
      values.add("jsonb", block, () => operations.add?.responseTimeMs?.mean);
    const [compared] = comparePublished([figure("jsonb", 1)], { values, treatments, seed: 42, level: 0.05 });
    const [mean] = jsonb ? summaryOf(jsonb, 42) : [];
    const { median, ciLow, ciHigh } = mean ?? expect.fail("no summary");
    expect(compared?.ours).toEqual({ trials: 16, median, ciLow, ciHigh });
  });

  it("has inconclusive agreement with too few trials, and no ratio to 0", () => {
    const few = comparePublished([figure("jsonb", 100), figure("text", 200)], measureTrials(4));
    expect(few[1]).toMatchObject({
      ours: { trials: 4, ciLow: null },
      ratio: { ours: { blocks: 4, ciLow: null }, direction: "inconclusive", size: "inconclusive" },
    });
    const [, none] = comparePublished([figure("jsonb", 0), figure("text", 200)], measureTrials(5));
    expect(none?.ratio).toBeUndefined();
    const unmeasured = { ...measureTrials(5), values: new TrialValues([]) };
    expect(comparePublished([figure("jsonb", 100), figure("text", 200)], unmeasured)[1]).toMatchObject({
      ours: null,
      ratio: { published: 2, ours: null, direction: "inconclusive", size: "inconclusive" },
    });
  });
});

const ours = (ciLow: number, ratio: number, ciHigh: number) => ({ blocks: 5, ratio, ciLow, ciHigh });

test.each([
  [2, ours(1.1, 1.5, 1.9), "agrees", "differs"],
  [1.7, ours(1.1, 1.5, 1.9), "agrees", "agrees"],
  [1.64, ours(1.49, 1.5, 1.51), "agrees", "agrees"],
  [1.66, ours(1.49, 1.5, 1.51), "agrees", "differs"],
  [1.36, ours(1.49, 1.5, 1.51), "agrees", "differs"],
  [0.5, ours(1.1, 1.5, 1.9), "differs", "differs"],
  [0.5, ours(0.4, 0.45, 0.48), "agrees", "differs"],
  [1.2, ours(0.9, 1.05, 1.3), "inconclusive", "agrees"],
  [1, ours(0.98, 1.01, 1.02), "inconclusive", "agrees"],
  [1, ours(1.1, 1.5, 1.9), "differs", "differs"],
])("published ratio %d against measured %o: direction %s, size %s", (published, own, direction, size) => {
  const range = [published, published] as const;
  expect([directionAgreement(range, own), sizeAgreement(range, own)]).toEqual([direction, size]);
});

test.each([
  [[0.1, 0.6], ours(0.5, 0.55, 0.58), "agrees", "agrees"],
  [[0.1, 0.6], ours(0.7, 0.75, 0.78), "agrees", "differs"],
  [[0.1, 0.6], ours(0.61, 0.63, 0.66), "agrees", "agrees"],
  [[0.1, 0.6], ours(1.1, 1.2, 1.3), "differs", "differs"],
  [[0.9, 1.2], ours(1.1, 1.15, 1.3), "inconclusive", "agrees"],
  [[1, 1.5], ours(1.1, 1.15, 1.3), "inconclusive", "agrees"],
  [[1, 1.5], ours(0.7, 0.8, 0.9), "differs", "differs"],
  [[0.1, 0.6], ours(0.9, 1.05, 1.3), "inconclusive", "differs"],
] as const)(
  "published range %o against measured %o: direction %s, size %s",
  (range, own, direction, size) => {
    expect([directionAgreement(range, own), sizeAgreement(range, own)]).toEqual([direction, size]);
  },
);

describe("published figures in the summary", () => {
  const published = comparePublished([figure("jsonb", 100), figure("text", 204)], measureTrials(5));
  const result: ResultDocument = { ...exampleResult(5), published };

  it("are a sentence and a table", () => {
    const text = renderSummary(result, { directory: "x" });
    expect(text).toContain("- Published (a blog), 1 ratio: direction agrees in 1; size agrees in 1.\n");
    expect(text).toMatch(
      /^Published \(a blog\): add avg\ntreatment +published +ours +ratio +our ratio +direction +size\n/m,
    );
    expect(text).toMatch(/^text +204 +24\.2 \[\S+ \S+\] +2\.04x +2\.02x \[2\.00, 2\.04\] +agrees +agrees$/m);
  });

  it("name both treatments in the row of a ratio that does not refer to the first row", () => {
    const ratios = comparePublished(
      [
        {
          source: "a blog",
          metric: "add avg",
          quantity,
          treatment: "text",
          against: "jsonb",
          ratio: [1.4, 1.9],
        },
      ],
      measureTrials(5),
    );
    expect(renderSummary({ ...result, published: ratios }, { directory: "x" })).toMatch(
      /^text \/ jsonb +- +24\.2 \[\S+ \S+\] +1\.40x\.\.1\.90x +2\.02x \[2\.00, 2\.04\] +agrees +agrees$/m,
    );
  });

  it("leave the summary within 41 lines, however many there are", () => {
    const sources = Array.from({ length: 50 }, (_, i) => `blog ${i}`);
    const many = sources.flatMap((source) => published.map((each) => ({ ...each, source })));
    const screen = renderScreen({ ...result, published: many }, { directory: "x" });
    expect(screen.split("\n").length).toBeLessThanOrEqual(41);
    expect(screen).toContain("Published (blog 0)");
  });
});
