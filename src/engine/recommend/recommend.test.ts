// Recommendations on simulated servers: a better configuration, no better configuration, conditions
// and refusals before the first measurement.
import { describe, expect, it } from "vitest";
import { compareTreatments } from "../../analysis/comparison/comparisons.js";
import { parseCondition, parseObjective } from "../../scenario/objective.js";
import { UsageError } from "../../foundation/errors.js";
import { Prng } from "../../foundation/prng.js";
import { renderRecommendation } from "../../report/terminal/recommendation-text.js";
import type { ResultDocument } from "../../results/result-schema.js";
import {
  EXAMPLE_VERDICT,
  exampleLatency,
  exampleOperation,
  exampleTrial,
} from "../../../test/support/example-result.js";
import { parseScenario } from "../../scenario/loader.js";
import { recommend, type Measure, type Recommendation, type RecommendationPlan } from "./recommend.js";
import { singleConfigurationOverrides, spaceOf, type Configuration } from "./space.js";

const YAML = `
name: simulated
seed: 3
topology: cycle
pool: { strategy: pg-pool }
trial: { warmUp: 1s, duration: 4s, drain: 0s }
factors:
  pool.size: 1..16
  payload: [jsonb, text]
`;
const TRIAL_MS = 8000;

type Server = (values: Configuration["values"], set: readonly string[]) => { rate: number; p99: number };

/** A simulated measurement on that server, with 3 % noise between trials, that notes what was asked for. */
function simulate(server: Server): { measure: Measure; asked: string[]; nowMs: () => number } {
  const prng = new Prng(11);
  const asked: string[] = [];
  let nowMs = 0;
  const measure: Measure = (what, set) => {
    asked.push(what);
    const experiment = parseScenario(YAML, "simulated.yaml", { set: [...set] });
    const { configurations } = spaceOf(experiment);
    const blocks = experiment.trials.length / configurations.length;
    nowMs += experiment.trials.length * TRIAL_MS;
    const treatments = configurations.map(({ id, levels, values }) => ({
      id,
      levels,
      trials: Array.from({ length: blocks }, (_, block) => {
        const { rate, p99 } = server(values, set);
        const noise = 1 + 0.1 * (prng.float() - 0.5);
        const add = {
          ...exampleOperation(5),
          eventsPerSecond: rate * noise,
          responseTimeMs: { ...exampleLatency(5), p99 },
        };
        return { ...exampleTrial(block, block, 5), operations: { add } };
      }),
    })) as unknown as ResultDocument["treatments"];
    const comparisons = compareTreatments(treatments, 1);
    return Promise.resolve({
      treatments,
      comparisons,
      verdict: EXAMPLE_VERDICT,
    } as unknown as ResultDocument);
  };
  return { measure, asked, nowMs: () => nowMs };
}

const experiment = parseScenario(YAML, "simulated.yaml");

function planWith(more: Partial<RecommendationPlan> = {}): RecommendationPlan {
  const objective = parseObjective("maximise add.events/s", experiment.treatments);
  return { experiment, objective, conditions: [], budgetMs: 30 * 60_000, loads: [], ...more };
}

async function recommendFor(
  server: Server,
  more: Partial<RecommendationPlan> = {},
): Promise<[Recommendation, string[]]> {
  const { measure, asked, nowMs } = simulate(server);
  return [await recommend(planWith(more), measure, nowMs), asked];
}

/** A server that is fastest with 4 connections and text. */
const hill: Server = ({ payload, "pool.size": size }) => ({
  rate: 1000 * (payload === "text" ? 1.3 : 1) * (1 - 0.1 * Math.abs(Math.log2(Number(size)) - 2)),
  p99: 10 * Number(size),
});

