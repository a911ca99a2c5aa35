import { describe, expect, it } from "vitest";
import { Prng } from "../../foundation/prng.js";
import { Effect, Interaction, ResultDocument, type TreatmentResult } from "../../results/result-schema.js";
import { exampleLatency, exampleResult, exampleTrial } from "../../../test/support/example-result.js";
import { withAnalysis } from "./analysis.js";
import { factorEffects } from "./effects.js";
import { renderSummary } from "../../report/terminal/summary.js";

type Levels = Readonly<Record<string, string>>;

/** Six blocks of every combination of payload, pool and batch; `meanMs` gives the mean add time, with 1 % of noise. */
function factorial(
  meanMs: (levels: Levels) => number,
  { pools = ["direct", "pg-pool"], batches = ["10"] } = {},
): TreatmentResult[] {
  const prng = new Prng(4);
  const combinations = ["jsonb", "text"].flatMap((payload) =>
    pools.flatMap((pool) => batches.map((batch) => ({ payload, pool, batch }))),
  );
  return combinations.map((levels, t) => ({
    id: Object.values(levels).join("-"),
    levels,
    trials: Array.from({ length: 6 }, (_, block) => {
      const trial = exampleTrial(block, block * combinations.length + t + 1, 0);
      const value = meanMs(levels) * (1 + block / 10) * (0.99 + prng.float() / 50);
      for (const operation of [trial.operations.add, trial.operations.process])
        if (operation) operation.responseTimeMs = exampleLatency(value);
      return trial;
    }),
    merged: null,
  }));
}

const ofAddMean = ({ operation, metric }: Effect | Interaction): boolean =>
  operation === "add" && metric === "mean";

/** Mean times if text costs 1.5 times as much as jsonb, and pg-pool twice as much as direct connections. */
const meanWithoutInteraction = ({ payload, pool }: Levels): number =>
  10 * (payload === "text" ? 1.5 : 1) * (pool === "pg-pool" ? 2 : 1);
/** Mean times if text costs 3 times as much, but only with pg-pool. */
const meanWithInteraction = (levels: Levels): number =>
  meanWithoutInteraction(levels) * (levels.payload === "text" && levels.pool === "pg-pool" ? 2 : 1);

