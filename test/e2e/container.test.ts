// A run on a container target with a real Docker engine that can get the image. Without an engine, the test states that
// it was not run, and checks that the program refuses the target in one clear sentence.
import { expect, it } from "vitest";
import { findDockerEngine } from "../../src/targets/container/docker-engine.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

const YAML = `name: container
target: { kind: container, image: "postgres:18", settings: { work_mem: 7MB } }
trial: { warmUp: 0s, duration: 1s, drain: 5s }
trials: 1
`;
const engine = await findDockerEngine().catch(() => undefined);

if (engine === undefined) {
  process.stderr.write("NOT RUN: a trial on a container target, because no Docker engine answers here.\n");

  it("without a Docker engine, a container target is refused and the other targets are named", async () => {
    const ended = await trainSim(["run", writeScenarioFile(YAML), "--out", scratchDirectory()]);
    expect(ended.exitCode).toBe(111);
    expect(ended.stderr).toMatch(/no Docker engine answers[\s\S]*embedded or url/);
  });
} else {
  it("a run on a container target applies the scenario's server settings", async () => {
    const out = scratchDirectory();
    const ended = await trainSim(["run", writeScenarioFile(YAML), "--out", out]);
    expect(ended.stderr).toContain("integrity ok");
    expect(ended.exitCode).toBe(0);
    expect(onlyResultIn(out).result.environment.settings["work_mem"]).toBe("7MB");
  });
}