describe("a recommendation", () => {
  it("names the best configuration with its gain and the share of each change", async () => {
    const [document, asked] = await recommendFor(hill);
    expect(document).toMatchObject({ advice: "change", configurations: 10 });
    expect(document.present.values).toEqual({ "pool.size": 1, payload: "jsonb" });
    expect(document.proposal?.values).toEqual({ "pool.size": 4, payload: "text" });
    expect(document.holdouts[0]).toMatchObject({ isBetter: true, timingsValid: true });
    expect(document.holdouts[0]?.ratio).toBeCloseTo(1.3 / 0.8, 0);
    expect(document.parts.map(({ factor, from, to }) => [factor, from, to])).toEqual([
      ["pool.size", "1", "4"],
      ["payload", "jsonb", "text"],
    ]);
    expect(document.parts[0]?.ratio).toBeCloseTo(0.8, 1);
    expect(document.parts[1]?.ratio).toBeCloseTo(1 / 1.3, 1);
    expect(asked.slice(-2)).toEqual(["holdout", "parts"]);
    expect(document.seconds).toBeLessThanOrEqual(30 * 60);
    const text = renderRecommendation(document);
    expect(text).toContain("Change: pool.size 1 -> 4, payload jsonb -> text.");
    expect(text).toMatch(/add\.events\/s is 1\.\d+x the present one \(95 % CI/);
    const set = singleConfigurationOverrides(document.proposal as Configuration, experiment);
    const recommended = parseScenario(YAML, "simulated.yaml", { set }).treatments;
    expect(recommended.map(({ settings }) => settings.payload)).toEqual(["text"]);
  });

  it("keeps the present configuration if configurations do not differ", async () => {
    const [{ advice, holdouts }] = await recommendFor(() => ({ rate: 1000, p99: 10 }));
    expect(advice).toBe("keep");
    expect(holdouts.every(({ isBetter }) => !isBetter)).toBe(true);
  });

  it("respects a condition, and minimises the metric if the objective says so", async () => {
    const condition = parseCondition("add: p(99)<25", experiment.treatments);
    const [{ proposal }] = await recommendFor(hill, { conditions: [condition] });
    expect(proposal?.values).toEqual({ "pool.size": 2, payload: "text" });
    const objective = parseObjective("minimise add.p(99)", experiment.treatments);
    const best: Server = (values) => ({ rate: 1, p99: values["pool.size"] === 8 ? 5 : 10 });
    const [document] = await recommendFor(best, { objective });
    expect(document.proposal?.values).toMatchObject({ "pool.size": 8 });
    expect(document.holdouts[0]?.ratio).toBeCloseTo(0.5);
  });

  it("compares the proposal at each further load", async () => {
    const onlyAlone: Server = (values, set) =>
      set.includes("clients=64") ? { rate: 500, p99: 10 } : hill(values, set);
    const [{ holdouts, advice }] = await recommendFor(onlyAlone, { loads: ["clients=64"] });
    expect(holdouts.map(({ load, isBetter }) => [load, isBetter])).toEqual([
      [undefined, true],
      ["clients=64", false],
    ]);
    expect(advice).toBe("change");
  });

  it("estimates trials of iterations from a small first round, and refuses a budget that is too short", async () => {
    const load = "actors: { cycle: { load: { executor: shared-iterations, iterations: 80, clients: 4 } } }\n";
    const budgeted = parseScenario(YAML + load, "simulated.yaml");
    const { measure, asked, nowMs } = simulate(hill);
    const trialsOf = { first: 0 };
    const measureAndCount: Measure = async (what, set) => {
      const result = await measure(what, set);
      if (what === "round 1") trialsOf.first = result.treatments.flatMap(({ trials }) => trials).length;
      return result;
    };
    const { advice, seconds } = await recommend(planWith({ experiment: budgeted }), measureAndCount, nowMs);
    expect([advice, trialsOf.first]).toEqual(["change", 6]);
    expect(seconds).toBeLessThanOrEqual(30 * 60);
    asked.length = 0;
    const short = planWith({ experiment: budgeted, budgetMs: 130_000 });
    await expect(recommend(short, measure, nowMs)).rejects.toThrow(/a trial takes about 8s/);
    expect(asked).toEqual(["round 1"]);
  });

  it("is refused without factors, with too short a budget, and without samples", async () => {
    const { measure, asked, nowMs } = simulate(() => ({ rate: 0, p99: 1 }));
    const single = parseScenario("name: one\nseed: 1\n", "one.yaml");
    await expect(recommend(planWith({ experiment: single }), measure, nowMs)).rejects.toThrow(/no choice/);
    await expect(recommend(planWith({ budgetMs: 60_000 }), measure, nowMs)).rejects.toThrow(/too short/);
    // Trials with `until: decided` have the same duration.
    const adaptive = parseScenario(`${YAML}trials: { min: 5, max: 30 }\n`, "simulated.yaml");
    const [ofFive, ofThirty] = await Promise.all(
      [parseScenario(YAML, "simulated.yaml"), adaptive].map((experiment) =>
        recommend(planWith({ experiment, budgetMs: 60_000 }), measure, nowMs).catch(String),
      ),
    );
    expect(ofThirty).toBe(ofFive);
    expect(asked).toEqual([]);
    await expect(recommend(planWith(), measure, nowMs)).rejects.toThrow(UsageError);
    expect(asked).toEqual(["round 1"]);
  });
});
