// Bisections of simulated histories. Revisions that cannot be run or decided make a range, and a revision is
// named only if a fresh comparison confirms it.
import { EXAMPLE_VERDICT } from "../../../test/support/example-result.js";
import { describe, expect, it } from "vitest";
import type { Objective } from "../../scenario/judgement.js";
import { renderBisection } from "../../report/terminal/bisect-text.js";
import type { Comparison, ResultDocument } from "../../results/result-schema.js";
import { bisect, type Bisection, type BisectPlan, type Measure, type Pair } from "./bisect.js";

const objective: Objective = {
  operation: "pay",
  metric: "eventsPerSecond",
  isMaximised: true,
  words: "maximise pay.events/s",
};

/** Candidates with these rates. A key defaults to the candidate's position, so that no two candidates are equal. */
function candidates(
  rates: readonly (number | "broken")[],
  keys: readonly string[] = [],
): BisectPlan["candidates"] {
  return rates.map((rate, place) => {
    const revision = {
      id: `r${place}`,
      subject: `Change ${place}`,
      author: "Ann",
      date: "2026-11-27",
      files: [`f${place}.sql`],
    };
    if (rate === "broken") return { revision, problem: "no YAML" };
    return { revision, key: keys[place] ?? String(place) };
  });
}

/** A comparison whose interval is 2 % around the ratio: a finding if it excludes 1, indistinguishable if it is within the margin. */
function resultOf(ratio: number, within: number, more: Partial<Comparison> = {}): ResultDocument {
  const [ciLow, ciHigh] = [ratio * 0.98, ratio * 1.02];
  const isFinding = ciHigh < 1 || ciLow > 1;
  const isSame = ciLow >= 1 / (1 + within) && ciHigh <= 1 + within;
  const verdict = isFinding ? "finding" : isSame ? "indistinguishable" : "inconclusive";
  const claim = { operation: "pay", metric: "eventsPerSecond", ratio, ciLow, ciHigh, pValue: 0.01 };
  return {
    comparisons: [
      { ...claim, operation: "look", ratio: 1 },
      { ...claim, verdict, ...more },
    ],
    treatments: [{ trials: [] }, { trials: Array.from({ length: 5 }) }],
    verdict: EXAMPLE_VERDICT,
  } as unknown as ResultDocument;
}

interface History {
  readonly rates: readonly (number | "broken")[];
  readonly keys?: readonly string[];
  /** Results of a pair that replace the ones computed from the rates. */
  readonly answerFor?: (pair: Pair) => ReturnType<Measure> | undefined;
  readonly objective?: Objective;
}

async function bisectHistory(history: History): Promise<{ document: Bisection; asked: string[] }> {
  const { rates, keys, answerFor } = history;
  const asked: string[] = [];
  const measure: Measure = (pair) => {
    asked.push(`${pair.purpose} r${pair.reference} r${pair.revision}`);
    const [reference, revision] = [rates[pair.reference], rates[pair.revision]];
    const ratio = Number(revision) / Number(reference);
    return answerFor?.(pair) ?? Promise.resolve({ result: resultOf(ratio, pair.within), directory: "d" });
  };
  const plan = { candidates: candidates(rates, keys), objective, maxRegression: 0.05, ...history };
  return { document: await bisect(plan, measure), asked };
}

const inconclusive = (pair: Pair): ReturnType<Measure> =>
  Promise.resolve({
    result: resultOf(0.9, pair.within, { verdict: "inconclusive" }),
    directory: "d",
  });

const text = (document: Bisection): string => renderBisection(document, new Map([["r1", "Change 1"]]));