describe("factorEffects", () => {
  it("gives each factor's effect over the combinations of the other factors", () => {
    const { effects, interactions } = factorEffects(
      factorial(meanWithoutInteraction, { batches: ["10", "50"] }),
      1,
    );
    const found = effects.filter(ofAddMean);
    expect(
      found.map(({ factor, level, baselineLevel, combinations }) => [
        factor,
        level,
        baselineLevel,
        combinations,
      ]),
    ).toEqual([
      ["payload", "text", "jsonb", 4],
      ["pool", "pg-pool", "direct", 4],
      ["batch", "50", "10", 4],
    ]);
    const [payload, pool, batch] = found;
    expect(payload?.ratio).toBeCloseTo(1.5, 1);
    expect(pool?.ratio).toBeCloseTo(2, 1);
    // The machine drifts over blocks by 1.6 times, which both sides share.
    expect([payload?.verdict, pool?.verdict, batch?.verdict]).toEqual([
      "exploratory",
      "exploratory",
      "indistinguishable",
    ]);
    expect(interactions.filter(ofAddMean).map(({ verdict }) => verdict)).not.toContain("exploratory");
    for (const { differences, ...effect } of effects) {
      expect(Effect.parse(effect)).toEqual(effect);
      expect(differences.size).toBe(effect.blocks);
    }
    for (const { differences, ...interaction } of interactions) {
      expect(Interaction.parse(interaction)).toEqual(interaction);
      expect(differences.size).toBe(interaction.blocks);
    }
  });

  it("flags an effect that differs between levels of another factor, with the ratio of both effects", () => {
    const { effects, interactions } = factorEffects(factorial(meanWithInteraction), 1);
    const [interaction] = interactions.filter(ofAddMean);
    expect(interaction).toMatchObject({
      factor: "payload",
      level: "text",
      baselineLevel: "jsonb",
      otherFactor: "pool",
      otherLevel: "pg-pool",
      otherBaselineLevel: "direct",
      verdict: "exploratory",
      test: "paired",
    });
    expect(interaction?.ratio).toBeCloseTo(2, 1);
    expect(effects.find(ofAddMean)?.ratio).toBeCloseTo(Math.sqrt(1.5 * 3), 1);
  });

  it("flags interactions of independent factors at most as often as chance allows", () => {
    let flagged = 0;
    const experiments = 60;
    for (let i = 0; i < experiments; i++) {
      const prng = new Prng(i + 100);
      const treatments = factorial(meanWithoutInteraction).map((treatment) => ({
        ...treatment,
        trials: treatment.trials.map((trial) => {
          const operations = { add: { ...trial.operations.add } };
          operations.add.responseTimeMs = exampleLatency(10 * Math.exp(prng.float() / 4));
          return { ...trial, operations } as typeof trial;
        }),
      }));
      const [interaction] = factorEffects(treatments, i).interactions.filter(ofAddMean);
      if (interaction?.verdict === "exploratory") flagged++;
    }
    // Binomial(60, 0.05) exceeds 8 with probability 0.005; the seeds are fixed.
    expect(flagged).toBeLessThanOrEqual(8);
  });

  it("counts a stall in the averages, and gives no ratio if both levels stalled", () => {
    const stalledWith = (pools: readonly string[]) => {
      const treatments = factorial(meanWithoutInteraction);
      for (const { levels, trials } of treatments)
        for (const { operations } of trials)
          if (levels.payload === "text" && pools.includes(levels.pool ?? "") && operations.add)
            Object.assign(operations.add, { eventsPerSecond: 0, responseTimeMs: null });
      return factorEffects(treatments, 1);
    };
    const rate = ({ operation, metric }: Effect | Interaction): boolean =>
      operation === "add" && metric === "eventsPerSecond";
    const { effects, interactions } = stalledWith(["pg-pool"]);
    expect(effects.filter(rate).map(({ factor, verdict }) => [factor, verdict])).toEqual([
      ["payload", "exploratory"],
      ["pool", "exploratory"],
    ]);
    expect(interactions.filter(rate)).toMatchObject([{ blocks: 6, verdict: "exploratory" }]);
    // Text does nothing with both pools, so the effect of a pool is stated for jsonb alone, without an average.
    const both = stalledWith(["direct", "pg-pool"]);
    expect(both.effects.filter(rate).map(({ factor }) => factor)).toEqual(["payload"]);
  });

  it("has no effect for a single factor, A/A replicas or combinations without a partner", () => {
    expect(factorEffects(exampleResult(6).treatments, 1)).toEqual({ effects: [], interactions: [] });
    expect(factorEffects([], 1)).toEqual({ effects: [], interactions: [] });
    const all = factorial(meanWithoutInteraction);
    const [first, second, third] = all;
    if (!first || !second || !third) throw new Error("four treatments were made");
    expect(factorEffects([first, second, third], 1)).toEqual({ effects: [], interactions: [] });
    const replicas = all.map((each, i) => (i > 1 ? { ...each, sameAs: first.id } : each));
    expect(factorEffects(replicas, 1)).toEqual({ effects: [], interactions: [] });
  });
});

describe("effects of factors in the summary", () => {
  function summary(meanMs: (levels: Levels) => number, trials = 6): string {
    const treatments = factorial(meanMs).map((each) => ({ ...each, trials: each.trials.slice(0, trials) }));
    const result = withAnalysis({ ...exampleResult(trials), treatments });
    expect(ResultDocument.parse(result)).toEqual(result);
    const text = renderSummary(result, { directory: "results/x" });
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(120);
    return text.replaceAll("\n", " ");
  }

  it("lists effects, and interactions with a warning not to use the average", () => {
    const text = summary(meanWithInteraction);
    expect(text).toMatch(/Effects of each factor over the combinations of the others/);
    expect(text).toMatch(/add +payload: text \/ jsonb +2\.1\dx \[2\.\d\d, 2\.\d\d\]/);
    expect(text).toContain("Interactions: the effects above average over effects that differ");
    expect(text).toMatch(
      /- add mean: the ratio of payload text to jsonb is (2\.0\d|1\.9\d)x as large with pool pg-pool as with direct \(95 % CI/,
    );
  });

  it("states that no interaction was found, or that too few blocks were run to test for one", () => {
    expect(summary(meanWithoutInteraction)).toContain("No interaction was found in ");
    expect(summary(meanWithInteraction, 3)).toContain("are not tested with fewer than 5 blocks of trials.");
  });
});
