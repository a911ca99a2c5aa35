// Known answer: the second treatment holds its locks 80 ms longer in each process transaction and differs in nothing else.
// The verdict must find the effect in that operation, its interval must cover it, and no other operation may show it.
import { join } from "node:path";
import { expect, it } from "vitest";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

const BASELINE_MS = 1;
const ADDED_MS = 80;
/**
 * Tolerance in milliseconds: Node's timers fire up to about a millisecond late, in both treatments, but differently in each
 * trial.
 */
const TIMER_MS = 0.5;

const SCENARIO = `
name: added-delay
seed: 7
factors:
  appDelay: [{ min: ${BASELINE_MS}ms, max: ${BASELINE_MS}ms }, { min: ${BASELINE_MS + ADDED_MS}ms, max: ${BASELINE_MS + ADDED_MS}ms }]
payload: text
batch: { min: 10, max: 10 }
advance: { claim: 1, complete: 1, fail: 0 }
actors:
  producers: { workers: 1, load: { executor: constant-clients, clients: 2, thinkTime: 20ms } }
  consumers: { workers: 1, load: { executor: constant-clients, clients: 4, thinkTime: 5ms } }
  archivers: { workers: 1, load: { executor: constant-clients, clients: 1, thinkTime: 5ms } }
trial: { warmUp: 500ms, duration: 1500ms, drain: 5s }
trials: 5
diagnosis: { ceiling: false }
`;

it(
  "a comparison of five trials finds a planted delay of 80 ms, and its interval covers the delay",
  { timeout: 180_000 },
  async () => {
    const out = join(scratchDirectory(), "results");
    const ended = await trainSim(["run", writeScenarioFile(SCENARIO), "--out", out, "--quiet", "--verbose"]);
    expect(ended.exitCode, ended.stderr).toBe(0);
    const { result } = onlyResultIn(out);
    const [baseline] = result.treatments;
    const withoutMs = baseline?.summary?.find(
      ({ operation, metric }) => operation === "process" && metric === "p50",
    )?.median;
    if (withoutMs === undefined) throw new Error("nothing was processed");
    expect(withoutMs).toBeGreaterThan(BASELINE_MS);
    const found = result.comparisons.find(
      ({ operation, metric }) => operation === "process" && metric === "p50",
    );
    expect(found).toMatchObject({ factor: "appDelay", blocks: 5, test: "paired", verdict: "exploratory" });
    expect(found?.ciLow).toBeLessThanOrEqual((withoutMs + ADDED_MS + TIMER_MS) / withoutMs);
    expect(found?.ciHigh).toBeGreaterThanOrEqual((withoutMs + ADDED_MS - TIMER_MS) / withoutMs);
    // The producers' think time alone determines their throughput, so slower roles cannot change it.
    const throughput = result.comparisons.find(
      ({ operation, metric }) => operation === "add" && metric === "eventsPerSecond",
    );
    expect(throughput?.ratio).toBeGreaterThan(0.6);
    expect(throughput?.ratio).toBeLessThan(1.6);
    expect(ended.stdout.replaceAll("\n", " ")).toMatch(/process +mean\(ms\) .*95 % CI/);
  },
);
