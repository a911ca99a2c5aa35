// A reader of a command's output may end before the command, such as `| head`, or `| tee`, which Ctrl-C ends with the
// command. The command then goes on, and ends with its usual exit code.
import { casesOf } from "../support/lanes.js";
import { spawnSync } from "node:child_process";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { onSuiteServer } from "../support/suite-server.js";
import {
  MAIN,
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  trainSim,
  untilLogged,
  writeScenarioFile,
} from "../support/train-sim.js";

const SCENARIO = `
name: t
payload: text
actors: { producers: { load: { clients: 1, thinkTime: 15ms } }, consumers: { load: { clients: 1, thinkTime: 15ms } }, archivers: false }
appDelay: 0
diagnosis: { ceiling: false }
trial: { warmUp: 0, duration: 60s, drain: 10s }
trials: 1
${onSuiteServer("unread")}`;

it.each(casesOf(["stdout", "stderr"] as const, 1))(
  "Ctrl-C keeps results marked as partial although the reader of %s has ended",
  async (stream) => {
    const out = scratchDirectory();
    const started = startTrainSim(["run", writeScenarioFile(SCENARIO), "--out", out]);
    await untilLogged(out, '"phase":"measure"');
    started.child[stream]?.destroy();
    started.child.kill("SIGINT");
    expect((await started.ended).exitCode).toBe(105);
    const { result } = onlyResultIn(out);
    expect(result.verdict.reasons.join()).toContain("SIGINT");
    expect(result.treatments[0]?.trials).toMatchObject([{ status: "partial", integrity: { verdict: "ok" } }]);
  },
);

it("validate ends with 107 and an explanation if standard output is full", async () => {
  const file = join(scratchDirectory(), "good.yaml");
  writeFileSync(file, "name: t\npayload: text\n");
  const full = openSync("/dev/full", "w");
  const { status, stderr } = spawnSync(process.execPath, [MAIN, "validate", file, "--json"], {
    stdio: ["ignore", full, "pipe"],
    encoding: "utf8",
  });
  closeSync(full);
  expect(stderr).toContain("No space left on the disk to write the output");
  expect(stderr).not.toContain("please report it");
  expect(status).toBe(107);
});

it("validate refuses a scenario with 104 although the reader of its output has ended", async () => {
  const file = join(scratchDirectory(), "bad.yaml");
  writeFileSync(file, "name: t\npayload: xml\n");
  const started = startTrainSim(["validate", file, "--json"]);
  started.child.stdout?.destroy();
  expect((await started.ended).exitCode).toBe(104);
  expect((await trainSim(["validate", file, "--json"])).exitCode).toBe(104);
});
