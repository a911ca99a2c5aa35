import { describe, expect, it } from "vitest";
import { Prng } from "../../foundation/prng.js";
import { ResultDocument, Sweep, type TreatmentResult } from "../../results/result-schema.js";
import { exampleOperation, exampleResult, exampleTrial } from "../../../test/support/example-result.js";
import { withAnalysis } from "./analysis.js";
import { renderSummary } from "../../report/terminal/summary.js";
import { workloadOf } from "../../workloads/registry.js";
import { sweepsOf as sweepsIn } from "./sweeps.js";
import { uslThroughput } from "./usl.js";

const sweepsOf = (treatments: readonly TreatmentResult[], seed: number): Sweep[] =>
  sweepsIn(treatments, workloadOf({}), seed);

const LAW = { lambda: 500, sigma: 0.08, kappa: 0.001 };

/** Treatments over numbers of clients, whose add follows the law with 2 % of noise. */
function sweepTreatments(
  clients: readonly string[],
  blocks: number,
  others: Readonly<Record<string, string>> = { payload: "text" },
  factor = "clients",
): TreatmentResult[] {
  const prng = new Prng(8);
  return clients.map((level, t) => ({
    id: `clients-${level}-${Object.values(others).join("-")}`,
    levels: { [factor]: level, ...others },
    trials: Array.from({ length: blocks }, (_, block) => {
      const trial = exampleTrial(block, block * clients.length + t + 1, 10);
      const eventsPerSecond = uslThroughput(LAW, Number.parseInt(level)) * (0.98 + prng.float() / 25);
      const own = { clients: Number.parseInt(level), eventsPerSecond };
      return { ...trial, operations: { add: { ...exampleOperation(10 + t), ...own } } };
    }),
    merged: null,
  }));
}

const LEVELS = ["64", "1", "2", "4", "8", "16", "32"];

