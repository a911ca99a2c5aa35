// Runs workload calls on the built program: a day of 24 small batches.
import { join } from "node:path";
import { expect } from "vitest";
import { pgBouncerEnv } from "./pgbouncers.js";
import { onSuiteServer } from "./suite-server.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "./train-sim.js";

export const PROBES = ["lastHour", "byCaller", "byTower", "topTowers"];

function scenarioOf(rest: string): string {
  return `
name: calls
seed: 5
workload: calls
${onSuiteServer("calls")}
batchesPerDay: 24
sizes: { small: 5, medium: 40, large: 200 }
diagnosis: { ceiling: false }
trials: 1
thresholds: { integrity: ["violations==0"] }
${rest}`;
}

/** Runs a scenario of `calls` and returns its result. The run must end with exit code 0. */
export async function resultOf(rest: string, phases = "warmUp: 0") {
  const out = join(scratchDirectory(), "results");
  const file = writeScenarioFile(scenarioOf(`trial: { ${phases}, drain: false }\n${rest}`));
  const ended = await trainSim(["run", file, "--out", out, "--quiet"], { env: pgBouncerEnv() });
  expect(ended.exitCode, ended.stderr).toBe(0);
  return onlyResultIn(out).result;
}
