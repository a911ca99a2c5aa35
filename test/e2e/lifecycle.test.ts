// Lives of events through whole trials of the built program without randomness: the passes of an event, the events that
// have a latency, and the text about the drain.
import { describe, expect, inject, it } from "vitest";
import { fullIt } from "../support/lanes.js";
import { testNamespace } from "../support/namespace.js";
import { urlOf } from "../support/suite-server.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

/** Runs the scenario on the suite's server and returns its only treatment. */
async function run(rest: string) {
  const out = scratchDirectory();
  const scenario = `
name: lifecycle
seed: 3
namespace: ${testNamespace("lifecycle")}
target: { kind: url, urls: ["${urlOf(inject("adminEndpoint"))}"] }
payload: text
appDelay: 0
diagnosis: { ceiling: false }
${rest}`;
  const ended = await trainSim(["run", writeScenarioFile(scenario), "--out", out, "--quiet"]);
  expect(ended.exitCode, ended.stderr).toBe(0);
  const [treatment] = onlyResultIn(out).result.treatments;
  if (!treatment?.merged) throw new Error("nothing was measured");
  return { treatment, merged: treatment.merged };
}

const CONSUMERS = "consumers: { load: { executor: constant-clients, clients: 2, thinkTime: 5ms } }";
const ARCHIVERS = "archivers: { load: { executor: constant-clients, clients: 1, thinkTime: 5ms } }";
const PRODUCERS = "producers: { load: { executor: constant-clients, clients: 1, thinkTime: 60ms } }";

describe("lifecycle figures", () => {
  fullIt(
    "count passes of preloaded events, and give no latency because their publishing was not seen",
    async () => {
      const { treatment, merged } = await run(`
advance: { claim: 1, complete: 1, fail: 0 }
preload: 300
actors: { producers: false, ${CONSUMERS}, ${ARCHIVERS} }
trial: { warmUp: 0s, duration: 1s, drain: 20s }
trials: 2`);
      for (const { lifecycle, integrity } of treatment.trials) {
        expect(integrity).toMatchObject({ drained: true, archived: 300 });
        expect(lifecycle).toMatchObject({ completedMs: null, archivedMs: null, passesPerEvent: 2 });
        expect(lifecycle.drainSeconds).toBeGreaterThanOrEqual(0);
      }
      const [first, second] = treatment.trials.map(({ lifecycle }) => lifecycle.drainSeconds ?? Number.NaN);
      expect(merged.lifecycle.passesPerEvent).toBe(2);
      expect(merged.lifecycle.drainSeconds).toBeCloseTo(((first ?? 0) + (second ?? 0)) / 2, 9);
    },
  );

  it("give an archiving latency and no completion latency to events that FAILED", async () => {
    const { treatment } = await run(`
advance: { claim: 1, complete: 0, fail: 1 }
actors: { ${PRODUCERS}, ${CONSUMERS}, ${ARCHIVERS} }
trial: { warmUp: 0s, duration: 1s, drain: 20s }
trials: 1`);
    const [trial] = treatment.trials;
    expect(trial?.lifecycle.completedMs).toBeNull();
    expect(trial?.lifecycle.archivedMs?.mean).toBeGreaterThan(0);
    expect(trial?.lifecycle.passesPerEvent).toBe(2);
  });

  it("leave out passes and drain time if the run has no consumers", async () => {
    const { treatment, merged } = await run(`
actors: { ${PRODUCERS}, consumers: false, archivers: false }
trial: { warmUp: 0s, duration: 1s, drain: false }
trials: 1`);
    const [trial] = treatment.trials;
    expect(trial?.integrity?.pending).toBeGreaterThan(0);
    for (const { lifecycle } of [merged, ...(trial ? [trial] : [])]) {
      expect(lifecycle).not.toHaveProperty("passesPerEvent");
      expect(lifecycle).not.toHaveProperty("drainSeconds");
    }
  });
});