describe("a bisection", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "names revision %i of 8 in 3 steps, and confirms the revision",
    async (culprit) => {
      const rates = Array.from({ length: 9 }, (_, place) => (place >= culprit ? 80 : 100));
      const { document, asked } = await bisectHistory({ rates });
      expect(document.outcome).toBe("found");
      expect(document.firstWorse?.id).toBe(`r${culprit}`);
      expect(document.lastGood?.id).toBe(`r${culprit - 1}`);
      expect(asked).toHaveLength(5);
      expect([asked[0], asked.at(-1)]).toEqual(["ends r0 r8", `confirmation r${culprit - 1} r${culprit}`]);
      expect(asked.slice(1, -1).every((each) => each.startsWith("search r0 "))).toBe(true);
      expect(text(document)).toMatch(
        new RegExp(
          `^Worse since r${culprit} Change ${culprit} \\(Ann, 2026-11-27\\)\nFiles: f${culprit}.sql\n` +
            `Fresh comparison: pay.events/s is 0.80x that of r${culprit - 1} \\(95 % CI \\[0.78, 0.82\\]\\), p 0.010.\n`,
        ),
      );
    },
  );

  it("decides by the verdict of a metric without findings, such as p95", async () => {
    const rates = [100, 100, 200];
    const { document } = await bisectHistory({
      rates,
      objective: { operation: "pay", metric: "p95", isMaximised: false, words: "minimise pay.p(95)" },
      answerFor({ reference, revision, within }) {
        const ratio = Number(rates[revision]) / Number(rates[reference]);
        return Promise.resolve({
          result: resultOf(ratio, within, { metric: "p95", verdict: "exploratory" }),
          directory: "d",
        });
      },
    });
    expect([document.outcome, document.firstWorse?.id]).toEqual(["found", "r2"]);
  });

  it("requires half of the whole loss in the search, and more than the accepted loss at the ends", async () => {
    const within: Record<string, number> = {};
    await bisectHistory({
      rates: [100, 100, 64],
      answerFor: ({ purpose, within: share }) => {
        within[purpose] = share;
        return undefined;
      },
    });
    expect(within).toEqual({ ends: 0.05, search: expect.closeTo(0.25) as number, confirmation: 0.05 });
  });

  it("names the revision of the larger of two losses, and counts a gain as good", async () => {
    const { document } = await bisectHistory({ rates: [100, 97, 97, 75, 75] });
    expect(document.firstWorse?.id).toBe("r3");
    const other = await bisectHistory({ rates: [100, 130, 130, 80, 80] });
    expect(other.document.firstWorse?.id).toBe("r3");
  });

  it("minimises the metric if the objective says so", async () => {
    const words = "minimise pay.events/s";
    const { document } = await bisectHistory({
      rates: [10, 10, 10, 14, 14],
      objective: { ...objective, isMaximised: false, words },
    });
    expect(document).toMatchObject({ outcome: "found", firstWorse: { id: "r3" } });
  });

  it.each([
    [[100, 100, 100], "no-regression"],
    [[100, 50, 98], "no-regression"],
    [[100, 50, 120], "no-regression"],
  ])("finds no regression in %j after it measured the ends alone", async (rates, outcome) => {
    const { document, asked } = await bisectHistory({ rates });
    expect(document.outcome).toBe(outcome);
    expect(document.firstWorse).toBeUndefined();
    expect(asked).toEqual(["ends r0 r2"]);
    expect(text(document)).toContain("Nothing to find: r2 is not worse than r0 by more than 5 %.");
  });

  it("is inconclusive if the comparison of the ends is inconclusive", async () => {
    const { document } = await bisectHistory({ rates: [100, 90], answerFor: inconclusive });
    expect(document.outcome).toBe("inconclusive");
    expect(text(document)).toMatch(/^Inconclusive: .*r1 is worse than r0.*--trials/);
  });

  it("is inconclusive if the size of the loss is uncertain", async () => {
    const { document, asked } = await bisectHistory({ rates: [100, 50, 97] });
    expect(document.outcome).toBe("inconclusive");
    expect(asked).toEqual(["ends r0 r2"]);
    expect(text(document)).toMatch(/^Inconclusive: .*whether r2 is worse than r0 by more than 5 %/);
  });

  it("skips revisions that cannot be run, and names a range if they adjoin the change", async () => {
    const rates = [100, 100, "broken", 80, 80, 80] as const;
    const { document, asked } = await bisectHistory({ rates });
    expect(document).toMatchObject({ outcome: "range", lastGood: { id: "r1" }, firstWorse: { id: "r3" } });
    expect(document.between.map(({ id }) => id)).toEqual(["r2"]);
    expect(document.skipped).toEqual([{ revision: "r2", problem: "no YAML" }]);
    expect(asked).not.toContain("search r0 r2");
    expect(text(document)).toMatch(/one of 2 revisions, the last of them r3 .*\n {2}open: r2 Change 2/);
    expect(text(document)).toContain("Skipped: r2: no YAML");
    const refused = await bisectHistory({
      rates: [100, 100, 100, 80, 80],
      answerFor: ({ revision }) => (revision === 2 ? Promise.resolve({ problem: "refused" }) : undefined),
    });
    expect(refused.document).toMatchObject({ outcome: "range", lastGood: { id: "r1" } });
    expect(refused.document.skipped).toEqual([{ revision: "r2", problem: "refused" }]);
  });

  it("names a range after three inconclusive steps", async () => {
    const rates = [100, ...Array<number>(20).fill(100), 80];
    const { document, asked } = await bisectHistory({
      rates,
      answerFor: (pair) => (pair.purpose === "search" ? inconclusive(pair) : undefined),
    });
    expect(asked.filter((each) => each.startsWith("search"))).toHaveLength(3);
    expect(document).toMatchObject({ outcome: "range", lastGood: { id: "r0" }, firstWorse: { id: "r21" } });
    expect(document.between).toHaveLength(20);
  });

  it("does not measure a revision again that equals a measured one", async () => {
    const rates = [100, 100, 100, 100, 80, 80, 80, 80];
    const { document, asked } = await bisectHistory({
      rates,
      keys: ["a", "b", "c", "a", "d", "e", "f", "g"],
    });
    expect(document.firstWorse?.id).toBe("r4");
    expect(asked).not.toContain("search r0 r3");
  });

  it("names no revision that the confirmation does not show", async () => {
    const { document } = await bisectHistory({
      rates: [100, 100, 80],
      answerFor: (pair) => (pair.purpose === "confirmation" ? inconclusive(pair) : undefined),
    });
    expect(document.outcome).toBe("unconfirmed");
    expect(text(document)).toMatch(
      /^Not confirmed: r2 is worse than r0, but r2 is not surely worse than r1\./,
    );
  });

  it("is refused if the ends cannot be compared", async () => {
    const answerFor = (): ReturnType<Measure> => Promise.resolve({ problem: "load.sql:8: syntax error" });
    await expect(bisectHistory({ rates: [100, 80], answerFor })).rejects.toThrow(
      /cannot be compared: load.sql:8/,
    );
  });
});