describe("sweepsOf", () => {
  it("makes one curve of treatments that differ in clients only, with the fitted law", () => {
    const sweeps = sweepsOf(sweepTreatments(LEVELS, 5), 1);
    expect(sweeps).toHaveLength(1);
    const [sweep] = sweeps;
    expect(sweep && Sweep.parse(sweep)).toEqual(sweep);
    expect(sweep).toMatchObject({ factor: "clients", levels: { payload: "text" }, operation: "add" });
    expect(sweep?.points.map(({ clients }) => clients)).toEqual([1, 2, 4, 8, 16, 32, 64]);
    expect(sweep?.points[0]).toMatchObject({ treatment: "clients-1-text", trials: 5 });
    if (sweep?.usl.status !== "fitted") throw new Error(JSON.stringify(sweep?.usl));
    const { lambda, sigma, kappa, peakClients } = sweep.usl;
    // usl.test.ts shows on many data sets that the intervals cover.
    expect(lambda.value / LAW.lambda).toBeCloseTo(1, 1);
    expect(sigma.value / LAW.sigma).toBeCloseTo(1, 1);
    expect(kappa.value / LAW.kappa).toBeCloseTo(1, 1);
    expect((peakClients?.value ?? 0) / Math.sqrt((1 - LAW.sigma) / LAW.kappa)).toBeCloseTo(1, 1);
  });

  it("makes a curve for each combination of other factors, also for a path that ends in clients", () => {
    const path = "actors.producers.clients";
    const sweeps = sweepsOf(
      ["text", "jsonb"].flatMap((payload) => sweepTreatments(["1", "2", "4"], 2, { payload }, path)),
      1,
    );
    expect(sweeps.map(({ factor, levels }) => [factor, levels.payload])).toEqual([
      [path, "text"],
      [path, "jsonb"],
    ]);
    expect(sweeps[0]?.usl).toEqual({
      status: "refused",
      reason: "3 distinct levels of clients; three parameters need at least 5",
    });
    expect(sweeps[0]?.points[0]?.eventsPerSecond).toMatchObject({ ciLow: null, ciHigh: null });
  });

  it("leaves incomplete blocks out of the fit, and counts A/A levels as one", () => {
    const treatments = sweepTreatments(["1-a", "1-b", ...LEVELS.filter((level) => level !== "1")], 5);
    expect(sweepsOf(treatments, 1)[0]?.usl.status).toBe("fitted");
    const trial = treatments[3]?.trials[0];
    if (!trial) throw new Error("five trials were made");
    trial.status = "failed";
    expect(sweepsOf(treatments, 1)[0]?.usl).toMatchObject({
      reason: "4 complete blocks of trials; intervals need at least 5",
    });
  });

  it("keeps a level at which every trial stalled, and fits no law through it", () => {
    const stall = (blocks: readonly number[]) => {
      const treatments = sweepTreatments(LEVELS, 6);
      for (const { block, operations } of treatments[0]?.trials ?? [])
        if (blocks.includes(block) && operations.add) operations.add.eventsPerSecond = 0;
      return sweepsOf(treatments, 1)[0];
    };
    expect(stall([0, 1, 2, 3, 4, 5])?.usl).toEqual({
      status: "refused",
      reason: "no throughput at all at 64 clients, which the law excludes",
    });
    expect(stall([0, 1, 2, 3, 4, 5])?.points.at(-1)).toMatchObject({ clients: 64, trials: 6 });
    // One stall in six is not left out as if the other five were all trials.
    const once = stall([0])?.usl;
    if (once?.status === "fitted") expect(once.kappa.value).toBeGreaterThan(LAW.kappa * 1.1);
    else expect(once?.reason).not.toMatch(/blocks/);
  });

  it("leaves out operations of other clients, whose number does not vary", () => {
    const treatments = sweepTreatments(LEVELS, 5, {}, "actors.producers.clients");
    for (const { trials } of treatments)
      for (const { operations } of trials) operations.process = exampleOperation(5);
    expect(sweepsOf(treatments, 1).map(({ operation }) => operation)).toEqual(["add"]);
  });

  it.each(["add", "__cycle__"] as const)("fits no law if %s has a schedule", (scheduled) => {
    const treatments = sweepTreatments(LEVELS, 5);
    for (const { trials } of treatments)
      for (const { operations } of trials) {
        const { add } = operations;
        if (add) operations[scheduled] = { ...add, offered: 1000 };
      }
    const reason = "arrivals follow a schedule, so the number of clients does not set the load";
    for (const { usl } of sweepsOf(treatments, 1)) expect(usl).toEqual({ status: "refused", reason });
  });

  it("makes no curve of two levels, of another factor or without a factor", () => {
    expect(sweepsOf(sweepTreatments(["1", "2"], 5), 1)).toEqual([]);
    expect(sweepsOf(sweepTreatments(LEVELS, 5, {}, "pool.size"), 1)).toEqual([]);
    expect(sweepsOf(exampleResult(5).treatments, 1)).toEqual([]);
    expect(sweepsOf([], 1)).toEqual([]);
  });
});

describe("a sweep in the summary", () => {
  function summary(blocks: number, levels = LEVELS): string {
    const result = withAnalysis({ ...exampleResult(), treatments: sweepTreatments(levels, blocks) });
    expect(ResultDocument.parse(result)).toEqual(result);
    const text = renderSummary(result, { directory: "results/x" });
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(120);
    return text;
  }

  it("shows the measured curve together with the law, and parameters with intervals", () => {
    const text = summary(5);
    expect(text).toMatch(/^add over clients, payload=text$/m);
    expect(text).toMatch(
      /^clients +events\/s +per client +law +mean\(ms\) +p50\(ms\) +p95\(ms\) +p99\(ms\)$/m,
    );
    expect(text).toMatch(/^ +32 +35\d\d \[3\d\d\d, 3\d\d\d\] +11\d +35\d\d +/m);
    expect(text.replaceAll("\n", " ")).toMatch(
      /Universal Scalability Law, with 95 % intervals: lambda \d+ \[\d+, \d+\] events\/s of one client, contention sigma 0\.0\d+ \[/,
    );
    expect(text.replaceAll("\n", " ")).toMatch(/throughput peaks at (29|30|31) clients \[\d+, \d+\]\./);
  });

  it("states why there is no law", () => {
    const text = summary(3).replaceAll("\n", " ");
    expect(text).toContain("No scalability law: 3 complete blocks of trials; intervals need at least 5.");
  });
});
